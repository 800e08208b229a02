import Crypto
import Foundation
import WalletAuthWire

/// Everything the store keeps about sessions, as one value: a single atomic write makes each change whole, whenever the
/// app is killed. Changed only by the transitions in this folder and in Authorization/PendingLogin.swift; they are pure.
struct SessionRecord: Hashable, Sendable, Codable {
    static let currentVersion = 1

    private(set) var version = Self.currentVersion
    private(set) var generation: SessionGeneration
    var state: State
    /// What the server has yet to be told.
    private(set) var revocations: [QueuedRevocation] = []
    /// Hashes of the codes that were sent, so that none is sent twice; the newest last.
    private(set) var sentCodes: [String] = []
    var pendingLogins: [PendingLogin] = []
    /// What the device's wall clock was off by when it was last measured.
    var clockOffset: Duration = .zero

    enum State: Hashable, Sendable, Codable {
        case signedOut(WalletError.SignOutReason)
        case signedIn(Session)
    }

    struct QueuedRevocation: Hashable, Sendable, Codable {
        var token: PresentedToken
        var kind: Kind
        /// How often the server refused it without a reason; nil for never.
        var refusals: Int?

        enum Kind: String, Hashable, Sendable, Codable {
            case refreshToken
            case accessToken
        }

        /// A server is asked so often: what refuses without a reason may stand in between.
        static let mostRefusals = 3

        /// Nil where the text can be no token.
        init?(_ text: String, _ kind: Kind) {
            guard let token = try? PresentedToken(text) else { return nil }
            self.token = token
            self.kind = kind
        }

        /// What ends a session: its refresh token, or else its access token.
        init?(_ session: Session) {
            if let token = session.refreshToken {
                self.init(token.reveal(), .refreshToken)
            } else {
                self.init(session.accessToken.reveal(), .accessToken)
            }
        }

        /// What ends the tokens of an answer that is not taken.
        init?(_ answer: JSONObject) {
            if let token = answer["refresh_token"]?.string, !token.isEmpty {
                self.init(token, .refreshToken)
            } else if let token = answer["access_token"]?.string {
                self.init(token, .accessToken)
            } else {
                return nil
            }
        }
    }

    init(generation: SessionGeneration = .new(), state: State = .signedOut(.neverSignedIn)) {
        self.generation = generation
        self.state = state
    }

    var session: Session? {
        if case .signedIn(let session) = state { session } else { nil }
    }

    /// Whether there is anything worth writing where nothing is kept yet.
    var holdsAnything: Bool {
        session != nil || !revocations.isEmpty || !sentCodes.isEmpty || !pendingLogins.isEmpty
            || state != .signedOut(.neverSignedIn)
    }

    // MARK: Signing in and out

    /// Somebody signed in: a new generation. The session that stood here before is revoked.
    mutating func signIn(_ session: Session, generation next: SessionGeneration = .new()) {
        if let former = self.session { queueRevocation(of: former) }
        generation = next
        state = .signedIn(session)
    }

    /// Signs out on this device: a new generation, also with nobody signed in, so that a code that is under way opens no
    /// session afterwards. The server is told later.
    mutating func signOut(_ reason: WalletError.SignOutReason, generation next: SessionGeneration = .new()) {
        if let session { queueRevocation(of: session) }
        generation = next
        state = .signedOut(reason)
    }

    /// The server has ended the session, or its key is gone: there is nothing left to revoke.
    mutating func endSession(_ reason: WalletError.SignOutReason, generation next: SessionGeneration = .new()) {
        generation = next
        state = .signedOut(reason)
    }

    // MARK: Revocations

    mutating func queueRevocation(of session: Session) { queue(QueuedRevocation(session)) }

    /// At most 16 wait; more can only be sessions nobody could reach the server for in as many sign-ins.
    mutating func queue(_ revocation: QueuedRevocation?) {
        guard let revocation else { return }
        revocations.append(revocation)
        revocations.removeFirst(max(0, revocations.count - 16))
    }

    /// The server has answered to this one: it need not be asked again.
    mutating func revocationAnswered(_ revocation: QueuedRevocation) {
        revocations.removeAll { $0.token == revocation.token }
    }

    /// The server, or something before it, refused this one without a reason: it is asked again, and not for ever.
    mutating func revocationRefused(_ revocation: QueuedRevocation) {
        for index in revocations.indices where revocations[index].token == revocation.token {
            revocations[index].refusals = (revocations[index].refusals ?? 0) + 1
        }
        revocations.removeAll { ($0.refusals ?? 0) >= QueuedRevocation.mostRefusals }
    }

    // MARK: Codes

    /// Notes that `code` is about to be sent.
    /// - Returns: false when it was sent before: then it must not be sent.
    mutating func noteSending(_ code: AuthorizationCode) -> Bool {
        guard !hasSent(code) else { return false }
        sentCodes.append(Self.hash(code))
        sentCodes.removeFirst(max(0, sentCodes.count - 16))
        return true
    }

    /// Takes the note back: the code certainly did not reach the server.
    mutating func forgetSending(_ code: AuthorizationCode) {
        let hash = Self.hash(code)
        sentCodes.removeAll { $0 == hash }
    }

    func hasSent(_ code: AuthorizationCode) -> Bool { sentCodes.contains(Self.hash(code)) }

    private static func hash(_ code: AuthorizationCode) -> String {
        Base64URL.encode(Array(SHA256.hash(data: Data(code.reveal().utf8))))
    }
}
