extension AuthorizeChallengeRequest {
    private static let maximumProperties = 16

    /// Reads a request.
    /// - Parameter form: the body's parameters.
    /// - Throws: ``OAuthError`` with an ``ErrorCode``: `bad_request`, or `invalid_credentials` for a user name that no
    ///   account can have, so that a typing error gets the same answer as any wrong name.
    public init(form: FormParameters) throws(OAuthError) {
        do {
            try self.init(reading: form)
        } catch {
            throw error.errorCode == nil ? OAuthError(error.code, error.detail, errorCode: .badRequest) : error
        }
    }

    private init(reading form: FormParameters) throws(OAuthError) {
        clientID = try form.required("client_id")
        scope = try form.scope()
        codeChallenge = try form.codeChallenge()
        let session: AuthSession? = try form.secret()
        switch (session, try form.named("login_method", of: LoginMethod.Name.self)) {
        case (let session?, nil): step = .proceed(session, try Continuation(form: form))
        case (nil, let method?): step = .begin(try LoginMethod(method, form: form))
        case (nil, nil): throw OAuthError(.invalidRequest, "auth_session or login_method is required")
        case (_?, _?): throw OAuthError(.invalidRequest, "auth_session and login_method cannot be combined")
        }
        merchantID = try form.value("merchant_id")
        properties = try Self.properties(form)
        requestedAttributes = try form.words("requested_attributes")
        acrValues = try form.words("acr_values", maximum: 8)
    }

    private static func properties(_ form: FormParameters) throws(OAuthError) -> [String: String] {
        guard let text = form["properties"] else { return [:] }
        func refuse(_ reason: String, member: String? = nil) -> OAuthError {
            let name = member.flatMap { MalformedValue.plainName($0) }.map { ".\($0)" } ?? ""
            return OAuthError(MalformedValue(field: "properties\(name)", reason: reason))
        }
        let object: JSONObject
        do {
            object = try JSONValue.object(parsing: Array(text.utf8), limits: JSONLimits(bytes: 8192, depth: 1))
        } catch { throw refuse(error.reason) }
        guard object.members.count <= maximumProperties else {
            throw refuse("has more than \(maximumProperties) members")
        }
        var properties: [String: String] = [:]
        for member in object.members {
            if let reason = TextRule.printable(member.name, 1...64) { throw refuse("has a name that \(reason)") }
            guard let text = member.value.string else {
                let fault = MalformedValue(field: "properties", member.value, expected: "a string")
                throw refuse(fault.reason, member: member.name)
            }
            if let reason = TextRule.printable(text, 0...256) { throw refuse(reason, member: member.name) }
            properties[member.name] = text
        }
        return properties
    }

    /// The body's parameters.
    public var form: FormParameters {
        var form = FormParameters()
        form.append("client_id", clientID)
        if let scope, !scope.isEmpty { form.append("scope", scope) }
        form.append("code_challenge", codeChallenge)
        form.append("code_challenge_method", CodeChallenge.method)
        form.append("merchant_id", step.chosenMerchant ?? merchantID)
        switch step {
        case .begin(let method):
            form.append("login_method", method.name)
            method.add(to: &form)
        case .proceed(let session, let continuation):
            form.append(secret: session)
            continuation.add(to: &form)
        }
        if !properties.isEmpty {
            form.append("properties", JSONValue.object(JSONObject(strings: properties)).text)
        }
        form.append("requested_attributes", words: requestedAttributes)
        form.append("acr_values", words: acrValues)
        return form
    }
}

extension AuthorizeChallengeRequest.Step {
    fileprivate var chosenMerchant: MerchantID? {
        if case .proceed(_, .chooseMerchant(let merchant)) = self { merchant } else { nil }
    }
}

extension LoginMethod {
    fileprivate init(_ name: Name, form: FormParameters) throws(OAuthError) {
        switch name {
        case .password: self = .password(try PasswordLogin(form: form))
        case .pin:
            self = .pin(
                PINLogin(
                    deviceID: try form.required("device_id"), assertion: try form.requiredSecret("pin_assertion")))
        case .accountPIN: self = .accountPIN(try AccountPINLogin(form: form))
        case .nonce: self = .nonce(try NonceLogin(form: form))
        case .deviceToken: self = .deviceToken(try DeviceTokenLogin(form: form))
        case .federatedIdentity: self = .federatedIdentity(try FederatedLogin(form: form))
        case .recovery: self = .recovery(try RecoveryLogin(form: form))
        case .passkey: self = .passkey(try PasskeyLogin(form: form))
        }
    }

