import Foundation
import WalletAuthWire

/// A sign-in whose answer has not come yet. It is stored before the page is shown, so that the answer finds it also
/// when the app was killed meanwhile.
struct PendingLogin: Hashable, Sendable, Codable {
    var state: OAuthState
    var verifier: CodeVerifier?
    var nonce: Nonce?
    /// With the port that was in use, where it is a loopback one.
    var redirectURI: RedirectURI
    /// What was asked for.
    var scopes: [String]
    var begunAt: Instant
    /// What the sign-in is to be, where a call asked for another one.
    var stepUp: StepUp?

    /// A sign-in of the person who is signed in already, as fresh as a call asks for.
    struct StepUp: Hashable, Sendable, Codable {
        var owner: TokenOwner
        /// `max_age`, in seconds.
        var maximumAge: Int64?
    }

    /// A day: whoever has to confirm an e-mail first comes back late. The state is 128 random bits; it does no harm by
    /// being known for long.
    static let lifetime = Duration.seconds(86_400)
    /// The newest are kept: a sign-in that is abandoned never blocks the next.
    static let most = 8
}

extension SessionRecord {
    /// Adds a pending sign-in beside those that are pending.
    mutating func begin(_ login: PendingLogin) {
        pendingLogins.removeAll { $0.state == login.state || $0.begunAt + PendingLogin.lifetime < login.begunAt }
        pendingLogins.append(login)
        pendingLogins.removeFirst(max(0, pendingLogins.count - PendingLogin.most))
    }

    /// Takes a pending sign-in out: its answer has come, and a second one is not looked at.
    mutating func take(_ state: OAuthState) -> PendingLogin? {
        guard let index = pendingLogins.firstIndex(where: { $0.state.matches(state) }) else { return nil }
        return pendingLogins.remove(at: index)
    }
}
