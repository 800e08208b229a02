internal import Core
internal import Logging
internal import Outbound
internal import Store

extension MessageDelivery {
    /// A message with a lease of this process, and what rendering needs.
    struct Taken: Sendable {
        let record: OutboxRecord
        let facts: MessageRendering.Facts
    }

    /// What a service answered to a push.
    struct Attempt: Sendable {
        let record: OutboxRecord
        let service: PushService
        /// That of the device.
        let address: String
        let outcome: DeliveryOutcome

        fileprivate var outage: Outage? {
            guard case .unavailable(let reason, let retryAfter) = outcome else { return nil }
            return Outage(record: record, address: address, reason: reason, retryAfter: retryAfter)
        }
    }

    fileprivate struct Outage: Sendable {
        let record: OutboxRecord
        let address: String
        let reason: String
        let retryAfter: Duration?
    }

    /// From the choice of a message's id to its commit, as a rule. One that takes longer is found after the next pause.
    private static let commitTime = Duration.milliseconds(200)
    /// The pushes that are read together to learn their services.
    private static let page = 256

    /// Takes a batch of due pushes. Those of a paused service stay as they are, except for a few after each pause.
    func takePushes(now: Timestamp) async throws -> [Taken] {
        let paused = pauses.paused(retries: outbox.retries, now: now)
        guard !paused.isEmpty else {
            pauses.examined = ExaminedPushes()
            let batch = Self.batch
            return try await lease(now: now) {
                try Outbox.take(.push, now: now, until: $0, limit: batch, on: $1)
            }
        }
        let (chosen, examined) = try await choose(paused, now: now)
        let taken: [Taken] =
            chosen.isEmpty ? [] : try await lease(now: now) { try Outbox.take(chosen, now: now, until: $0, on: $1) }
        // After a failed write, the next round chooses them again.
        pauses.examined = examined
        return taken
    }

    /// - Returns: the pushes to take, and what is examined once they are taken.
    private func choose(
        _ paused: [PushService: ServicePause.Admission], now: Timestamp
    ) async throws -> ([UniqueID], ExaminedPushes) {
        // Within a pause, only new pushes are looked at. After it, also those that were left or postponed.
        if paused.values.contains(.few) { pauses.examined = ExaminedPushes() }
        var choice = PushChoice(paused: paused, examined: pauses.examined, most: Self.batch)
        var isLast = false
        // A read for each page: one that lasts keeps SQLite's write-ahead log from being emptied.
        while !choice.isFull, !isLast {
            (choice, isLast) = try await database.read { [rendering, choice] connection in
                var choice = choice
                let page = try Outbox.due(
                    .push, after: choice.last, now: now, limit: Self.page, on: connection)
                for record in page where !choice.isFull && choice.reach(record) {
                    choice.consider(record, try rendering.pushService(of: record, now: now, on: connection))
                }
                return (choice, page.count < Self.page)
            }
        }
        // What was written a moment ago may be committed after what was written later.
        let settled = UniqueID(bytes: UniqueID.prefix(of: now - Self.commitTime) + [UInt8](repeating: 0, count: 10))
        return (choice.ids, choice.examined(through: settled))
    }

    /// Tells the pauses what the services answered, and postpones what they could not take.
    func note(_ attempts: [Attempt]) async {
        for (service, attempts) in Dictionary(grouping: attempts, by: \.service) {
            let now = clock.now()
            let outages = attempts.compactMap(\.outage)
            let (change, isPaused) = pauses.update(service) { pause in
                guard outages.count == attempts.count else { return pause.noteAnswer(at: now) }
                return pause.noteOutage(
                    of: outages.map(\.address), retryAfter: outages.compactMap(\.retryAfter).max(), at: now)
            }
            log(change, of: service, because: outages.first?.reason)
            await postpone(outages, isPaused: isPaused, now: now)
        }
    }

    private func log(_ change: ServicePause.Change?, of service: PushService, because reason: String?) {
        switch change {
        case nil: break
        case .began:
            logger.warning(
                "a push service takes nothing; its pushes wait",
                metadata: ["service": "\(service.rawValue)", "reason": "\(reason ?? "")"])
        case .ended(let time):
            logger.notice(
                "a push service is reached again",
                metadata: ["service": "\(service.rawValue)", "after": "\(time.wholeSeconds)s"])
        }
    }

    /// One write for all: an outage must not cost as many as there are messages.
    private func postpone(_ outages: [Outage], isPaused: Bool, now: Timestamp) async {
        guard let first = outages.first else { return }
        let delays = outages.map { outage in
            let delay = delay(of: outage.record, retryAfter: outage.retryAfter)
            return isPaused ? min(delay, ServicePause.longest) : delay
        }
        await recording(first.record) {
            try await database.write { connection in
                for (outage, delay) in zip(outages, delays) {
                    try Outbox.postpone(outage.record, until: now + delay, because: outage.reason, on: connection)
                }
            }
        }
        for (outage, delay) in zip(outages, delays) {
            notePostponed(outage.record, outage.reason, delay, isLogged: !isPaused)
        }
    }
}

/// The pushes to send while some of their services are paused.
private struct PushChoice: Sendable {
    let paused: [PushService: ServicePause.Admission]
    let most: Int
    /// The latest one that was reached.
    private(set) var last: UniqueID?
    private var reached: Set<UniqueID>
    private var admitted: [UniqueID] = []
    private var probes: [PushService: Probes] = [:]

    init(paused: [PushService: ServicePause.Admission], examined: ExaminedPushes, most: Int) {
        self.paused = paused
        self.most = most
        (last, reached) = (examined.through, examined.later)
    }

    var isFull: Bool { admitted.count >= most }
    var ids: [UniqueID] { admitted + probes.values.flatMap(\.ids) }

    /// Call this in the order of the ids.
    /// - Returns: whether it is to be considered, because it was not examined before.
    mutating func reach(_ record: OutboxRecord) -> Bool {
        last = record.id
        return reached.insert(record.id).inserted
    }

    /// - Parameter settled: earlier pushes are all committed.
    func examined(through settled: UniqueID?) -> ExaminedPushes {
        guard let last, let settled else { return ExaminedPushes() }
        let through = min(last, settled)
        return ExaminedPushes(through: through, later: reached.filter { $0 > through })
    }

    /// - Parameter service: `nil` for a push that needs none, because its device is not reached any more.
    mutating func consider(_ record: OutboxRecord, _ service: PushService?) {
        guard let service, let admission = paused[service] else { return admitted.append(record.id) }
        switch admission {
        case .all: admitted.append(record.id)
        case .nothing: break
        case .few: probes[service, default: Probes()].consider(record)
        }
    }
}

/// The pushes that show best whether a service is back: of those that were tried least often, so that none is tried again and again, the
/// two oldest and the two newest. Pushes that always fail hide neither what waits nor what is new.
private struct Probes: Sendable {
    private static let ofEachEnd = 2
    private var attempts = Int64.max
    private var oldest: [UniqueID] = []
    private var newest: [UniqueID] = []

    var ids: [UniqueID] { oldest + newest }

    mutating func consider(_ record: OutboxRecord) {
        guard record.attempts <= attempts else { return }
        if record.attempts < attempts { (attempts, oldest, newest) = (record.attempts, [], []) }
        if oldest.count < Self.ofEachEnd {
            oldest.append(record.id)
        } else {
            newest = newest.suffix(Self.ofEachEnd - 1) + [record.id]
        }
    }
}
