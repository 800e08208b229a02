/// The end of a native sign-in: a code for the token endpoint.
public struct AuthorizeChallengeResponse: Hashable, Sendable {
    /// The code, to be redeemed once with the verifier.
    public let authorizationCode: AuthorizationCode
    /// Attributes for the app, such as `last_login`.
    public let additionalAttributes: JSONObject

    /// Creates an answer.
    /// - Parameters:
    ///   - authorizationCode: the code.
    ///   - additionalAttributes: attributes for the app.
    public init(authorizationCode: AuthorizationCode, additionalAttributes: JSONObject = JSONObject()) {
        self.authorizationCode = authorizationCode
        self.additionalAttributes = additionalAttributes
    }

    /// Reads an answer.
    /// - Parameter object: the body.
    public init(_ object: JSONObject) throws(MalformedValue) {
        authorizationCode = try object.required("authorization_code", object.secret("authorization_code"))
        additionalAttributes = object["additional_attributes"]?.object ?? JSONObject()
    }

    /// The body.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("authorization_code", authorizationCode.reveal())
        if !additionalAttributes.isEmpty { object["additional_attributes"] = .object(additionalAttributes) }
        return object
    }
}

/// An unfinished native sign-in: the reason, and how to continue.
public struct InsufficientAuthorization: Error, Hashable, Sendable {
    /// A required second factor.
    public struct SecondFactor: WireMessage {
        /// Identifies the open factor.
        public var token: MFAToken
        /// `secret_question`, `otp`, `totp`, `recovery_code`; more may be added.
        public var method: String
        /// The question, if there is one.
        public var question: String?
        /// The channel of a code: `SMS`, `EMAIL`.
        public var channel: String?
        /// The masked destination of a code.
        public var destination: String?
        /// Seconds until a code can be sent again; nil if none can be, or the method sends none.
        public var resendAfter: Int64?
        /// Whether a code is on its way, if the method sends one: false if too many were sent recently.
        public var isCodeSent = true
        /// Whether this step sent a code; nil if the method sends none. A code sent before is still valid.
        public var sent: Bool?
        /// The factors that the person may use instead.
        public var alternatives: [Alternative]

        /// Another factor of the account, to be chosen with `mfa_method` and `mfa_channel`.
        public struct Alternative: WireMessage, WireAlternative {
            /// The method.
            public var method: String
            /// The channel of its code.
            public var channel: String?
            /// The masked destination of its code.
            public var destination: String?

            /// Creates a value. Each parameter sets the property of the same name.
            public init(method: String, channel: String? = nil, destination: String? = nil) {
                self.method = method
                self.channel = channel
                self.destination = destination
            }

            /// Leaves out a destination that would steer the screen.
            public mutating func validate() throws(MalformedValue) {
                destination = ShownText.destination(destination)
            }
        }

        /// Creates a second factor.
        /// - Parameters:
        ///   - token: identifies the open factor.
        ///   - method: the method.
        ///   - question: the question.
        ///   - channel: the channel of a code.
        ///   - destination: the masked destination of a code.
        ///   - resendAfter: seconds until a code can be sent again.
        ///   - alternatives: the factors that the person may use instead.
        public init(
            token: MFAToken, method: String, question: String? = nil, channel: String? = nil,
            destination: String? = nil, resendAfter: Int64? = nil, alternatives: [Alternative] = []
        ) {
            self.token = token
            self.method = method
            self.question = question
            self.channel = channel
            self.destination = destination
            self.resendAfter = resendAfter
            self.alternatives = alternatives
        }

        enum CodingKeys: String, CodingKey {
            case token, method, question, channel, destination
            case resendAfter = "resend_after"
            case isCodeSent = "code_sent"
            case sent, alternatives
        }

        /// A code is sent unless the answer says otherwise, and there may be no other factor.
        public static var defaults: [String: JSONValue] { ["code_sent": true, "alternatives": []] }

        /// Leaves out a destination that would steer the screen.
        public mutating func validate() throws(MalformedValue) {
            destination = ShownText.destination(destination)
        }
    }

    /// The error, with our own code.
    public let error: OAuthError
    /// The session that the next step must repeat; nil if there is no next step.
    public let authSession: AuthSession?
    /// The required second factor, if any.
    public let secondFactor: SecondFactor?
    /// The code of a recovery, if one is required.
    public let recovery: RecoveryPrompt?
    /// The merchants to choose from, after `merchant_required`; empty otherwise.
    public let merchants: [Merchant]
    /// The sending of the code that confirms an e-mail address or an installation.
    public let sentCode: CodeSending?

    /// Creates an answer.
    /// - Parameters:
    ///   - error: the error.
    ///   - authSession: the session that the next step must repeat.
    ///   - secondFactor: the second factor.
    ///   - recovery: the code of a recovery.
    ///   - merchants: the merchants to choose from.
    ///   - sentCode: the sending of the code that confirms an e-mail address or an installation.
    public init(
        _ error: OAuthError, authSession: AuthSession? = nil, secondFactor: SecondFactor? = nil,
        recovery: RecoveryPrompt? = nil, merchants: [Merchant] = [], sentCode: CodeSending? = nil
    ) {
        self.error = error
        self.authSession = authSession
        self.secondFactor = secondFactor
        self.recovery = recovery
        self.merchants = merchants
        self.sentCode = sentCode
    }

    /// Reads an answer.
    /// - Parameter object: the body.
    public init(_ object: JSONObject) throws(MalformedValue) {
        error = try OAuthError(object)
        authSession = try object.secret("auth_session")
        recovery = try object["recovery"]?.object.map { member throws(MalformedValue) in try RecoveryPrompt(member) }
        // An entry of unknown form is no reason to refuse the others.
        merchants = (object["merchants"]?.array ?? []).compactMap { $0.object.flatMap { try? Merchant($0) } }
        sentCode = try object["sent_code"]?.object.map { member throws(MalformedValue) in try CodeSending(member) }
        guard let mfa = object["mfa"]?.object else {
            secondFactor = nil
            return
        }
        secondFactor = try SecondFactor(mfa)
    }

    /// The body.
    public var json: JSONObject {
        var object = error.json
        object.set("auth_session", authSession?.reveal())
        if let secondFactor { object["mfa"] = .object(secondFactor.json) }
        if let recovery { object["recovery"] = .object(recovery.json) }
        if !merchants.isEmpty { object["merchants"] = .array(merchants.map { .object($0.json) }) }
        if let sentCode { object["sent_code"] = .object(sentCode.json) }
        return object
    }
}

extension AuthorizeChallengeResponse: WireShaped {
    /// Its members.
    public static let shape = WireShape.answer(
        AuthorizeChallengeResponse.self,
        [
            .required("authorization_code", .of(AuthorizationCode.self)),
            .optional("additional_attributes", .names(.anything)),
        ])
}

extension InsufficientAuthorization: WireShaped {
    /// The members of the error, and how to continue.
    public static let shape = WireShape.answer(
        InsufficientAuthorization.self,
        OAuthError.shape.members + [
            .optional("auth_session", .of(AuthSession.self)), .optional("mfa", SecondFactor.shape),
            .optional("recovery", RecoveryPrompt.shape), .optional("merchants", .array(Merchant.shape)),
            .optional("sent_code", CodeSending.shape),
        ])
}
