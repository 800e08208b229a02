package import Core
package import Store

extension AuditLog {
    /// An event with its message and its webhook. Sealed and given its ids before the transaction, whose body may run more than once.
    package struct Entry: Sendable {
        var event: ChainedEvent?
        var message: OutboxMessage?
        var webhook: BackendEvent?
        /// More clients whose receivers hear of it.
        var owners: [String] = []
        let webhooks: WebhookActivity

        /// The message's id in the outbox; `nil` without a message.
        package var messageID: UniqueID? { message?.record.id }

        /// The same entry, with a webhook of its own making.
        /// - Parameter event: makes it, with the id of this entry.
        package func telling(_ event: (UniqueID) -> BackendEvent) -> Entry {
            var entry = self
            entry.webhook = self.event.map { event($0.record.id) }
            return entry
        }

        /// The same entry, of which the receivers of a client hear instead of those of the client that caused it: what it is about, such
        /// as a device or a session, is that client's.
        package func telling(client: String) -> Entry {
            var entry = self
            entry.webhook?.clientID = client
            return entry
        }

        /// The same entry, of which the receivers of more clients hear, each as of an event of its own client: what it is about, such as
        /// several sessions, is theirs.
        package func telling(owners: [String]) -> Entry {
            var entry = self
            entry.owners = owners
            return entry
        }

        /// Writes them.
        /// - Returns: the event's place in the audit log.
        @discardableResult
        package func write(on connection: any SQLConnection) throws -> AuditHead.Place? {
            let place = try event.map {
                try SecurityEvents.append($0.record, salt: $0.salt, key: $0.key, on: connection)
            }
            try message?.post(on: connection)
            if let webhook, let place {
                let others = owners.filter { $0 != webhook.clientID }.map(webhook.heard(onlyBy:))
                let receivers = try ([webhook] + others).map { try $0.write(sequence: place.sequence, on: connection) }
                if receivers.contains(where: { $0 > 0 }) { webhooks.signal.noteWritten() }
            }
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
            activity.signal.noteWritten()
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
