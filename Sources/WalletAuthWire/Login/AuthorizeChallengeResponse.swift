/// The end of a native sign-in: a code for the token endpoint.
public struct AuthorizeChallengeResponse: Hashable, Sendable {
    /// The code, to be redeemed once with the verifier.
    public let authorizationCode: AuthorizationCode
    /// What the app may show, such as `last_login`.
    public let additionalAttributes: JSONObject

    /// Makes an answer.
    /// - Parameters:
    ///   - authorizationCode: the code.
    ///   - additionalAttributes: what the app may show.
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

/// A native sign-in that is not at its end: why, and how it can go on.
public struct InsufficientAuthorization: Error, Hashable, Sendable {
    /// A second factor that is asked for.
    public struct SecondFactor: Hashable, Sendable {
        /// Names the open factor.
        public var token: MFAToken
        /// `secret_question`, `otp`, `totp`, `recovery_code`; more may come.
        public var method: String
        /// The question, where there is one.
        public var question: String?
        /// How a code was sent: `SMS`, `EMAIL`.
        public var channel: String?
        /// Where it was sent, with most of it hidden.
        public var destination: String?
        /// Seconds until a code can be sent again; nil where none can be, or the method sends none.
        public var resendAfter: Int64?
        /// Whether a code is on its way, where the method sends one: false where too many were sent lately.
        public var isCodeSent = true
        /// Whether this step had a code sent; nil where the method sends none. A code that was sent before still counts.
        public var sent: Bool?
        /// What the person may use instead.
        public var alternatives: [Alternative]

        /// Another factor of the account, to be chosen by `mfa_method` and `mfa_channel`.
        public struct Alternative: Hashable, Sendable {
            /// The method.
            public var method: String
            /// How its code would be sent.
            public var channel: String?
            /// Where to, with most of it hidden.
            public var destination: String?

            /// Each parameter is the property of its name.
            public init(method: String, channel: String? = nil, destination: String? = nil) {
                self.method = method
                self.channel = channel
                self.destination = destination
            }
        }

        /// Names a factor.
        /// - Parameters:
        ///   - token: names the open factor.
        ///   - method: what is asked for.
        ///   - question: the question.
        ///   - channel: how a code was sent.
        ///   - destination: where it was sent.
        ///   - resendAfter: seconds until a code can be sent again.
        ///   - alternatives: what the person may use instead.
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
    }

    /// The error, with our own code.
    public let error: OAuthError
    /// What the next step must bring along; nil where there is no next step.
    public let authSession: AuthSession?
    /// The second factor, where one is asked for.
    public let secondFactor: SecondFactor?
    /// The code of a recovery, where one is asked for.
    public let recovery: RecoveryPrompt?
    /// The merchants to choose from, after `merchant_required`; empty otherwise.
    public let merchants: [Merchant]
    /// What became of the code that confirms an e-mail address or an installation.
    public let sentCode: CodeSending?

    /// Makes an answer.
    /// - Parameters:
    ///   - error: the error.
    ///   - authSession: what the next step must bring along.
    ///   - secondFactor: the second factor.
    ///   - recovery: the code of a recovery.
    ///   - merchants: the merchants to choose from.
    ///   - sentCode: what became of the code that confirms an e-mail address or an installation.
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
        // One that is told in a way not known here is no reason to refuse the others.
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

extension InsufficientAuthorization.SecondFactor {
    /// Reads the `mfa` member.
    /// - Parameter object: its members.
    public init(_ object: JSONObject) throws(MalformedValue) {
        token = try object.required("token", object.secret("token"))
        method = try object.required("method", object.string("method"))
        question = try object.string("question")
        channel = try object.string("channel")
        destination = ShownText.destination(try object.string("destination"))
        resendAfter = try object.integer("resend_after")
        isCodeSent = try object.bool("code_sent") ?? true
        sent = try object.bool("sent")
        // One that is told in a way not known here is no reason to refuse the others.
        alternatives = (object["alternatives"]?.array ?? []).compactMap { entry in
            guard let entry = entry.object, let method = entry["method"]?.string else { return nil }
            return Alternative(
                method: method, channel: entry["channel"]?.string,
                destination: ShownText.destination(entry["destination"]?.string))
        }
    }

    /// The `mfa` member.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("token", token.reveal())
        object.set("method", method)
        object.set("question", question)
        object.set("channel", channel)
        object.set("destination", destination)
        object.set("resend_after", resendAfter)
        if !isCodeSent { object["code_sent"] = .bool(false) }
        object.set("sent", sent)
        if !alternatives.isEmpty {
            object["alternatives"] = .array(
                alternatives.map { alternative in
                    var entry = JSONObject()
                    entry.set("method", alternative.method)
                    entry.set("channel", alternative.channel)
                    entry.set("destination", alternative.destination)
                    return .object(entry)
                })
        }
        return object
    }
}
