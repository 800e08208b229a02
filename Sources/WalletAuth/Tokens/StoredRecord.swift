import Crypto
import Foundation
import WalletAuthWire

/// Everything the store keeps about sessions, as one value: a single atomic write makes each change complete, whenever
/// the app is killed. Only the transitions in this folder change it; they are pure.
struct StoredRecord: Hashable, Sendable, Codable {
    static let currentVersion = 1

    private(set) var version = Self.currentVersion
    private(set) var generation: SessionGeneration
    var state: State {
        didSet { dropRevocationsOfOwnTokens() }
    }
    /// The revocations that the server has yet to receive. None of them is of a token of the current session.
    private(set) var revocations: [QueuedRevocation] = []
    /// How many revocations were dropped for lack of room since a sign-out last reported them.
    private var droppedRevocations = 0
    /// Hashes of the codes that were sent, so that none is sent twice; the newest last.
    private(set) var sentCodes: [String] = []
    var pendingLogins: [PendingLogin] = []
    /// The offset of the device's wall clock when it was last measured.
    var clockOffset: Duration = .zero

    enum State: Hashable, Sendable, Codable {
        case signedOut(WalletError.SignOutReason)
        case signedIn(Session)
    }

    struct QueuedRevocation: Hashable, Sendable, Codable {
        var token: PresentedToken
        var kind: Kind
        /// How often the server refused it without a reason.
        var refusals = 0
        /// When the server last did so, in server time; nil for never.
        var refusedAt: Instant?
        /// When the server first failed at it; nil for never.
        var failingSince: Instant?
        /// The owner, as far as its tokens say.
        var owner: TokenOwner
        /// The key of a bound access token: a server may ask for a proof, because that token travels to other servers. Nil for
        /// a refresh token, and if no key is known.
        var keyThumbprint: JWKThumbprint?

        enum Kind: String, Hashable, Sendable, Codable {
            case refreshToken
            case accessToken
        }

        /// How often a revocation that is refused without a reason is tried: an intermediary may have refused it.
        static let mostRefusals = 3

        /// How long it then waits. Commands that a script runs within a second are one try.
        static let pauseAfterRefusal = Duration.seconds(60)

        /// How long a revocation is tried that the server always fails at. A store that is stolen later has no token of a
        /// session that ended long ago.
        static let longestFailing = Duration.seconds(90 * 86_400)

        /// The size of its texts in bytes.
        fileprivate var size: Int {
            let texts = [token.reveal(), owner.subject, owner.merchantID, owner.sessionID]
            return texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
        }

        /// Returns nil if the text cannot be a token.
        init?(_ text: String, _ kind: Kind, of owner: TokenOwner) {
            guard let token = try? PresentedToken(text) else { return nil }
            self.token = token
            self.kind = kind
            self.owner = owner
        }

        /// The revocation of a session: of its refresh token or, without one, its access token.
        init?(_ session: Session) {
            if let token = session.refreshToken {
                self.init(token.reveal(), .refreshToken, of: session.owner)
            } else {
                self.init(session.accessToken.reveal(), .accessToken, of: session.owner)
                keyThumbprint = session.keyThumbprint
            }
        }

        /// Whether the server may end `session` with this one.
        func mayEnd(_ session: Session) -> Bool { session.owner.mayShareServerSession(with: owner) }

        /// Whether it is of a token that `session` uses.
        func isOfToken(in session: Session) -> Bool {
            let text = token.reveal()
            return text == session.refreshToken?.reveal() || text == session.accessToken.reveal()
        }

        /// Whether a refusal is too recent to ask again. Another process may have measured the server's clock a little
        /// differently, so a time that is slightly ahead counts as recent too.
        func isPaused(at now: Instant) -> Bool {
            guard let refusedAt else { return false }
            let elapsed = now - refusedAt
            return elapsed > Duration.zero - Self.pauseAfterRefusal && elapsed < Self.pauseAfterRefusal
        }

        /// Whether another revocation may be of the same session of the server.
        func mayShareSession(with other: QueuedRevocation) -> Bool {
            owner.mayShareServerSession(with: other.owner)
        }
    }

    init(generation: SessionGeneration = .new(), state: State = .signedOut(.neverSignedIn)) {
        self.generation = generation
        self.state = state
    }

    var session: Session? {
        if case .signedIn(let session) = state { session } else { nil }
    }

    /// Whether there is anything worth writing if nothing is stored yet.
    var holdsAnything: Bool {
        session != nil || !revocations.isEmpty || !sentCodes.isEmpty || !pendingLogins.isEmpty
            || state != .signedOut(.neverSignedIn)
    }

    // MARK: Signing in and out

    /// Signs in: starts a new generation. The former session is revoked; where the server may consider both one session,
    /// only when the new one has ended.
    mutating func signIn(_ session: Session, generation next: SessionGeneration = .new()) {
        let former = self.session
        generation = next
        state = .signedIn(session)
        if let former { queueRevocation(of: former) }
    }

