/// An OAuth 2.0 access token (RFC 6749 §1.4).
public typealias AccessToken = Secret<SecretKinds.AccessToken>
/// An OAuth 2.0 refresh token (RFC 6749 §1.5).
public typealias RefreshToken = Secret<SecretKinds.RefreshToken>
/// An authorization code (RFC 6749 §4.1.2).
public typealias AuthorizationCode = Secret<SecretKinds.AuthorizationCode>
/// What a device polls the token endpoint with while its holder decides (RFC 8628 §3.2).
public typealias DeviceCode = Secret<SecretKinds.DeviceCode>
/// What a client asks for tokens with while a person decides on their phone (OpenID CIBA Core 1.0 §7.3).
public typealias AuthenticationRequestID = Secret<SecretKinds.AuthenticationRequestID>
/// The bearer token of the server's notification to a client (OpenID CIBA Core 1.0 §7.1).
public typealias ClientNotificationToken = Secret<SecretKinds.ClientNotificationToken>
/// An OpenID Connect ID token in its compact form (OpenID Connect Core §2).
public typealias IDToken = Secret<SecretKinds.IDToken>
/// A person's password: 1 to 1024 bytes of Unicode without control characters, as typed.
public typealias Password = Secret<SecretKinds.Password>
/// A confidential client's secret (RFC 6749 §2.3.1).
public typealias ClientSecret = Secret<SecretKinds.ClientSecret>
/// A client's signed assertion for `private_key_jwt` (RFC 7523 §2.2).
public typealias ClientAssertion = Secret<SecretKinds.ClientAssertion>
/// An attester's signed word about the key of an app's instance (draft-ietf-oauth-attestation-based-client-auth-11 §4).
public typealias ClientAttestation = Secret<SecretKinds.ClientAttestation>
/// The session that ties the steps of one native sign-in together (OAuth 2.0 for First-Party Applications §5.3.1).
public typealias AuthSession = Secret<SecretKinds.AuthSession>
/// Identifies an open second factor of a native sign-in.
public typealias MFAToken = Secret<SecretKinds.MFAToken>
/// A one-time token with which a confidential client lets a person's app sign in.
public typealias LoginNonce = Secret<SecretKinds.LoginNonce>
/// The token of a long-lived session on a device. It signs in together with the device's key and a factor, never alone.
public typealias DeviceAuthenticationToken = Secret<SecretKinds.DeviceAuthenticationToken>
/// A one-time code sent by e-mail, as typed.
public typealias EmailCode = Secret<SecretKinds.EmailCode>
/// A one-time code that was sent to a person, as typed.
public typealias OneTimeCode = Secret<SecretKinds.OneTimeCode>
/// The address of one app on one device at a platform's push service.
public typealias PushToken = Secret<SecretKinds.PushToken>
/// A compact JWS by a device's key that identifies the device at a native sign-in.
public typealias DeviceProof = Secret<SecretKinds.DeviceProof>
/// An access or refresh token sent for revocation or introspection, of unknown kind.
public typealias PresentedToken = Secret<SecretKinds.PresentedToken>
/// The SDK's identifier of one refresh, kept across its repetitions: base64url of 16 random bytes.
public typealias RefreshAttempt = Secret<SecretKinds.RefreshAttempt>

