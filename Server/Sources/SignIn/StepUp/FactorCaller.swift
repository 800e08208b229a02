internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// The caller of an account's factor management, as the rules see it: an app with a sender-constrained token, or a browser with
/// the page it received.
protocol FactorCaller: Sendable {
    var account: AccountRecord { get }
    /// Names the calling session. Another session cannot finish what this one began.
    var sessionID: UniqueID { get }
    /// Time of the sign-in.
    var authTime: Timestamp { get }
    /// Methods of the sign-in.
    var methods: [String] { get }
    /// The methods that count for a change.
    var settledMethods: [String] { get }
    /// End of the cooling period of a restored identity among the methods; `nil` if there is none.
    var identityCooling: Timestamp? { get }
    /// For the audit log.
    var clientID: String { get }
    var origin: RequestOrigin { get }
    var now: Timestamp { get }

    /// Checked inside every write that changes something.
    /// - Returns: why the change must not be made any more; `nil` if it may be.
    func refusalOfChange(on connection: any SQLConnection) throws -> FactorRefusal?

    /// The secret mark of the form that asks for the change; `nil` for an app. A form that arrives twice has the same.
    var formMark: [UInt8]? { get }

    /// Whether the form has arrived before and used up its page.
    func isRepeated(on connection: any SQLConnection) throws -> Bool
}

extension AppCaller: FactorCaller {
    var sessionID: UniqueID { session.facts.id }
    var authTime: Timestamp { session.facts.authTime }
    var clientID: String { client.id.rawValue }
    var formMark: [UInt8]? { nil }

    func isRepeated(on connection: any SQLConnection) throws -> Bool { false }
}

/// A form that arrives twice, because a button was pressed twice. An app's call has no form, and its proof makes one change.
extension FactorCaller {
    /// Remembers for half a minute what this form changed: a browser shows the last response only, so a second click must have the
    /// same result. Nothing keeps the form's mark, so the digest does not let anyone guess a PIN or a password.
    /// - Returns: whether it was not remembered yet; `false` for an app.
    @discardableResult
    func remember(_ change: [String], by keyRing: KeyRing, on connection: any SQLConnection) throws -> Bool {
        guard let digest = try digest(of: change, by: keyRing) else { return false }
        return try SeenJTIs.remember(digest, until: now + RepeatedAnswer.lifetime, on: connection)
    }

    /// Whether this form made the same change a moment ago.
    func hasMade(_ change: [String], by keyRing: KeyRing, in database: any Database) async throws -> Bool {
        guard let digest = try digest(of: change, by: keyRing) else { return false }
        return try await database.read { try SeenJTIs.contains(digest, now: now, on: $0) }
    }

    private func digest(of change: [String], by keyRing: KeyRing) throws -> [UInt8]? {
        guard let formMark else { return nil }
        let parts = ([Base64URL.encode(formMark)] + change).map { Base64URL.encode(Array($0.utf8)) }
        return Digests.keyed("change-of-form", parts, key: try keyRing.active(.attempts))
    }
}

extension AuditLog {
    /// An event caused by the holder through an app or a page, with a message to them.
    func entry(
        _ event: some SecurityEventKind, message: any SecurityMessage, call: any FactorCaller,
        details: JSONObject = JSONObject()
    ) throws -> Entry {
        try entry(
            event, account: call.account.id, client: call.clientID, origin: call.origin, now: call.now,
            details: details, message: message, email: AccountVault(sealing).email(of: call.account))
    }
}

/// Checks repeated inside every write that changes an account's factors or password, a device or its long-lived
/// session. A new write for an app begins with them as well: otherwise a recorded request makes the same change twice. The
/// exception is the code of an installation, which works once and was sent to the holder.
extension AppCaller {
    /// Why the change must not be made any more; `nil` if it may be.
    ///
    /// The session may have ended since the call was accepted, for instance because its account was closed or its token was
    /// found stolen. And a proof makes one change only: a recorded request, replayed to another process or after a restart,
    /// makes none.
    func refusalOfChange(on connection: any SQLConnection) throws -> FactorRefusal? {
        guard try Sessions.living(session.facts.id, now: now, on: connection) != nil else { return .accountChanged }
        guard try SeenJTIs.remember(proofDigest, until: now + DPoPNonces.life, on: connection) else {
            return .unauthorized(.invalidDPoPProof("The proof has already been used."))
        }
        return nil
    }

    /// The same for a change of the account's devices.
    func deviceRefusalOfChange(on connection: any SQLConnection) throws -> DeviceRefusal? {
        try refusalOfChange(on: connection).map(DeviceRefusal.init(ofChange:))
    }
}

extension DeviceRefusal {
    /// - Parameter refusal: of ``FactorCaller/refusalOfChange(on:)``.
    init(ofChange refusal: FactorRefusal) {
        if case .unauthorized(let refusal) = refusal { self = .unauthorized(refusal) } else { self = .accountChanged }
    }
}
