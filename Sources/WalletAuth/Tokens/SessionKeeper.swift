import Foundation
import WalletAuthTransport
import WalletAuthWire

/// Keeps the session in memory and in the store consistent. Every change is one transition of the record: made under a
/// lock that other processes share, written, and only then visible.
final class SessionKeeper: Sendable {
    /// What an unreadable record means for a change.
    enum Damage: Sendable {
        /// An error: an unreadable file must not sign anyone out.
        case refused
        /// The person signs out: replace the unreadable record.
        case replaced
    }

    let changes = TokenChangeBroadcast()
    let clock: ServerClock
    private let renewalLock: SecureStoreLock
    private let revocationLock: SecureStoreLock
    private let store: any SecureStore
    let time: any TimeSource
    private let recordKey: SecureStoreKey
    private let recordLock: SecureStoreLock
    private let live = LockedValue(LiveSession())
    /// The revocation of the last sign-out, if another change wrote it to the store.
    private let settled = LockedValue<StoredRecord.QueuedRevocation?>(nil)

    init(store: any SecureStore, time: any TimeSource, clock: ServerClock, namespace: String) {
        self.store = store
        self.time = time
        self.clock = clock
        recordKey = SecureStoreKey("\(namespace).session")
        recordLock = SecureStoreLock("\(namespace).session")
        renewalLock = SecureStoreLock("\(namespace).renewal")
        revocationLock = SecureStoreLock("\(namespace).revocation")
    }

    // MARK: Memory

    func reading() -> LiveSession.Reading {
        let uptime = time.uptime()
        return live.withLock { $0.read(at: uptime) }
    }

    var snapshot: LiveSession { live.withLock { $0 } }

    /// Forgets the session in memory at once; the store follows.
    /// - Returns: the session, which the server has to be told of.
    func signOutInMemory() -> LiveSession.Holding? {
        let holding = live.withLock { live -> LiveSession.Holding? in
            let holding = live.holding
            if holding != nil { settled.withLock { $0 = nil } }
            changes.queue(live.signOutInMemory())
            return holding
        }
        changes.deliver()
        return holding
    }

    /// Holds a new session whose token the app supplies.
    /// - Parameter record: the generation of the record that was signed out for it.
    /// - Returns: false, without any change, if someone has signed in or out since.
    func hold(_ session: Session, record: SessionGeneration) -> Bool {
        let plan = schedule(session)
        let isHeld = live.withLock { live in
            guard live.generation == record else { return false }
            changes.queue(
                live.hold(
                    LiveSession.Holding(
                        generation: .new(), session: session, origin: .external(record: record), schedule: plan)))
            return true
        }
        changes.deliver()
        return isHeld
    }

    /// Replaces the session in `holding`, whose token the app supplies.
    /// - Returns: false, without any change, if that session is no longer in use.
    func renew(_ holding: LiveSession.Holding, with session: Session) -> Bool {
        var renewed = holding
        renewed.session = session
        renewed.schedule = schedule(session)
        let isRenewed = live.withLock { [renewed] live in
            guard live.holding?.generation == renewed.generation else { return false }
            changes.queue(live.hold(renewed))
            return true
        }
        changes.deliver()
        return isRenewed
    }

    /// Announces that the app's own token expires soon, if it is still in use.
    func tellExpiring(_ token: AccessToken, _ date: Date) {
        guard snapshot.holding?.session.accessToken == token else { return }
        changes.queue(.expiring(at: date))
        changes.deliver()
    }

    /// Makes every later call renew first: the server no longer accepts this token.
    func expire(_ token: AccessToken) {
        live.withLock { $0.expire(token) }
    }

    // MARK: The store

    /// Reads the store into memory.
    func load() async throws {
        try await change { _ in }
    }

    /// The state of the store at a sign-out.
    enum StoredSignOut: Sendable {
        /// A session, or no record of the one in memory. Its revocation is now queued.
        case queued(StoredRecord.QueuedRevocation)
        case alreadySignedOut
        /// No room for the queue: these revocations exist only here. The first is this sign-out's, `nil` if there was no session.
        case full(StoredRecord.QueuedRevocation?, earlier: [StoredRecord.QueuedRevocation])
    }

    /// Signs out in the store.
    /// - Parameter holding: the session that memory has forgotten. If the record is missing or damaged, its revocation is queued,
    ///   because nothing says whether the server knows of the sign-out. That of a session whose token the app supplied always
    ///   is: no record has it.
    func signOutInStore(of holding: LiveSession.Holding?) async throws -> StoredSignOut {
        let former = holding?.session
        let isSupplied = holding.map { $0.origin != .stored } ?? false
        let unstored = LockedValue<(own: StoredRecord.QueuedRevocation?, all: [StoredRecord.QueuedRevocation])>(
            (nil, []))
        do {
            let revocation = try await change(damage: .replaced) { record -> StoredRecord.QueuedRevocation? in
                let isBlank = !record.holdsAnything
                let isNews = former != nil || record.state != .signedOut(.neverSignedIn)
                var revocation = record.signOut(isNews ? .loggedOut : .neverSignedIn)
                if revocation == nil, isBlank || isSupplied {
                    revocation = former.flatMap { StoredRecord.QueuedRevocation($0) }
                    record.queue(revocation)
                }
                unstored.withLock { [revocation, waiting = record.revocations] in $0 = (revocation, waiting) }
                return revocation
            }
            return (revocation ?? owed(by: former)).map(StoredSignOut.queued) ?? .alreadySignedOut
        } catch let failure as SecureStoreFailure where failure.kind == .full {
            try await store.withExclusiveLock(recordLock) { try await store.remove(recordKey) }
            var (own, all) = unstored.withLock { $0 }
            if own == nil, all.isEmpty, let revocation = former.flatMap({ StoredRecord.QueuedRevocation($0) }) {
                // The store failed before it was read.
                (own, all) = (revocation, [revocation])
            }
            return await queueInFreedRoom(own ?? owed(by: former), among: all)
        }
    }

