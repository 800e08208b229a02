public import Foundation

/// A change of the tokens.
public enum TokenChange: Sendable, Equatable {
    /// A person signed in.
    case new
    /// The tokens were renewed for the same person.
    case refreshed
    /// ``Wallet/logout()`` removed them.
    case deleted
    /// The tokens can no longer be used.
    case invalidated(WalletError.SignOutReason)
    /// The app's own token expires soon: obtain another and pass it to ``Wallet/updateToken(_:expiresAt:)``. Only with
    /// `signIn: .external`, and after ``Wallet/authenticate(accessToken:expiresAt:)``.
    case expiring(at: Date)
}