    /// Signs out on this device: starts a new generation even if no one is signed in, so that a code under way opens no
    /// session afterwards. The server learns of it later.
    /// - Returns: the revocation of the session; nil if there was none.
    @discardableResult
    mutating func signOut(
        _ reason: WalletError.SignOutReason, generation next: SessionGeneration = .new()
    ) -> QueuedRevocation? {
        let revocation = session.flatMap { QueuedRevocation($0) }
        generation = next
        state = .signedOut(reason)
        queue(revocation)
        return revocation
    }

    /// The server has ended the session, or its key is gone: there is nothing left to revoke.
    mutating func endSession(_ reason: WalletError.SignOutReason, generation next: SessionGeneration = .new()) {
        generation = next
        state = .signedOut(reason)
    }

    /// Why a step-up of `owner` must not sign in any more: the person has signed out since, or another one has signed in.
    /// Nil if it may. A session that the server ended, or whose key is lost, is no reason: its person did not leave.
    /// - Parameter external: the owner of a session whose token the app brought; this record has no such session.
    func reasonAgainstStepUp(of owner: TokenOwner, external: TokenOwner?) -> WalletError.SignOutReason? {
        switch state {
        case .signedIn(let session): owner.allows(session.owner) ? nil : .replacedByAnotherSignIn
        case .signedOut(.sessionEnded), .signedOut(.tokenExpired), .signedOut(.keyLost): nil
        case .signedOut(.replacedByAnotherSignIn):
            external.map { owner.allows($0) } == true ? nil : .replacedByAnotherSignIn
        case .signedOut(let reason): reason
        }
    }

    // MARK: Revocations

    mutating func queueRevocation(of session: Session) { queue(QueuedRevocation(session)) }

    /// Queues a revocation. At most 16 wait, with 256 KiB in total, so that the record fits any store: more can only
    /// come from as many sign-ins without reaching the server, or as many step-ups in one session. A token that the
    /// current session uses is not queued: that session's own sign-out revokes it.
    mutating func queue(_ revocation: QueuedRevocation?) {
        guard let revocation, !revocations.contains(where: { $0.token == revocation.token }) else { return }
        revocations.append(revocation)
        dropRevocationsOfOwnTokens()
        var bytes = 0
        let fitting = revocations.suffix(Self.mostRevocations).reversed().prefix { waiting in
            bytes += waiting.size
            return bytes <= Self.mostRevocationBytes
        }
        let excess = revocations.count - min(revocations.count, max(1, fitting.count))
        guard excess > 0 else { return }
        revocations.removeFirst(excess)
        droppedRevocations += excess
    }

    private mutating func dropRevocationsOfOwnTokens() {
        guard let session else { return }
        revocations.removeAll { $0.isOfToken(in: session) }
    }

    /// Returns how many revocations were dropped for lack of room, and counts from zero again.
    mutating func takeDroppedRevocations() -> Int {
        defer { droppedRevocations = 0 }
        return droppedRevocations
    }

    /// Those to send now. One that might end the current session waits until that has ended.
    var sendableRevocations: [QueuedRevocation] {
        guard let session else { return revocations }
        return revocations.filter { !$0.mayEnd(session) }
    }

    private static let mostRevocations = 16
    private static let mostRevocationBytes = 256 << 10

    /// The server has answered this one: do not ask again.
    mutating func revocationAnswered(_ revocation: QueuedRevocation) {
        revocations.removeAll { $0.token == revocation.token }
    }

    /// The server, or an intermediary, refused this one without a reason: try again, a limited number of times.
    mutating func revocationRefused(_ revocation: QueuedRevocation, at now: Instant) {
        for index in revocations.indices where revocations[index].token == revocation.token {
            revocations[index].refusals += 1
            revocations[index].refusedAt = now
        }
        revocations.removeAll { $0.refusals >= QueuedRevocation.mostRefusals }
    }

    /// The server failed at this one: try again, for a limited time.
    mutating func revocationFailed(_ revocation: QueuedRevocation, at now: Instant) {
        for index in revocations.indices where revocations[index].token == revocation.token {
            revocations[index].failingSince = revocations[index].failingSince ?? now
        }
        revocations.removeAll { waiting in
            waiting.token == revocation.token
                && waiting.failingSince.map { now > $0 + QueuedRevocation.longestFailing } ?? false
        }
    }

    // MARK: Codes

    /// Records that `code` is about to be sent.
    /// - Returns: false if it was sent before and must not be sent again.
    mutating func noteSending(_ code: AuthorizationCode) -> Bool {
        guard !hasSent(code) else { return false }
        sentCodes.append(Self.hash(code))
        sentCodes.removeFirst(max(0, sentCodes.count - 16))
        return true
    }

    /// Removes the record: the code certainly did not reach the server.
    mutating func forgetSending(_ code: AuthorizationCode) {
        let hash = Self.hash(code)
        sentCodes.removeAll { $0 == hash }
    }

    func hasSent(_ code: AuthorizationCode) -> Bool { sentCodes.contains(Self.hash(code)) }

    private static func hash(_ code: AuthorizationCode) -> String {
        Base64URL.encode(Array(SHA256.hash(data: Data(code.reveal().utf8))))
    }
}
