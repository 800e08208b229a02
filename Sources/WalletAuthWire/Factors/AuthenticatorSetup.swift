/// The setup of an authenticator app (`POST /v1/account/totp`). It is returned only once.
public struct AuthenticatorSetup: WireMessage {
    /// The shared secret in Base32, for typing in.
    public var secret: AuthenticatorSecret
    /// The same as a URI, which authenticator apps read from a QR code or a link. It is as secret as the secret itself.
    public var uri: AuthenticatorURI
    /// The time limit for ``AuthenticatorConfirmation`` in seconds.
    public var expiresIn: Int64

    /// Creates a value. Each parameter sets the property of the same name.
    public init(secret: AuthenticatorSecret, uri: AuthenticatorURI, expiresIn: Int64) {
        self.secret = secret
        self.uri = uri
        self.expiresIn = expiresIn
    }

    enum CodingKeys: String, CodingKey {
        case secret
        case uri = "otpauthUri"
        case expiresIn
    }
}

/// Confirms the setup of an authenticator app (`POST /v1/account/totp/confirm`).
public struct AuthenticatorConfirmation: WireRequest {
    /// The code that the app shows.
    public var code: OneTimeCode

    /// Creates a confirmation.
    /// - Parameter code: the code that the app shows.
    public init(code: OneTimeCode) {
        self.code = code
    }
}

/// The shared secret of an authenticator app, in Base32.
public typealias AuthenticatorSecret = Secret<SecretKinds.AuthenticatorSecret>
/// An `otpauth` URI, which holds the shared secret.
public typealias AuthenticatorURI = Secret<SecretKinds.AuthenticatorURI>
/// A recovery code, which a person keeps for when no other factor is at hand.
public typealias RecoveryCode = Secret<SecretKinds.RecoveryCode>

extension SecretKinds {
    /// ``WalletAuthWire/AuthenticatorSecret``.
    public enum AuthenticatorSecret: SecretKind {
        /// `secret`.
        public static let field = "secret"
        /// Base32 of limited length.
        public static var form: TextForm { .visible(16...128) }
    }
    /// ``WalletAuthWire/AuthenticatorURI``.
    public enum AuthenticatorURI: SecretKind {
        /// `otpauthUri`.
        public static let field = "otpauthUri"
        /// A URI of limited length.
        public static var form: TextForm { .visible(1...2048) }
    }
    /// ``WalletAuthWire/RecoveryCode``.
    public enum RecoveryCode: SecretKind {
        /// `code`.
        public static let field = "code"
        /// Short, because people type it.
        public static var form: TextForm { .visible(1...64, spaces: true) }
    }
}
