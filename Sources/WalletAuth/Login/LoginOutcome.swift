/// How a native sign-in went on.
public enum LoginOutcome: Sendable {
    /// Somebody is signed in. The server's additional attributes (`last_login`, `push_enabled` …), as it sent them.
    case authenticated(additionalAttributes: [String: String])
    /// A second factor is asked for.
    case mfaRequired(MFAChallenge)
    /// The password has expired: the person has to choose another.
    case passwordChangeRequired(PasswordChange)
    /// The e-mail address has to be confirmed first.
    case emailUnverified(EmailVerification)
    /// Only a browser will do: use ``Wallet/setUp()`` or ``Wallet/authentication``.
    case redirectToWeb
}
