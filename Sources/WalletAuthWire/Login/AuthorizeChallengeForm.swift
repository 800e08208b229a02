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
        codeChallenge = try form.required("code_challenge")
        guard form["code_challenge_method"] == CodeChallenge.method else {
            throw OAuthError(.invalidRequest, "code_challenge_method is not S256")
        }
        let session: AuthSession? = try form.secret()
        switch (session, form["login_method"]) {
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
        let malformed = OAuthError(.invalidRequest, "properties is not a JSON object of at most 16 short strings")
        guard let object = try? JSONValue.object(parsing: Array(text.utf8), limits: JSONLimits(bytes: 8192, depth: 1)),
            object.members.count <= maximumProperties
        else { throw malformed }
        var properties: [String: String] = [:]
        for member in object.members {
            guard let value = member.value.string, TextRule.printable(member.name, 1...64) == nil,
                TextRule.printable(value, 0...256) == nil
            else { throw malformed }
            properties[member.name] = value
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
    fileprivate init(_ name: String, form: FormParameters) throws(OAuthError) {
        switch name {
        case "password": self = .password(try PasswordLogin(form: form))
        case "pin":
            self = .pin(
                PINLogin(
                    deviceID: try form.required("device_id"), assertion: try form.requiredSecret("pin_assertion")))
        case "account_pin": self = .accountPIN(try AccountPINLogin(form: form))
        case "nonce": self = .nonce(try NonceLogin(form: form))
        case "device_token": self = .deviceToken(try DeviceTokenLogin(form: form))
        case "federated_identity": self = .federatedIdentity(try FederatedLogin(form: form))
        case "recovery": self = .recovery(try RecoveryLogin(form: form))
        default: throw OAuthError(.invalidRequest, "login_method is unknown")
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
        var found: [Continuation] = []
        if let password: Password = try form.secret("new_password") { found.append(.newPassword(password)) }
        if try form.flag("resend_email") { found.append(.resendEmail) }
        if try form.flag("resend_app_instance_code") { found.append(.resendAppInstanceCode) }
        if let code: OneTimeCode = try form.secret("app_instance_code") { found.append(.appInstanceCode(code)) }
        if let code: EmailCode = try form.secret() { found.append(.emailCode(code)) }
        if let token: MFAToken = try form.secret() {
            found.append(.mfa(token, answer: try form.requiredSecret("mfa_answer")))
        }
        if let method = form["mfa_method"] {
            guard let kind = FactorKind(method: method, channel: form["mfa_channel"]) else {
                throw OAuthError(.invalidRequest, "mfa_method and mfa_channel do not name a known factor")
            }
            found.append(.chooseFactor(kind))
        }
        if try form.flag("resend_mfa") { found.append(.resendFactor) }
        if let code: OneTimeCode = try form.secret("recovery_answer") { found.append(.recoveryAnswer(code)) }
        if try form.flag("resend_recovery") { found.append(.resendRecovery) }
        // Every step may name the merchant; a step with nothing else chooses it.
        if found.isEmpty, let merchant: MerchantID = try form.value("merchant_id") {
            found.append(.chooseMerchant(merchant))
        }
        guard let only = found.first, found.count == 1 else {
            throw OAuthError(.invalidRequest, "exactly one continuation of the auth_session is required")
        }
        self = only
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
