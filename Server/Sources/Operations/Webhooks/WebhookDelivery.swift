internal import Core
package import Kernel
internal import Logging
internal import Outbound
internal import Store

/// Delivers events to their receivers, each at least once, until it expires.
///
/// One write leases events, the posts run outside any transaction, and another write records the results. If the process dies in
/// between, the lease ends and the events are posted again under the same ids. Of one subject, only the first event that was not
/// delivered is taken.
package struct WebhookDelivery: Sendable {
    let transport: any WebhookTransport
    /// The time limit of an attempt.
    let timeout: Duration
    let webhooks: WebhookActivity
    let database: any Database
    let vault: Vault<WebhookField>
    let logoutTokens: LogoutTokens
    let pings: Pings
    let auditLog: AuditLog
    let clock: any Clock
    let clocks: ClockMonitor
    let random: any RandomBytes
    let logger: Logger
    let lanes = WebhookLanes()

    /// The events of one lease.
    private static let batch = 64
    /// The events of a probe, which finds out whether a receiver that failed is back: half of them are the oldest, half the newest, and
    /// all are posted at once. A receiver may fail at a single event whatever happens, and at all of the oldest if people wrote them so.
    private static let probe = posts
    /// The posts in progress of one lane.
    private static let posts = 16
    /// How long the posts of a lease are signed by the secrets that were read.
    private static let freshness = Duration.seconds(1)
    /// How often events are looked for without a wake-up, for postponed ones and for those of other processes.
    private static let interval = Duration.seconds(1)
    /// The events that are postponed before a delivery, so that its lease is hardly shorter for them.
    private static let mostPostponed = 10_000
    /// How long events are postponed behind one that is in delivery, if its process dies before it makes the next one due.
    private static let pause = Duration.seconds(30)
    /// The receivers of one look. Those that fail are always among them.
    private static let receivers = 10_000

    /// Delivers until ``stop()``, or until the task is cancelled.
    package func run() async {
        let wakes = webhooks.signal.wakes()
        let ticker = Task {
            while !Task.isCancelled {
                try await Task.sleep(for: Self.interval)
                webhooks.signal.checkNow()
            }
        }
        await withDiscardingTaskGroup { group in
            var isFailing = false
            for await _ in wakes {
                do {
                    let due = try await due()
                    // An operator has what waits delivered, or another process has reached the receiver.
                    for endpoint in due where !endpoint.isFailing { lanes.noteRecovery(endpoint.id) }
                    for id in lanes.inTurn(due.map(\.id)) where lanes.open(id, now: clock.now()) {
                        group.addTask { await serve(id) }
                    }
                    isFailing = false
                } catch is CancellationError {
                    return
                } catch {
                    // The next look finds the same events. Logged once, not every second.
                    if !isFailing { logger.error("webhooks cannot be read", metadata: ["error": "\(error)"]) }
                    isFailing = true
                }
            }
        }
        ticker.cancel()
    }

    /// Begins no further deliveries; ``run()`` returns when those in progress are done.
    package func stop() { webhooks.signal.stop() }

    private var isStopped: Bool { webhooks.signal.isStopped }

    private func due() async throws -> [(id: UniqueID, isFailing: Bool)] {
        let now = clock.now()
        // By a wrong time, signatures would be refused, and events would expire.
        guard clocks.check().allowsRequests else { return [] }
        return try await database.read { try WebhookEndpoints.due(now: now, limit: Self.receivers, on: $0) }
    }

    /// One lane of a receiver, until nothing is due, or another receiver waits for a lane.
    private func serve(_ endpoint: UniqueID) async {
        var hasServed = false
        defer {
            // The one that waits gets the lane now, and not by the next look. Without a delivery it might be the same one again.
            if lanes.close(endpoint), hasServed { webhooks.signal.checkNow() }
        }
        do {
            repeat {
                while !isStopped, lanes.isOpen(endpoint, now: clock.now()), try await deliverDue(endpoint) > 0 {
                    hasServed = true
                }
            } while !isStopped && lanes.looksAgain(endpoint, now: clock.now())
        } catch is CancellationError {
            // The server is stopping; the next start continues.
        } catch {
            // The next look, or the next one after the lease, finds the same events.
            logger.error(
                "webhooks cannot be recorded", metadata: ["webhook": "\(endpoint.uuid)", "error": "\(error)"])
        }
    }

    /// Delivers what is due to every receiver, one after the other.
    /// - Returns: the number of events taken.
    @discardableResult
    package func deliverAllDue() async throws -> Int {
        var taken = 0
        for endpoint in try await due() { taken += try await deliverDue(endpoint.id) }
        return taken
    }

    /// Leases the due events of a receiver, posts them and records the results.
    /// - Returns: the number of events taken, or of those that were found to wait for others; 0 once nothing is left to do.
    /// - Throws: `CancellationError` or infrastructure errors.
    @discardableResult
    func deliverDue(_ id: UniqueID) async throws -> Int {
        let now = clock.now()
        guard clocks.check().allowsRequests else { return 0 }
        let isProbe = lanes.isFailing(id)
        let limit = isProbe ? Self.probe : Self.batch
        guard let (endpoint, first) = try await take(of: id, limit: limit, isProbe: isProbe, now: now) else { return 0 }
        var (events, postponed) = (first, 0)
        // Those that wait for others may hide some that wait for none.
        while events.count < limit, postponed < Self.mostPostponed {
            let moved = try await postponeBlocked(of: id, hasTaken: !events.isEmpty, now: now)
            guard moved > 0 else { break }
            postponed += moved
            let rest = limit - events.count
            guard let (_, more) = try await take(of: id, limit: rest, isProbe: isProbe, now: now) else { break }
            events += more
        }
        guard !events.isEmpty else { return postponed }
        try await post(events, to: endpoint, isProbe: isProbe)
        return events.count
    }

    /// Takes the oldest due events, and for a probe the newest as well.
    private func take(
        of id: UniqueID, limit: Int, isProbe: Bool, now: Timestamp
    ) async throws -> (WebhookEndpoint, [WebhookDeliveryRecord])? {
        guard isProbe else { return try await take(.oldest, of: id, limit: limit, now: now) }
        guard let (endpoint, oldest) = try await take(.oldest, of: id, limit: (limit + 1) / 2, now: now) else {
            return nil
        }
        let rest = limit - oldest.count
        guard rest > 0, let (_, newest) = try await take(.newest, of: id, limit: rest, now: now) else {
            return (endpoint, oldest)
        }
        return (endpoint, oldest + newest)
    }

    private func take(
        _ end: WebhookDeliveries.End, of id: UniqueID, limit: Int, now: Timestamp
    ) async throws -> (WebhookEndpoint, [WebhookDeliveryRecord])? {
        // Every post of a lease can take as long as it may.
        let lease = now + timeout * (Self.batch / Self.posts + 1)
        return try await database.write(isolation: .guardedStatement) { connection in
            guard let endpoint = try WebhookEndpoints.find(id, on: connection), endpoint.disabledAt == nil else {
                return nil
            }
            return (
                endpoint,
                try WebhookDeliveries.take(end, of: id, now: now, until: lease, limit: limit, on: connection)
            )
        }
    }

    /// Postpones events that wait for others. What follows an event in delivery is postponed only if so much is due that it hides
    /// others: the next one is due again as soon as that one is delivered, or else after a pause.
    private func postponeBlocked(of id: UniqueID, hasTaken: Bool, now: Timestamp) async throws -> Int {
        let isCrowded = try await database.read { try WebhookDeliveries.isCrowded(id, now: now, on: $0) }
        guard isCrowded || !hasTaken else { return 0 }
        return try await database.write(isolation: .guardedStatement) {
            try WebhookDeliveries.postponeBlocked(
                of: id, now: now, othersUntil: isCrowded ? now + Self.pause : nil, on: $0)
        }
    }

    // MARK: - Posting

    private enum Step: Sendable {
        case posted(WebhookResult)
        case recorded
    }

    /// Posts a few events at a time, and records results while others are in progress: what a slow answer follows must not wait
    /// for it. After a failure nothing more is sent. The failures of a probe are recorded once one of it was accepted, or all have
    /// failed.
    private func post(
        _ events: [WebhookDeliveryRecord], to endpoint: WebhookEndpoint, isProbe: Bool
    ) async throws {
        var signedAt = clock.now()
        var signatures = vault.signatures(of: endpoint, at: signedAt)
        try await withThrowingTaskGroup(of: Step.self) { group in
            var waiting = events[...]
            var results: [WebhookResult] = []
            var (inProgress, isRecording, hasFailed, hasAccepted) = (0, false, false, false)
            while true {
                if hasFailed {
                    results += waiting.map { .notSent($0, nil) }
                    waiting = []
                }
                if !waiting.isEmpty, inProgress < Self.posts, clock.now() - signedAt >= Self.freshness {
                    signedAt = clock.now()
                    // A secret that leaked has ended, or the receiver was removed or switched off.
                    guard let current = try await currentEndpoint(endpoint.id) else {
                        hasFailed = true
                        continue
                    }
                    signatures = vault.signatures(of: current, at: signedAt)
                }
                while inProgress < Self.posts, let event = waiting.popFirst() {
                    inProgress += 1
                    group.addTask { [signatures] in .posted(try await post(event, to: endpoint, by: signatures)) }
                }
                let isUndecided = isProbe && !hasAccepted && inProgress > 0
                if !isRecording, !results.isEmpty, !isUndecided {
                    let finished = results
                    results = []
                    isRecording = true
                    group.addTask { [hasAccepted] in
                        try await record(finished, of: endpoint, isProbe: isProbe, hasAccepted: hasAccepted)
                        return .recorded
                    }
                }
                guard let step = try await group.next() else { return }
                switch step {
                case .recorded: isRecording = false
                case .posted(let result):
                    inProgress -= 1
                    hasFailed = hasFailed || result.endsLease
                    hasAccepted = hasAccepted || result.isAccepted
                    results.append(result)
                }
            }
        }
    }

    /// A receiver as it is now; `nil` once it was removed or switched off.
    private func currentEndpoint(_ id: UniqueID) async throws -> WebhookEndpoint? {
        try await database.read { try WebhookEndpoints.find(id, on: $0) }.flatMap { $0.disabledAt == nil ? $0 : nil }
    }

    private func post(
        _ event: WebhookDeliveryRecord, to endpoint: WebhookEndpoint, by signatures: [WebhookSignature]
    ) async throws -> WebhookResult {
        let request: WebhookRequest
        switch endpoint.notice {
        case .logout:
            guard let form = try await logoutTokens.form(for: event, to: endpoint, now: clock.now()) else {
                return .failed(event, "its client is gone", retryAfter: nil)
            }
            request = WebhookRequest(url: endpoint.url, id: event.webhookID, form: form)
        case .ping:
            guard let ping = try await pings.request(for: event, to: endpoint.url) else {
                return .failed(event, "what it is about is gone", retryAfter: nil)
            }
            request = ping
        case nil:
            guard !signatures.isEmpty else { return .failed(event, "the secret cannot be read", retryAfter: nil) }
            request = WebhookRequest(
                url: endpoint.url, id: event.webhookID, body: Array(event.body.utf8), signatures: signatures)
        }
        let began = ContinuousClock.now
        defer { lanes.noteAnswer(of: endpoint.id, after: .now - began) }
        do {
            return switch try await transport.post(request, now: clock.now()) {
            case .delivered: .delivered(event)
            case .gone: .gone(event)
            case .failed(let reason, let retryAfter): .failed(event, reason, retryAfter: retryAfter)
            case .rejected(let reason, let retryAfter): .rejected(event, reason, retryAfter: retryAfter)
            case .notSent(let reason): .notSent(event, reason)
            }
        } catch is CancellationError where !Task.isCancelled {
            return .notSent(event, "the attempt was cancelled")
        }
    }
}

extension ServerContext {
    /// - Parameter timeout: the time limit of an attempt, which the transport keeps.
    package func webhookDelivery(timeout: Duration = .seconds(10)) -> WebhookDelivery {
        WebhookDelivery(
            transport: webhookTransport, timeout: timeout, webhooks: webhooks, database: database,
            vault: Vault<WebhookField>(sealing), logoutTokens: LogoutTokens(self), pings: Pings(self),
            auditLog: auditLog, clock: clock,
            clocks: clocks, random: random, logger: logger)
    }
}
