internal import Core
internal import Kernel
internal import Logging
internal import Outbound
internal import Store
internal import WalletAuthWire

/// What has become of an event of a lease.
enum WebhookResult: Sendable {
    case delivered(WebhookDeliveryRecord)
    case failed(WebhookDeliveryRecord, String, retryAfter: Duration?)
    /// The receiver works, and refused this event.
    case rejected(WebhookDeliveryRecord, String, retryAfter: Duration?)
    case gone(WebhookDeliveryRecord)
    /// Something hindered this server, or, without a reason, another event of the lease failed first.
    case notSent(WebhookDeliveryRecord, String?)

    /// Whether the rest of the lease would fare no better.
    var endsLease: Bool {
        switch self {
        case .failed, .gone, .notSent: true
        case .delivered, .rejected: false
        }
    }

    var isAccepted: Bool {
        if case .delivered = self { true } else { false }
    }
}

extension WebhookDelivery {
    private typealias Failure = (event: WebhookDeliveryRecord, reason: String, retryAfter: Duration?)

    /// Records what has become of events.
    /// - Parameters:
    ///   - results: of some events of a lease.
    ///   - endpoint: the receiver, as it was before the lease.
    ///   - isProbe: whether the lease finds out if a receiver that failed is back. Then one event that it accepts tells that it is.
    ///   - hasAccepted: whether it accepted one of the lease, of these or before.
    func record(
        _ results: [WebhookResult], of endpoint: WebhookEndpoint, isProbe: Bool, hasAccepted: Bool
    ) async throws {
        let (id, now) = (endpoint.id, clock.now())
        var (delivered, unsent): ([UniqueID], [WebhookDeliveryRecord]) = ([], [])
        var (failed, rejected): ([Failure], [Failure]) = ([], [])
        var isGone = false
        var hindrance: String?
        for result in results {
            switch result {
            case .delivered(let event): delivered.append(event.eventID)
            case .notSent(let event, let reason):
                unsent.append(event)
                hindrance = hindrance ?? reason
            case .failed(let event, let reason, let retryAfter): failed.append((event, reason, retryAfter))
            case .rejected(let event, let reason, let retryAfter): rejected.append((event, reason, retryAfter))
            case .gone(let event):
                failed.append((event, "status 410", nil))
                isGone = true
            }
        }
        if !delivered.isEmpty {
            try await database.write(isolation: .guardedStatement) { [delivered] in
                try WebhookDeliveries.delivered(delivered, to: id, now: now, on: $0)
            }
            try await database.write(isolation: .guardedStatement) { [delivered] in
                try WebhookDeliveries.makeNextDue(after: delivered, of: id, now: now, on: $0)
            }
            webhooks.count { $0.delivered += UInt64(delivered.count) }
            try await noteSuccess(of: endpoint, now: now)
        }
        for failure in failed + rejected { try await postpone(failure, now: now) }
        // They are of one lease.
        if let lease = unsent.first?.leasedUntil {
            try await database.write(isolation: .guardedStatement) { [unsent] in
                try WebhookDeliveries.giveBack(
                    unsent.map(\.eventID), of: id, leasedUntil: lease, now: now, on: $0)
            }
        }
        if let hindrance {
            lanes.pause(id, now: now)
            logger.warning("webhooks not sent yet", metadata: ["webhook": "\(id.uuid)", "reason": "\(hindrance)"])
        }
        // A receiver that is back may still fail for some events. As each waits for its own turn, they hold up no others.
        guard isGone || !(isProbe && hasAccepted) else { return }
        // What it accepts shows that a refusal is the event's. Where it accepts nothing, so many refusals are its own.
        let refusesAll = delivered.isEmpty && lanes.noteRejections(of: rejected.map(\.event.subject), by: id)
        if let reason = failed.last?.reason ?? (refusesAll ? rejected.last?.reason : nil) {
            // What was read of the receiver before it accepted anything is over.
            let since = hasAccepted ? now : endpoint.failingSince ?? now
            try await noteFailure(of: endpoint, reason, since: since, isGone: isGone, now: now)
        }
    }

    /// Has a failed event tried again later, and what follows it after that.
    private func postpone(_ failure: Failure, now: Timestamp) async throws {
        let event = failure.event
        let random = random.bytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let delay = DeliveryBackoff.delay(after: event.attempts, retryAfter: failure.retryAfter, random: random)
        let isPostponed = try await database.write(isolation: .guardedStatement) {
            try WebhookDeliveries.postpone(event, until: now + delay, because: failure.reason, on: $0)
        }
        if isPostponed {
            try await database.write(isolation: .guardedStatement) {
                try WebhookDeliveries.postponeFollowers(of: event, until: now + delay, on: $0)
            }
        }
        webhooks.count { $0.failed += 1 }
        logger.warning(
            "webhook not delivered yet",
            metadata: [
                "webhook": "\(event.endpointID.uuid)", "event": "\(event.webhookID)", "type": "\(event.type)",
                "attempt": .stringConvertible(event.attempts), "reason": "\(failure.reason)",
                "again_in": "\(delay.wholeSeconds)s",
            ])
    }