/// The kinds of secrets.
public enum SecretKinds {
    /// ``WalletAuthWire/AccessToken``.
    public enum AccessToken: SecretKind {
        /// `access_token`.
        public static let field = "access_token"
        /// Tokens with a person's groups and claims far exceed the usual size.
        public static var form: TextForm { .visible(1...65_536) }
    }
    /// ``WalletAuthWire/RefreshToken``.
    public enum RefreshToken: SecretKind {
        /// `refresh_token`.
        public static let field = "refresh_token"
        /// RFC 6749 appendix A.17: visible characters and the space.
        public static var form: TextForm { .visible(1...65_536, spaces: true) }
    }
    /// ``WalletAuthWire/AuthorizationCode``.
    public enum AuthorizationCode: SecretKind {
        /// `code`.
        public static let field = "code"
        /// RFC 6749 appendix A.11: visible characters and the space.
        public static var form: TextForm { .visible(1...8192, spaces: true) }
    }
    /// ``WalletAuthWire/DeviceCode``.
    public enum DeviceCode: SecretKind {
        /// `device_code`.
        public static let field = "device_code"
        /// Visible characters.
        public static var form: TextForm { .visible(1...8192) }
    }
    /// ``WalletAuthWire/AuthenticationRequestID``.
    public enum AuthenticationRequestID: SecretKind {
        /// `auth_req_id`.
        public static let field = "auth_req_id"
        /// Visible characters.
        public static var form: TextForm { .visible(1...1024) }
    }
    /// ``WalletAuthWire/ClientNotificationToken``.
    public enum ClientNotificationToken: SecretKind {
        /// `client_notification_token`.
        public static let field = "client_notification_token"
        /// Visible characters, at least what 128 bits need.
        public static var form: TextForm { .visible(22...1024) }
    }
    /// ``WalletAuthWire/IDToken``.
    public enum IDToken: SecretKind {
        /// `id_token`.
        public static let field = "id_token"
        /// As long as an access token may be.
        public static var form: TextForm { .visible(1...65_536) }
    }
    /// ``WalletAuthWire/Password``.
    public enum Password: SecretKind {
        /// `password`.
        public static let field = "password"
        /// The server has the policy for new passwords; this only excludes what no keyboard types.
        public static var form: TextForm { .printable(1...1024) }
    }
    /// ``WalletAuthWire/ClientSecret``.
    public enum ClientSecret: SecretKind {
        /// `client_secret`.
        public static let field = "client_secret"
        /// RFC 6749 appendix A.2: visible characters and the space.
        public static var form: TextForm { .visible(1...1024, spaces: true) }
    }
    /// ``WalletAuthWire/ClientAssertion``.
    public enum ClientAssertion: SecretKind {
        /// `client_assertion`.
        public static let field = "client_assertion"
    }
    /// ``WalletAuthWire/ClientAttestation``.
    public enum ClientAttestation: SecretKind {
        /// The header.
        public static let field = "OAuth-Client-Attestation"
    }
    /// ``WalletAuthWire/AuthSession``.
    public enum AuthSession: SecretKind {
        /// `auth_session`.
        public static let field = "auth_session"
    }
    /// ``WalletAuthWire/MFAToken``.
    public enum MFAToken: SecretKind {
        /// `mfa_token`.
        public static let field = "mfa_token"
    }
    /// ``WalletAuthWire/LoginNonce``.
    public enum LoginNonce: SecretKind {
        /// `login_nonce`.
        public static let field = "login_nonce"
    }
    /// ``WalletAuthWire/DeviceAuthenticationToken``.
    public enum DeviceAuthenticationToken: SecretKind {
        /// `device_token`.
        public static let field = "device_token"
    }
    /// ``WalletAuthWire/EmailCode``.
    public enum EmailCode: SecretKind {
        /// `email_code`.
        public static let field = "email_code"
        /// As people type codes.
        public static func normalized(_ text: String) -> String { TypedCode.normalized(text) }
        /// Short, because people type it.
        public static var form: TextForm { .visible(1...64) }
    }
    /// ``WalletAuthWire/OneTimeCode``.
    public enum OneTimeCode: SecretKind {
        /// `code`.
        public static let field = "code"
        /// As people type codes.
        public static func normalized(_ text: String) -> String { TypedCode.normalized(text) }
        /// Short, because people type it.
        public static var form: TextForm { .visible(1...64) }
    }
    /// ``WalletAuthWire/PushToken``.
    public enum PushToken: SecretKind {
        /// `token`.
        public static let field = "token"
        /// Firebase sets no limit to the length of its tokens. Those of today have some 200 characters.
        public static var form: TextForm { .visible(1...4096) }
    }
    /// ``WalletAuthWire/DeviceProof``.
    public enum DeviceProof: SecretKind {
        /// `device_proof`.
        public static let field = "device_proof"
    }
    /// ``WalletAuthWire/PresentedToken``.
    public enum PresentedToken: SecretKind {
        /// `token`.
        public static let field = "token"
        /// Any access or refresh token.
        public static var form: TextForm { .visible(1...65_536, spaces: true) }
    }
    /// ``WalletAuthWire/RefreshAttempt``.
    public enum RefreshAttempt: SecretKind {
        /// `attempt`.
        public static let field = "attempt"
        /// Exactly 16 bytes: fewer could be guessed, and more would only be stored.
        public static func fault(in text: String) -> String? {
            Base64URL.decode(text)?.count == 16 ? nil : "is not base64url of 16 bytes"
        }
        /// The form of its text.
        public static var form: TextForm {
            .own(22...22, pattern: "^[A-Za-z0-9_-]{21}[AQgw]$", example: String(repeating: "A", count: 22))
        }
    }
}
