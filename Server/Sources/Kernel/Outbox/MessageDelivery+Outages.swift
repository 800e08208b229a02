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

    /// What a service answered to a message.
    struct Attempt: Sendable {
        let record: OutboxRecord
        let service: MessageService
        let outcome: DeliveryOutcome

        fileprivate var outage: Outage? {
            guard case .unavailable(let reason, let retryAfter) = outcome else { return nil }
            return Outage(record: record, reason: reason, retryAfter: retryAfter)
        }
    }

    fileprivate struct Outage: Sendable {
        let record: OutboxRecord
        let reason: String
        let retryAfter: Duration?
    }

    /// A message that is of use for so short is not postponed for longer than a pause.
    private static let shortLife = Duration.hours(1)
    /// From the choice of a message's id to its commit, as a rule. One that takes longer is found after the next pause.
    private static let commitTime = Duration.milliseconds(200)
    /// The pushes that are read together to learn their services.
    private static let page = 256

    /// Takes a batch of due messages of a channel. Those of a paused service stay as they are, except for one after each pause.
    func take(_ channel: OutboxChannel, now: Timestamp) async throws -> [Taken] {
        let lease = now + transports.timeout * 2
        let paused = pauses.paused(in: channel, retries: outbox.retries, now: now)
        let chosen = paused.isEmpty ? nil : try await choose(channel, paused, now: now)
        if paused.isEmpty, channel == .push { pauses.examined = nil }
        if let chosen, chosen.isEmpty { return [] }
        return try await database.write { [rendering] connection in
            let records =
                if let chosen {
                    try Outbox.take(chosen, now: now, until: lease, on: connection)
                } else {
                    try Outbox.take(
                        channel, now: now, until: lease, limit: Self.batch(of: channel), on: connection)
                }
            return try records.map { Taken(record: $0, facts: try rendering.facts(of: $0, now: now, on: connection)) }
        }
    }

    private func choose(
        _ channel: OutboxChannel, _ paused: [MessageService: ServicePause.Admission], now: Timestamp
    ) async throws -> [UniqueID] {
        let isProbed = paused.values.contains(.one)
        guard channel == .push else {
            guard isProbed else { return [] }
            return try await database.read { try Outbox.probe(channel, now: now, on: $0) }.map { [$0] } ?? []
        }
        // Within a pause, only new pushes are looked at. After it, also those that were left or postponed.
        if isProbed { pauses.examined = nil }
        let choice = try await database.read { [rendering, examined = pauses.examined] connection in
            var choice = PushChoice(paused: paused, examined: examined, most: Self.batch(of: channel))
            while !choice.isFull {
                let page = try Outbox.due(
                    channel, after: choice.examined, now: now, limit: Self.page, on: connection)
                for record in page where !choice.isFull {
                    choice.consider(record, try rendering.pushService(of: record, now: now, on: connection))
                }
                if page.count < Self.page { break }
            }
            return choice
        }
        // What was written a moment ago may be committed after what was written later.
        let settled = UniqueID(bytes: UniqueID.prefix(of: now - Self.commitTime) + [UInt8](repeating: 0, count: 10))
        pauses.examined = choice.examined.flatMap { examined in settled.map { min(examined, $0) } }
        return choice.ids
    }

    /// Tells the pauses what the services answered, and postpones what they could not take.
    func note(_ attempts: [Attempt]) async {
        for (service, attempts) in Dictionary(grouping: attempts, by: \.service) {
            let now = clock.now()
            let outages = attempts.compactMap(\.outage)
            let (change, isPaused) = pauses.update(service) { pause in
                guard outages.count == attempts.count else { return pause.noteAnswer(at: now) }
                return pause.noteOutage(
                    of: outages.map(\.record.id), retryAfter: outages.compactMap(\.retryAfter).max(), at: now)
            }
            log(change, of: service, because: outages.first?.reason)
            await postpone(outages, isPaused: isPaused, now: now)
        }
    }

    private func log(_ change: ServicePause.Change?, of service: MessageService, because reason: String?) {
        switch change {
        case nil: break
        case .began:
            logger.warning(
                "a message service takes nothing; its messages wait",
                metadata: ["service": "\(service)", "reason": "\(reason ?? "")"])
        case .ended(let time):
            logger.notice(
                "a message service is reached again",
                metadata: ["service": "\(service)", "after": "\(time.wholeSeconds)s"])
        }
    }

    /// One write for all: an outage must not cost as many as there are messages.
    private func postpone(_ outages: [Outage], isPaused: Bool, now: Timestamp) async {
        guard let first = outages.first else { return }
        let delays = outages.map { outage -> Duration in
            let (record, longest) = (outage.record, ServicePause.longest)
            if isPaused { return min(backoff(after: record.attempts, retryAfter: outage.retryAfter), longest) }
            let usual = backoff(after: record.attempts, retryAfter: nil)
            let isShort = record.expiresAt - record.createdAt <= Self.shortLife
            return max(isShort ? min(usual, longest) : usual, min(outage.retryAfter ?? .zero, Self.shortLife))
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
    let paused: [MessageService: ServicePause.Admission]
    /// The latest one that was considered.
    private(set) var examined: UniqueID?
    let most: Int
    private var admitted: [UniqueID] = []
    private var probes: [MessageService: OutboxRecord] = [:]

    init(paused: [MessageService: ServicePause.Admission], examined: UniqueID?, most: Int) {
        self.paused = paused
        self.examined = examined
        self.most = most
    }

    var isFull: Bool { admitted.count >= most }
    var ids: [UniqueID] { admitted + probes.values.map(\.id) }

    /// Call this in the order of the ids.
    /// - Parameter service: `nil` for a push that needs none, because its device is not reached any more.
    mutating func consider(_ record: OutboxRecord, _ service: PushService?) {
        examined = record.id
        let service = service.map(MessageService.push)
        switch service.flatMap({ paused[$0] }) {
        case nil, .all?: admitted.append(record.id)
        case .nothing?: break
        case .one?:
            // As `Outbox.probe` chooses.
            guard let service, record.attempts <= probes[service]?.attempts ?? .max else { return }
            probes[service] = record
        }
    }
}
