/// What an authenticator app has to be told (`POST /v1/account/totp`). It is told once.
public struct AuthenticatorSetup: Hashable, Sendable {
    /// The shared secret in Base32, for typing in.
    public var secret: AuthenticatorSecret
    /// The same as a URI that authenticator apps read from a QR code or a link. As secret as the secret.
    public var uri: AuthenticatorURI
    /// Seconds in which ``AuthenticatorConfirmation`` has to follow.
    public var expiresIn: Int64

    /// Each parameter is the property of its name.
    public init(secret: AuthenticatorSecret, uri: AuthenticatorURI, expiresIn: Int64) {
        self.secret = secret
        self.uri = uri
        self.expiresIn = expiresIn
    }

    /// Reads an answer.
    /// - Parameter object: the body.
    public init(_ object: JSONObject) throws(MalformedValue) {
        secret = try object.required("secret", object.secret("secret"))
        uri = try object.required("otpauthUri", object.secret("otpauthUri"))
        expiresIn = try object.required("expiresIn", object.integer("expiresIn"))
    }

    /// The answer's JSON.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("secret", secret.reveal())
        object.set("otpauthUri", uri.reveal())
        object.set("expiresIn", expiresIn)
        return object
    }
}

/// Shows that the authenticator app was told (`POST /v1/account/totp/confirm`).
public struct AuthenticatorConfirmation: Hashable, Sendable {
    /// The code that the app shows.
    public var code: OneTimeCode

    /// - Parameter code: the code that the app shows.
    public init(code: OneTimeCode) {
        self.code = code
    }

    /// Reads a request's JSON. Members that are not known are refused.
    /// - Parameter object: the body.
    public init(_ object: JSONObject) throws(MalformedValue) {
        try object.refuseMembers(otherThan: ["code"])
        code = try object.required("code", object.secret("code"))
    }

    /// The request's JSON.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("code", code.reveal())
        return object
    }
}

/// The shared secret of an authenticator app, in Base32.
public typealias AuthenticatorSecret = Secret<SecretKinds.AuthenticatorSecret>
/// An `otpauth` URI, which holds the shared secret.
public typealias AuthenticatorURI = Secret<SecretKinds.AuthenticatorURI>
/// One of the codes that a person keeps for the day when nothing else is at hand.
public typealias RecoveryCode = Secret<SecretKinds.RecoveryCode>

extension SecretKinds {
    /// ``WalletAuthWire/AuthenticatorSecret``.
    public enum AuthenticatorSecret: SecretKind {
        /// `secret`.
        public static let field = "secret"
        /// Base32 of some length.
        public static func fault(in text: String) -> String? { TextRule.visible(text, 16...128) }
    }
    /// ``WalletAuthWire/AuthenticatorURI``.
    public enum AuthenticatorURI: SecretKind {
        /// `otpauthUri`.
        public static let field = "otpauthUri"
        /// A URI of some length.
        public static func fault(in text: String) -> String? { TextRule.visible(text, 1...2048) }
    }
    /// ``WalletAuthWire/RecoveryCode``.
    public enum RecoveryCode: SecretKind {
        /// `code`.
        public static let field = "code"
        /// Short, since people type it.
        public static func fault(in text: String) -> String? { TextRule.visible(text, 1...64, from: 0x20) }
    }
}
