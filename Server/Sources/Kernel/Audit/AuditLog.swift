package import Core
package import Store
internal import Synchronization
package import WalletAuthWire

/// A kind of event in the audit log. Each flow declares its own.
package protocol SecurityEventKind: Sendable {
    /// A noun, a dot and a participle.
    var rawValue: String { get }

    /// The webhooks that receivers subscribe to in order to hear of it; `nil` if they do not.
    var webhookKind: WebhookKind? { get }
}

/// The record of changes to accounts, for holders and auditors. An entry is written in the transaction of the change, together
/// with the message to the holder, if there is one.
package struct AuditLog: Sendable {
    package let sealing: SealingKeys
    let outbox: OutboxActivity
    let webhooks: WebhookActivity
    private let order = EventOrder()

    private static let keptUserAgentScalars = 256

    /// An event, optionally with a message.
    /// - Parameters:
    ///   - origin: of the request; `nil` for what no request causes.
    ///   - properties: of the event.
    ///   - appProperties: what an app said besides, for the log alone: receivers of webhooks would take it for members of the event.
    ///   - email: the message's recipient; `nil` for the address or number that the account has at delivery.
    package func entry(
        _ event: some SecurityEventKind, account: UniqueID, client: String? = nil, origin: RequestOrigin? = nil,
        properties: [String: String] = [:], appProperties: [String: String] = [:], now: Timestamp,
        details: JSONObject = JSONObject(),
        message: (any SecurityMessage)? = nil, email: String? = nil
    ) throws -> Entry {
        let told = details
        var details = details
        details.set("address", origin?.address)
        // Enough to recognize one's own browser; the header may be kilobytes of anything.
        details.set("user_agent", origin?.userAgent.map { String($0.unicodeScalars.prefix(Self.keptUserAgentScalars)) })
        details.set("trace_id", origin?.traceID)
        if OperatorAction.isRunning { details[OperatorAction.detail] = .bool(true) }
        let logged = appProperties.merging(properties) { _, own in own }
        if !logged.isEmpty { details["properties"] = .object(JSONObject(strings: logged)) }
        let record = SecurityEvent(
            id: try order.nextID(at: now, random: sealing.random), accountID: account, clientID: client,
            kind: event.rawValue, occurredAt: now, details: String(decoding: details.bytes, as: UTF8.self))
        return Entry(
            event: try chained(record),
            message: try message.map { try sealed($0, account: account, email: email, now: now) },
            webhook: event.webhookKind.map {
                BackendEvent(record, $0, account: account, details: told, properties: properties)
            }, webhooks: webhooks)
    }

    /// An operator's action, which usually concerns no single account.
    package func administration(
        _ event: some SecurityEventKind, account: UniqueID? = nil, client: String? = nil,
        details: JSONObject = JSONObject(), now: Timestamp
    ) throws -> Entry {
        let record = SecurityEvent(
            id: try order.nextID(at: now, random: sealing.random), accountID: account, clientID: client,
            kind: event.rawValue, occurredAt: now, details: String(decoding: details.bytes, as: UTF8.self))
        return Entry(event: try chained(record), message: nil, webhooks: webhooks)
    }

    private func chained(_ record: SecurityEvent) throws -> ChainedEvent {
        ChainedEvent(
            record: record, salt: sealing.random.bytes(AuditEntry.saltLength), key: try sealing.keyRing.active(.audit))
    }

    /// A message without an event.
    /// - Parameters:
    ///   - email: the recipient, a number if the message's channel is SMS; `nil` for what the account has at delivery.
    ///   - dueAt: not sent before; `nil` for at once.
    package func entry(
        _ message: some SecurityMessage, account: UniqueID?, email: String?, dueAt: Timestamp? = nil, now: Timestamp
    ) throws -> Entry {
        Entry(
            event: nil, message: try sealed(message, account: account, email: email, dueAt: dueAt, now: now),
            webhooks: webhooks)
    }

    private func sealed(
        _ message: any SecurityMessage, account: UniqueID?, email: String?, dueAt: Timestamp? = nil, now: Timestamp
    ) throws -> OutboxMessage {
        let id = try sealing.random.timeOrderedID(now)
        var content = JSONObject(strings: message.values(at: now))
        content.set("to", email)
        if message.kind.template.advice.answersRequest || PageLanguage.isHolders {
            content.set("language", PageLanguage.current?.rawValue)
        }
        let record = OutboxRecord(
            id: id, accountID: account, kind: message.kind.rawValue,
            sealed: try sealing.seal(content.bytes, for: .outbox, context: Self.context(id)), createdAt: now,
            dueAt: dueAt ?? now, expiresAt: now + message.lifetime)
        return OutboxMessage(record: record, channel: message.channel, activity: outbox)
    }

    static func context(_ id: UniqueID) -> String { "outbox|sealed|\(id.uuid)" }
}

/// Numbers the ids of events, so that a list by id has those of one millisecond in the order in which they happened: the creation of an
/// account before the first sign-in, which the same request may bring.
private final class EventOrder: Sendable {
    private let last = Mutex<UInt16>(0)

    /// An id whose first bits after the time count (RFC 9562 §6.2). Once in 4,096 events they begin again.
    func nextID(at now: Timestamp, random: any RandomBytes) throws -> UniqueID {
        let number = last.withLock { last in
            last = (last + 1) & 0x0FFF
            return last
        }
        var bytes = random.bytes(16)
        bytes.replaceSubrange(6..<8, with: [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)])
        guard let id = UniqueID.timeOrdered(now, bytes) else { throw InvariantViolation() }
        return id
    }
}

/// The audit log's events about itself.
package enum AuditEvent: String, SecurityEventKind, CaseIterable {
    case began = "audit.began"
}