    fileprivate func add(to form: inout FormParameters) {
        switch self {
        case .password(let login):
            form.append("username", login.username)
            form.append(secret: login.password)
            form.append(device: login.deviceID, login.deviceProof)
        case .pin(let login):
            form.append("device_id", login.deviceID)
            form.append("pin_assertion", secret: login.assertion)
        case .accountPIN(let login): login.add(to: &form)
        case .nonce(let login): login.add(to: &form)
        case .deviceToken(let login): login.add(to: &form)
        case .federatedIdentity(let login): login.add(to: &form)
        case .recovery(let login):
            form.append("username", login.username)
            form.append(device: login.deviceID, login.deviceProof)
        case .passkey(let login): login.add(to: &form)
        }
    }
}

extension PasskeyLogin {
    fileprivate init(form: FormParameters) throws(OAuthError) {
        guard let assertion = try form.passkey("assertion") else {
            throw OAuthError(.invalidRequest, "assertion is missing")
        }
        self.init(assertion: assertion)
        if form["username"] != nil { username = try form.username() }
        (deviceID, deviceProof) = try form.device()
    }

    fileprivate func add(to form: inout FormParameters) {
        form.append("assertion", assertion.text)
        form.append("username", username)
        form.append(device: deviceID, deviceProof)
    }
}

extension FormParameters {
    /// A passkey's response; `nil` if the parameter is absent.
    fileprivate func passkey(_ name: String) throws(OAuthError) -> PasskeyAssertionResponse? {
        guard let text = self[name] else { return nil }
        do { return try PasskeyAssertionResponse(text: text) } catch {
            throw OAuthError(MalformedValue(field: name, reason: "is no response of a passkey"))
        }
    }
}

extension RecoveryLogin {
    fileprivate init(form: FormParameters) throws(OAuthError) {
        username = try form.required("username")
        (deviceID, deviceProof) = try form.device()
    }
}

extension PasswordLogin {
    fileprivate init(form: FormParameters) throws(OAuthError) {
        username = try form.username()
        password = try form.requiredSecret()
        (deviceID, deviceProof) = try form.device()
    }
}

extension Continuation {
    fileprivate init(form: FormParameters) throws(OAuthError) {
        var (found, known): ([(parameter: String, step: Continuation)], [String]) = ([], [])
        func add(_ parameter: String, _ step: Continuation?) {
            known.append(parameter)
            if let step { found.append((parameter, step)) }
        }
        add("new_password", try form.secret("new_password").map { .newPassword($0) })
        add("resend_email", try form.flag("resend_email") ? .resendEmail : nil)
        add("resend_app_instance_code", try form.flag("resend_app_instance_code") ? .resendAppInstanceCode : nil)
        add("app_instance_code", try form.secret("app_instance_code").map { .appInstanceCode($0) })
        add("email_code", try form.secret("email_code").map { .emailCode($0) })
        let token: MFAToken? = try form.secret("mfa_token")
        add(
            "mfa_token",
            try token.map { (token) throws(OAuthError) in .mfa(token, answer: try form.requiredSecret("mfa_answer")) })
        add("mfa_method", try Self.chosenFactor(form).map { .chooseFactor($0) })
        add("resend_mfa", try form.flag("resend_mfa") ? .resendFactor : nil)
        add("passkey_assertion", try form.passkey("passkey_assertion").map { .passkey($0) })
        add("recovery_answer", try form.secret("recovery_answer").map { .recoveryAnswer($0) })
        add("resend_recovery", try form.flag("resend_recovery") ? .resendRecovery : nil)
        // Every step may name the merchant; a step with nothing else chooses it.
        if found.isEmpty { add("merchant_id", try form.value("merchant_id").map { .chooseMerchant($0) }) }
        guard let only = found.first else {
            throw OAuthError(.invalidRequest, "auth_session requires one of \(known.joined(separator: ", "))")
        }
        guard found.count == 1 else {
            let sent = found.map(\.parameter).joined(separator: ", ")
            throw OAuthError(.invalidRequest, "only one of these can be sent at a time: \(sent)")
        }
        self = only.step
    }

