internal import Core
internal import Logging
package import Outbound
internal import Store

/// The transports of this server. A channel without one keeps its messages waiting.
package struct MessageTransports: Sendable {
    package var email: (any MessageTransport)?
    package var sms: (any MessageTransport)?
    package var push: (any MessageTransport)?
    /// The time limit of an attempt. Another process takes over a message that has been leased for twice as long.
    package var timeout: Duration

    package init(
        email: (any MessageTransport)? = nil, sms: (any MessageTransport)? = nil,
        push: (any MessageTransport)? = nil, timeout: Duration = .seconds(30)
    ) {
        self.email = email
        self.sms = sms
        self.push = push
        self.timeout = timeout
    }

    subscript(channel: OutboxChannel) -> (any MessageTransport)? {
        switch channel {
        case .none: nil
        case .email: email
        case .sms: sms
        case .push: push
        }
    }
}

/// Delivers the messages of the outbox, each at least once, until it expires.
///
/// This folder owns the rendering and delivery of messages, and the sentences that they share. Each flow declares its own messages
/// with their texts, and writes them in its transaction.
///
/// One write leases a message, the attempt runs outside any transaction, and another write records the result. If the process
/// dies in between, the lease expires and the message is sent again with the same ID.
package struct MessageDelivery: Sendable {
    let transports: MessageTransports
    let outbox: OutboxActivity
    let pauses = ServicePauses()
    let database: any Database
    let rendering: MessageRendering
    let auditLog: AuditLog
    /// Whether the content of a delivered message is kept.
    let keepsDelivered: Bool
    let clock: any Clock
    let clocks: ClockMonitor
    let random: any RandomBytes
    let logger: Logger

    /// The messages of mail or of SMS in progress, each with a connection.
    private static let slots = 8
    /// The messages of one batch. Pushes share a connection.
    static let batch = 64
    /// A message that is of use for so short is not postponed for longer than a pause.
    private static let shortLife = Duration.hours(1)
    /// How often the outbox is checked without a wake-up, for postponed messages and for messages of other processes.
    private static let interval = Duration.seconds(1)

    /// Delivers until ``stop()``, or until the task is cancelled.
    package func run() async {
        await withTaskGroup { group in
            for channel in OutboxChannel.allCases where transports[channel] != nil {
                let wakes = outbox.signal.wakes()
                group.addTask { await serve(channel, wakes) }
            }
            let ticker = Task {
                while !Task.isCancelled {
                    try await Task.sleep(for: Self.interval)
                    outbox.signal.checkNow()
                }
            }
            await group.waitForAll()
            ticker.cancel()
        }
    }

    /// Accepts no further messages; ``run()`` returns when those in progress are done.
    package func stop() {
        outbox.signal.stop()
    }

    private func serve(_ channel: OutboxChannel, _ wakes: AsyncStream<Void>) async {
        let slots = DeliverySlots(Self.slots)
        await withDiscardingTaskGroup { group in
            var isFailing = false
            for await _ in wakes {
                do {
                    if channel == .push {
                        while !outbox.signal.isStopped, try await deliverDue(channel) > 0 {}
                    } else if !outbox.signal.isStopped {
                        for message in try await takeDue(channel, into: slots.free) {
                            slots.begin(message.record)
                            group.addTask {
                                _ = await attempt(message, in: channel)
                                slots.end(message.record)
                                outbox.signal.checkNow()
                            }
                        }
                    }
                    isFailing = false
                } catch is CancellationError {
                    return
                } catch {
                    // The next check finds the same messages. Logged once, not every second.
                    if !isFailing {
                        logger.error(
                            "messages cannot be read from the outbox",
                            metadata: ["channel": "\(channel.rawValue)", "error": "\(error)"])
                    }
                    isFailing = true
                }
            }
        }
    }

    /// Leases a batch of due messages of a channel, attempts delivery and records the results.
    /// - Returns: the number of messages taken.
    /// - Throws: `CancellationError`.
    @discardableResult
    func deliverDue(_ channel: OutboxChannel) async throws -> Int {
        guard transports[channel] != nil else { return 0 }
        let taken = try await takeDue(channel, into: DeliverySlots.Free(all: Self.batch, retried: Self.batch))
        let attempts = await withTaskGroup(of: Attempt?.self) { group in
            for message in taken {
                group.addTask { await attempt(message, in: channel) }
            }
            return await group.reduce(into: [Attempt]()) { attempts, attempt in
                if let attempt { attempts.append(attempt) }
            }
        }
        await note(attempts)
        try Task.checkCancellation()
        return taken.count
    }

    private func takeDue(_ channel: OutboxChannel, into free: DeliverySlots.Free) async throws -> [Taken] {
        guard free.all > 0 else { return [] }
        let now = clock.now()
        // By a wrong time, messages would be given up, or sent before they are due.
        guard clocks.check().allowsRequests else { return [] }
        let isDue = try await database.read {
            try Outbox.isDue(channel, untried: free.retried == 0, now: now, on: $0)
        }
        guard isDue else { return [] }
        if channel == .push { return try await takePushes(now: now) }
        return try await lease(now: now) {
            try Outbox.take(channel, now: now, until: $0, limit: free.all, retried: free.retried, on: $1)
        }
    }

    /// - Parameter take: takes messages until the end of a lease.
    func lease(
        now: Timestamp, _ take: @escaping @Sendable (Timestamp, any SQLConnection) throws -> [OutboxRecord]
    ) async throws -> [Taken] {
        let end = now + transports.timeout * 2
        return try await database.write { [rendering] connection in
            try take(end, connection).map {
                Taken(record: $0, facts: try rendering.facts(of: $0, now: now, on: connection))
            }
        }
    }

    /// One attempt. Its failure does not affect other messages: without a recorded result, the message is sent again after its lease.
    /// - Returns: what the service of a push answered, if it was asked.
    private func attempt(_ message: Taken, in channel: OutboxChannel) async -> Attempt? {
        let (record, facts) = (message.record, message.facts)
        guard let transport = transports[channel] else { return nil }
        if case .gone? = facts.destination {
            await recording(record) { try await drop(record) }
            return nil
        }
        let rendered = rendering.render(record, facts)
        guard let rendered, let recipient = rendered.recipient else {
            let reason = rendered == nil ? "the content cannot be read" : "the account has no address for it"
            await recording(record) { try await settle(record, .refused(reason), sentTo: nil) }
            return nil
        }
        let now = clock.now()
        // It may have waited for this attempt; an expired code must not be sent.
        guard now < record.expiresAt else { return nil }
        let message = OutgoingMessage(
            id: record.id.uuid, kind: record.kind, recipient: recipient, subject: rendered.subject,
            text: rendered.text, createdAt: record.createdAt, expiresAt: record.expiresAt, push: rendered.target)
        // It throws only if the server is stopping; the next start continues.
        guard let outcome = try? await transport.deliver(message, now: now) else { return nil }
        await recording(record) { try await settle(record, outcome, sentTo: rendered.push) }
        return rendered.push.map {
            Attempt(record: record, service: $0.service, address: recipient, outcome: outcome)
        }
    }

    func recording(_ record: OutboxRecord, _ body: () async throws -> Void) async {
        do {
            try await body()
        } catch is CancellationError {
            // The server is stopping; the next start continues.
        } catch {
            logger.error(
                "the outcome of a message cannot be recorded",
                metadata: ["message": "\(record.id.uuid)", "error": "\(error)"])
        }
    }

    /// What a push told of has ended, or its device is not reached any more.
    private func drop(_ record: OutboxRecord) async throws {
        try await database.write { try Outbox.drop(record, on: $0) }
        logger.debug("push dropped", metadata: ["message": "\(record.id.uuid)", "kind": "\(record.kind)"])
    }

    private func settle(
        _ record: OutboxRecord, _ outcome: DeliveryOutcome, sentTo device: PushRegistration?
    ) async throws {
        let now = clock.now()
        var log = metadata(of: record)
        switch outcome {
        case .delivered:
            let kept = keepsDelivered ? record.sealed : []
            try await database.write { try Outbox.delivered(record, keeping: kept, now: now, on: $0) }
            outbox.count(record.channel) { $0.delivered += 1 }
            logger.info("message delivered", metadata: log)
        case .unavailable where device != nil:
            // Recorded with the others of its batch, which tell whether it is an outage.
            break
        case .postponed(let reason, let retryAfter), .unavailable(let reason, let retryAfter):
            let delay = delay(of: record, retryAfter: retryAfter)
            try await database.write {
                try Outbox.postpone(record, until: now + delay, because: reason, on: $0)
            }
            notePostponed(record, reason, delay)
        case .refused(let reason):
            try await database.write { try Outbox.fail(record, because: reason, now: now, on: $0) }
            outbox.count(record.channel) { $0.failed += 1 }
            log["reason"] = "\(reason)"
            logger.error("message cannot be delivered", metadata: log)
        case .unregistered(let reason, let since):
            let devices = rendering.catalog[record.kind]?.devices
            try await database.write { connection in
                try Outbox.fail(record, because: reason, now: now, on: connection)
                if let device, let account = record.accountID {
                    try devices?.remove(
                        device, of: account, since: since, auditLog: auditLog, now: now, on: connection)
                }
            }
            outbox.count(record.channel) { $0.failed += 1 }
            log["reason"] = "\(reason)"
            log["device"] = device.map { "\($0.device.uuid)" }
            logger.notice("a push address no longer leads to the app", metadata: log)
        }
    }
}