    private func noteSuccess(of endpoint: WebhookEndpoint, now: Timestamp) async throws {
        let wasFailing = lanes.isFailing(endpoint.id) || endpoint.failingSince != nil
        lanes.noteSuccess(endpoint.id)
        guard wasFailing else { return }
        try await endpoint.noteSuccess(now: now, in: database)
        logger.notice("webhooks are delivered again", metadata: ["webhook": "\(endpoint.id.uuid)"])
    }

    /// Posts an event that carries nothing of a person.
    private func postTest(to endpoint: WebhookEndpoint, now: Timestamp) async throws -> WebhookOutcome {
        let signatures = vault.signatures(of: endpoint, at: now)
        guard !signatures.isEmpty else { return .failed("the secret cannot be read") }
        let test = endpoint.test(try random.timeOrderedID(now), at: now, by: signatures)
        do {
            return try await transport.post(test, now: now)
        } catch is CancellationError where !Task.isCancelled {
            return .notSent("the attempt was cancelled")
        }
    }

    private func noteFailure(
        of endpoint: WebhookEndpoint, _ reason: String, since: Timestamp, isGone: Bool, now: Timestamp
    ) async throws {
        var isOver = isGone
        if !isGone, now - since >= WebhookEndpoint.patience {
            // Where few events happen, those that it fails at may all be of one person, who wrote into them.
            if endpoint.notice != nil {
                // No notice is a mere test.
                isOver = try await database.read {
                    try WebhookDeliveries.failForSeveral(at: endpoint.id, now: now, on: $0)
                }
            } else {
                switch try await postTest(to: endpoint, now: now) {
                case .delivered: return try await noteSuccess(of: endpoint, now: now)
                case .failed, .rejected, .gone: isOver = true
                case .notSent: break
                }
            }
        }
        guard isOver else {
            try await database.write(isolation: .guardedStatement) {
                try WebhookEndpoints.noteFailure(endpoint.id, reason, now: now, on: $0)
            }
            // Afterwards: what the row says of failures ends a pause.
            return lanes.noteFailure(endpoint.id, now: now)
        }
        var details = JSONObject()
        details.set("webhookId", endpoint.id.uuid)
        details.set("brand", endpoint.brandID)
        details.set("reason", reason)
        details.set("failingSince", since.text)
        let entry = try auditLog.administration(
            AdministrationEvent.webhookDisabled, client: endpoint.clientID, details: details, now: now)
        let isDisabled = try await database.write { connection in
            guard
                try WebhookEndpoints.disable(
                    endpoint.id, failingSince: since, because: reason, now: now, on: connection)
            else { return false }
            try entry.write(on: connection)
            return true
        }
        guard isDisabled else { return }
        logger.error(
            "a webhook was switched off, since every delivery failed; its events wait until they expire",
            metadata: [
                "webhook": "\(endpoint.id.uuid)", "failing_since": "\(since.text)", "reason": "\(reason)",
                "remedy": "walletauth webhook replay \(endpoint.id.uuid)",
            ])
    }
}

extension WebhookEndpoint {
    /// Failures for so long are the receiver's, and not those of an event.
    private static let outage = Duration.minutes(1)
    /// The events that are tried again at once after an outage.
    private static let resumed = 500

    /// Records that it accepts events again. Other processes read it from the row, and end their pauses.
    func noteSuccess(now: Timestamp, in database: any Database) async throws {
        try await database.write(isolation: .guardedStatement) { try WebhookEndpoints.noteSuccess(id, on: $0) }
        // After an outage, what has failed need not wait any longer. After a failure of a moment it was the event's.
        guard let failingSince, now - failingSince >= Self.outage else { return }
        _ = try await database.write(isolation: .guardedStatement) {
            try WebhookDeliveries.makeDue(of: id, now: now, limit: Self.resumed, on: $0)
        }
    }

    /// A post of an event that nothing has caused.
    func test(_ event: UniqueID, at now: Timestamp, by signatures: [WebhookSignature]) -> WebhookRequest {
        var envelope = JSONObject()
        envelope.set("type", "webhook.test")
        envelope.set("timestamp", now.text)
        envelope["data"] = .object(JSONObject(strings: ["webhookId": id.uuid]))
        return WebhookRequest(url: url, id: "evt_\(event.uuid)", body: envelope.bytes, signatures: signatures)
    }
}
