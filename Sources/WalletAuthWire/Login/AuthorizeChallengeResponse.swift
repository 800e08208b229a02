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
        /// `secret_question`, `otp`, `totp`, `passkey`; more may come.
        public var method: String
        /// The question, where there is one.
        public var question: String?
        /// How a code was sent: `SMS`, `EMAIL`.
        public var channel: String?
        /// Where it was sent, with most of it hidden.
        public var destination: String?

        /// Names a factor.
        /// - Parameters:
        ///   - token: names the open factor.
        ///   - method: what is asked for.
        ///   - question: the question.
        ///   - channel: how a code was sent.
        ///   - destination: where it was sent.
        public init(
            token: MFAToken, method: String, question: String? = nil, channel: String? = nil, destination: String? = nil
        ) {
            self.token = token
            self.method = method
            self.question = question
            self.channel = channel
            self.destination = destination
        }
    }

    /// The error, with our own code.
    public let error: OAuthError
    /// What the next step must bring along; nil where there is no next step.
    public let authSession: AuthSession?
    /// The second factor, where one is asked for.
    public let secondFactor: SecondFactor?

    /// Makes an answer.
    /// - Parameters:
    ///   - error: the error.
    ///   - authSession: what the next step must bring along.
    ///   - secondFactor: the second factor.
    public init(_ error: OAuthError, authSession: AuthSession? = nil, secondFactor: SecondFactor? = nil) {
        self.error = error
        self.authSession = authSession
        self.secondFactor = secondFactor
    }

    /// Reads an answer.
    /// - Parameter object: the body.
    public init(_ object: JSONObject) throws(MalformedValue) {
        error = try OAuthError(object)
        authSession = try object.secret("auth_session")
        guard let mfa = object["mfa"]?.object else {
            secondFactor = nil
            return
        }
        secondFactor = SecondFactor(
            token: try mfa.required("token", mfa.secret("token")),
            method: try mfa.required("method", mfa.string("method")),
            question: try mfa.string("question"), channel: try mfa.string("channel"),
            destination: try mfa.string("destination"))
    }

    /// The body.
    public var json: JSONObject {
        var object = error.json
        object.set("auth_session", authSession?.reveal())
        if let secondFactor {
            var mfa = JSONObject()
            mfa.set("token", secondFactor.token.reveal())
            mfa.set("method", secondFactor.method)
            mfa.set("question", secondFactor.question)
            mfa.set("channel", secondFactor.channel)
            mfa.set("destination", secondFactor.destination)
            object["mfa"] = .object(mfa)
        }
        return object
    }
}