    private static func chosenFactor(_ form: FormParameters) throws(OAuthError) -> FactorKind? {
        guard let method = form["mfa_method"] else { return nil }
        if let kind = FactorKind(method: method, channel: form["mfa_channel"]) { return kind }
        let channels = FactorKind.allCases.filter { $0.method == method }.compactMap(\.channel)
        let methods = FactorKind.allCases.map(\.method).reduce(into: [String]()) { known, method in
            if !known.contains(method) { known.append(method) }
        }
        throw OAuthError(
            .invalidRequest,
            !methods.contains(method)
                ? "mfa_method is not one of \(methods.joined(separator: ", "))"
                : channels.isEmpty
                    ? "mfa_channel does not go with mfa_method \(method)"
                    : "mfa_channel is not one of \(channels.joined(separator: ", "))")
    }

    fileprivate func add(to form: inout FormParameters) {
        switch self {
        case .newPassword(let password): form.append("new_password", secret: password)
        case .resendEmail: form.append("resend_email", "true")
        case .emailCode(let code): form.append(secret: code)
        case .appInstanceCode(let code): form.append("app_instance_code", secret: code)
        case .resendAppInstanceCode: form.append("resend_app_instance_code", "true")
        case .mfa(let token, let answer):
            form.append(secret: token)
            form.append("mfa_answer", secret: answer)
        case .chooseFactor(let kind):
            form.append("mfa_method", kind.method)
            form.append("mfa_channel", kind.channel)
        case .resendFactor: form.append("resend_mfa", "true")
        case .passkey(let assertion): form.append("passkey_assertion", assertion.text)
        case .recoveryAnswer(let code): form.append("recovery_answer", secret: code)
        case .resendRecovery: form.append("resend_recovery", "true")
        // Already in the form, as the request's own merchant.
        case .chooseMerchant: break
        }
    }
}

extension OAuthError {
    /// The only answer to wrong, unknown and spent credentials.
    /// - Parameter operation: the operation, which determines the number.
    public static func invalidCredentials(during operation: ErrorCode.Operation = .other) -> OAuthError {
        OAuthError(.invalidGrant, "the credentials are incorrect", errorCode: .invalidCredentials, during: operation)
    }
}

extension AuthorizeChallengeRequest: WireShaped {
    /// The parameters of every way to begin, and of every step after it.
    public static let shape = WireShape.answer(
        AuthorizeChallengeRequest.self,
        [
            .required("client_id", .of(ClientID.self)), .optional("scope", .of(Scope.self)),
            .required("code_challenge", .of(CodeChallenge.self)),
            .required("code_challenge_method", .choice([CodeChallenge.method])),
            .optional("merchant_id", .of(MerchantID.self)), .optional("properties", .text(nil)),
            .optional("requested_attributes", .text(nil)), .optional("acr_values", .text(nil)),
            .optional("login_method", .choice(LoginMethod.Name.allCases.map(\.rawValue))),
            .optional("username", .of(Username.self)), .optional("password", .of(Password.self)),
            .optional("device_id", .of(DeviceID.self)), .optional("device_proof", .of(DeviceProof.self)),
            .optional("pin_assertion", .of(SignedAssertion.self)), .optional("account_pin", .text(nil)),
            .optional("login_nonce", .of(LoginNonce.self)), .optional("login_purpose", .of(LoginPurpose.self)),
            .optional("provider", .of(ProviderID.self)), .optional("authorization_code", .of(AuthorizationCode.self)),
            .optional("redirect_uri", .text(nil)), .optional("code_verifier", .of(CodeVerifier.self)),
            .optional("challenge_id", .of(ChallengeID.self)), .optional("id_token", .of(IDToken.self)),
            .optional("device_token", .of(DeviceAuthenticationToken.self)),
            .optional("device_assertion", .of(SignedAssertion.self)), .optional("assertion", .text(nil)),
            .optional("auth_session", .of(AuthSession.self)),
        ] + Continuation.members)
}

extension Continuation {
    fileprivate static let members: [WireObject.Member] =
        [
            .optional("new_password", .of(Password.self)), .optional("app_instance_code", .of(OneTimeCode.self)),
            .optional("email_code", .of(EmailCode.self)), .optional("mfa_token", .of(MFAToken.self)),
            .optional("mfa_answer", .text(.printable(1...8192))), .optional("mfa_method", .text(nil)),
            .optional("mfa_channel", .text(nil)), .optional("passkey_assertion", .text(nil)),
            .optional("recovery_answer", .of(OneTimeCode.self)),
        ]
        + ["resend_email", "resend_app_instance_code", "resend_mfa", "resend_recovery"].map {
            .optional($0, .choice(["true"]))
        }
}