    /// The revocation of the sign-out that memory owed the store, if that was of `former`.
    private func owed(by former: Session?) -> StoredRecord.QueuedRevocation? {
        former == nil ? nil : settled.withLock { $0 }
    }

    /// A removed session leaves room, mostly enough for the revocations.
    private func queueInFreedRoom(
        _ own: StoredRecord.QueuedRevocation?, among all: [StoredRecord.QueuedRevocation]
    ) async -> StoredSignOut {
        do {
            try await change { record in
                // Another process may have signed in since.
                if record.session == nil { record.signOut(.loggedOut) }
                for revocation in all { record.queue(revocation) }
            }
            return own.map(StoredSignOut.queued) ?? .alreadySignedOut
        } catch { return .full(own, earlier: all.filter { $0.token != own?.token }) }
    }

    /// Runs `body` while no other process renews.
    func withRenewalLock<T: Sendable>(_ body: @escaping @Sendable () async throws -> T) async throws -> T {
        try await store.withExclusiveLock(renewalLock, body)
    }

    /// Runs `body` while no other wallet of this store sends a revocation, in this process or another.
    func withRevocationLock<T: Sendable>(_ body: @escaping @Sendable () async throws -> T) async throws -> T {
        try await store.withExclusiveLock(revocationLock, body)
    }

    /// Makes one transition of the record. It runs to the end even if the calling task is cancelled: a partial sign-out
    /// is none.
    /// - Throws: whatever `body` throws (then nothing changes), or `SecureStoreFailure`.
    @discardableResult
    func change<T: Sendable>(
        damage: Damage = .refused, _ body: @escaping @Sendable (inout StoredRecord) throws -> T
    ) async throws -> T {
        let outcome = await Task { [self] in
            try await store.withExclusiveLock(recordLock) { try await changeUnderLock(damage, body) }
        }.result
        changes.deliver()
        return try outcome.get()
    }

    private func changeUnderLock<T: Sendable>(
        _ damage: Damage, _ body: @Sendable (inout StoredRecord) throws -> T
    ) async throws -> T {
        let (stored, isDamaged) = try await read(damage)
        var record = stored ?? StoredRecord()
        if live.withLock({ $0.state.isNotLoaded }) { clock.restore(offset: record.clockOffset) }
        let isOwed = live.withLock { $0.owedSignOut == record.generation }
        let owed = isOwed ? record.signOut(.loggedOut) : nil
        if isOwed { settled.withLock { $0 = owed } }
        let result = try body(&record)
        if let offset = clock.believedOffset { record.clockOffset = offset.rounded }
        if record != stored, stored != nil || isDamaged || record.holdsAnything {
            try await store.put(encoding: record, for: recordKey)
        }
        live.withLock { changes.queue($0.adopt(record, schedule: schedule)) }
        return result
    }

    /// - Returns: the record, if there is one, and whether one is there that cannot be read.
    private func read(_ damage: Damage) async throws -> (StoredRecord?, isDamaged: Bool) {
        do {
            guard let data = try await store.get(recordKey) else { return (nil, false) }
            let record: StoredRecord
            do { record = try JSONDecoder().decode(StoredRecord.self, from: data) } catch {
                throw SecureStoreFailure(.damaged, reason: "the session's record cannot be decoded")
            }
            guard record.version == StoredRecord.currentVersion else {
                throw SecureStoreFailure(.damaged, reason: "the session's record has version \(record.version)")
            }
            return (record, false)
        } catch let failure as SecureStoreFailure where failure.kind == .damaged && damage == .replaced {
            return (nil, true)
        }
    }

    private func schedule(_ session: Session) -> RenewalSchedule {
        var plan = RenewalSchedule(
            remaining: session.life.remaining(at: clock.now), lifetime: session.life.lifetime, now: time.uptime(),
            jitter: Double.random(in: 0...1))
        if session.refreshToken == nil { plan.renewFrom = plan.expiresAt }
        return plan
    }
}

extension LiveSession.State {
    var isNotLoaded: Bool {
        if case .notLoaded = self { true } else { false }
    }
}

extension Duration {
    /// Rounded to whole seconds, the precision of the measurement. Otherwise every change would rewrite it.
    fileprivate var rounded: Duration { .seconds((milliseconds + (milliseconds < 0 ? -500 : 500)) / 1000) }
}
