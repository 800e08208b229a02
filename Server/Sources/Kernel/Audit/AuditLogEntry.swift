package import Core
package import Store

extension AuditLog {
    /// An event with its message. Sealed and given its ids before the transaction, whose body may run more than once.
    package struct Entry: Sendable {
        var event: ChainedEvent?
        var message: OutboxMessage?

        /// The message's id in the outbox; `nil` without a message.
        package var messageID: UniqueID? { message?.record.id }

        /// Writes both.
        /// - Returns: the event's place in the audit log.
        @discardableResult
        package func write(on connection: any SQLConnection) throws -> AuditHead.Place? {
            let place = try event.map {
                try SecurityEvents.append($0.record, salt: $0.salt, key: $0.key, on: connection)
            }
            try message?.post(on: connection)
            return place
        }
    }

    /// A message, complete except for its channel.
    struct OutboxMessage: Sendable {
        var record: OutboxRecord
        /// The required channel, if any.
        var channel: OutboxChannel?
        var activity: OutboxActivity

        func post(on connection: any SQLConnection) throws {
            var record = record
            record.channel = try channel ?? Self.channel(to: record.accountID, on: connection)
            try Outbox.post(record, on: connection)
            activity.wake()
        }

        /// E-mail, which holds more and costs nothing; SMS for an account without an e-mail address.
        private static func channel(
            to account: UniqueID?, on connection: any SQLConnection
        ) throws -> OutboxChannel {
            guard let account = try account.flatMap({ try Accounts.find($0, on: connection) }) else { return .none }
            if account.email != nil { return .email }
            return account.phone != nil ? .sms : .none
        }
    }

    /// An event with everything that binds it to its chain.
    struct ChainedEvent: Sendable {
        var record: SecurityEvent
        var salt: [UInt8]
        var key: DataKey
    }
}
