public import Foundation

/// What happened to the tokens.
public enum TokenChange: Sendable, Equatable {
    /// Somebody signed in.
    case new
    /// The tokens were renewed; the person is the same.
    case refreshed
    /// ``Wallet/logout()`` removed them.
    case deleted
    /// They are of no use any more.
    case invalidated(WalletError.SignOutReason)
    /// The app's own token ends soon: fetch another and hand it to ``Wallet/updateToken(_:expiresAt:)``. Only with
    /// `signIn: .external`, and after ``Wallet/authenticate(accessToken:expiresAt:)``.
    case expiring(at: Date)
}
