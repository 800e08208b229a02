public import AuthCore
internal import AuthStore
internal import WalletAuthWire

/// Reads the messages to people that wait to be sent, as a developer wants to see them. There is none in production:
/// codes are among them.
public struct MessageReader: Sendable {
    /// One message.
    public struct Message: Sendable, Hashable {
        /// What it is, by the name of its template: `email_code`, `session_ended_reuse`, `wallet_deactivated` …
        public var kind: String
        /// The e-mail address it goes to; the account's id where the account has none.
        public var recipient: String
        /// When it was written.
        public var createdAt: Timestamp
        /// The code in it, where it carries one.
        public var code: String?
    }

    let context: ServerContext

    /// The latest messages, newest first; the content of one that was delivered is gone.
    /// - Parameter limit: the most messages wanted.
    /// - Throws: infrastructure trouble.
    public func recent(limit: Int) async throws -> [Message] {
        let vault = AccountVault(context: context)
        let found = try await context.database.read { connection in
            try Outbox.recent(limit: limit, on: connection).map { record in
                (record, try record.accountID.flatMap { try Accounts.find($0, on: connection) })
            }
        }
        return found.compactMap { record, account in
            guard let bytes = context.open(record.sealed, for: .outbox, context: Journal.context(record.id)),
                let content = try? JSONValue.object(parsing: bytes)
            else { return nil }
            let address = account.flatMap { vault.open($0.email, .email, of: $0.id) }
            return Message(
                kind: record.kind,
                recipient: content["to"]?.string ?? address ?? record.accountID?.uuid ?? "",
                createdAt: record.createdAt, code: content["code"]?.string)
        }
    }
}

extension AuthorizationServer {
    /// The waiting messages; `nil` in production.
    public var messages: MessageReader? {
        context.settings.environment == .sandbox ? MessageReader(context: context) : nil
    }
}