extension MessageDelivery {
    /// Until the next attempt after a failed one. The trouble of one recipient delays no other.
    func delay(of record: OutboxRecord, retryAfter: Duration?) -> Duration {
        let random = random.bytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let usual = DeliveryBackoff.delay(after: record.attempts, retryAfter: nil, random: random)
        let isShort = record.expiresAt - record.createdAt <= Self.shortLife
        return max(
            isShort ? min(usual, ServicePause.longest) : usual, min(retryAfter ?? .zero, DeliveryBackoff.longest))
    }

    /// - Parameter isLogged: an outage is logged once, and not for each message.
    func notePostponed(_ record: OutboxRecord, _ reason: String, _ delay: Duration, isLogged: Bool = true) {
        outbox.count(record.channel) { $0.postponed += 1 }
        guard isLogged else { return }
        var log = metadata(of: record)
        log["reason"] = "\(reason)"
        log["again_in"] = "\(delay.wholeSeconds)s"
        logger.warning("message not delivered yet", metadata: log)
    }

    private func metadata(of record: OutboxRecord) -> Logger.Metadata {
        [
            "message": "\(record.id.uuid)", "kind": "\(record.kind)", "channel": "\(record.channel.rawValue)",
            "attempt": .stringConvertible(record.attempts),
        ]
    }
}

extension ServerContext {
    package func delivery(by transports: MessageTransports) -> MessageDelivery {
        MessageDelivery(
            transports: transports, outbox: outbox, database: database, rendering: rendering, auditLog: auditLog,
            // In the sandbox, developers can still see what was sent.
            keepsDelivered: settings.environment == .sandbox, clock: clock, clocks: clocks, random: random,
            logger: logger)
    }
}
