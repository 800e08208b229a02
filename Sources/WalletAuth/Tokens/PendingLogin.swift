import Foundation
import WalletAuthWire

/// A sign-in that awaits its callback. It is stored before the page is shown, so that the callback finds it even if the
/// app was killed meanwhile.
struct PendingLogin: Hashable, Sendable, Codable {
    var state: OAuthState
    var verifier: CodeVerifier?
    var nonce: Nonce?
    /// With the actual port if it is a loopback URI.
    var redirectURI: RedirectURI
    /// The requested scopes.
    var scopes: [String]
    var begunAt: Instant
    /// The requirements, if a call asked for a fresh sign-in.
    var stepUp: StepUp?

    /// A fresh sign-in of the signed-in person, as a call requires it.
    struct StepUp: Hashable, Sendable, Codable {
        var owner: TokenOwner
        /// `max_age`, in seconds.
        var maximumAge: Int64?
        /// When the person had last signed in; nil if the server did not say.
        var authenticatedAt: Instant?
        /// Whether `begunAt` is by the server's clock, as its answers in this run showed it.
        var isTimedByServer: Bool
        /// Whether the page knows who has to sign in, so that it answers anyone else with `login_required`. Nil is no: records of
        /// former versions do not have it.
        var isNamed: Bool?
    }

    /// Whether a server that says `authenticatedAt` answered this step-up by a sign-in before it.
    ///
    /// For the session's own sign-in, compares times of the server's clock alone. They are whole seconds, so for equal ones
    /// the beginning of this step-up decides. A sign-in for another app in the same browser is compared with the
    /// beginning, with a leeway, if that is by the server's clock.
    func isAnsweredByFormerSignIn(at authenticatedAt: Instant?) -> Bool {
        guard let authenticatedAt, let stepUp else { return false }
        if stepUp.isTimedByServer, authenticatedAt + Self.clockLeeway < begunAt { return true }
        guard let former = stepUp.authenticatedAt else { return false }
        return authenticatedAt < former || (authenticatedAt == former && former.seconds < begunAt.seconds)
    }

    /// Whether a sign-in at `authenticatedAt` was too old for this step-up when it began. False if the beginning is not by
    /// the server's clock.
    func isTooOld(_ authenticatedAt: Instant?) -> Bool {
        guard let authenticatedAt, let stepUp, stepUp.isTimedByServer, let age = stepUp.maximumAge else {
            return false
        }
        return authenticatedAt + .seconds(age) + Self.clockLeeway < begunAt
    }

    /// A `Date` header has whole seconds and is as old as its way here, and the machines of one server differ a little.
    private static let clockLeeway = Duration.seconds(10)

    /// One day: a person who must confirm an e-mail address first comes back late. The state has 128 random bits, so a
    /// long lifetime does no harm.
    static let lifetime = Duration.seconds(86_400)
    /// Only the newest are kept, so that abandoned sign-ins never block the next one.
    static let most = 8
}

extension StoredRecord {
    /// Adds a pending sign-in.
    mutating func begin(_ login: PendingLogin) {
        pendingLogins.removeAll { $0.state == login.state || $0.begunAt + PendingLogin.lifetime < login.begunAt }
        pendingLogins.append(login)
        pendingLogins.removeFirst(max(0, pendingLogins.count - PendingLogin.most))
    }

    /// Removes and returns a pending sign-in: its callback counts once.
    mutating func take(_ state: OAuthState) -> PendingLogin? {
        guard let index = pendingLogins.firstIndex(where: { $0.state.matches(state) }) else { return nil }
        return pendingLogins.remove(at: index)
    }
}
