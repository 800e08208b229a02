internal import ArgumentParser
internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

enum OutboxCommands: CommandNoun {
    static let title = "outbox"
    static let abstract = "List the messages to people, and retry their delivery."
    static let commands: [any AdminCommand.Type] = [OutboxList.self, OutboxRetry.self]
}

struct OutboxAdministration: Sendable {
    let database: any Database
    let clock: any Clock
    let auditLog: AuditLog
    let activity: OutboxActivity
    /// `nil` in production, and over HTTP, where no role sees a code.
    let messages: MessageReader?
}

struct OutboxList: AdminCommand {
    static let title = "outbox list"
    static let access = CommandAccess.reading(.support, .auditor, .developer)
    static let abstract = "List the latest 200 messages, without content or address."
    static let discussion = """
        In a sandbox, --json has each message's recipient, subject, text and code as well, as /sandbox/outbox shows them.
        """
    /// More than fits a screen; older messages are soon useless.
    private static let limit = 200

    var effect: CommandEffect { .reads }

    func execute(in outbox: OutboxAdministration) async throws -> AdministrationAnswer {
        let records = try await outbox.database.read { try Outbox.recent(limit: Self.limit, on: $0) }
        let readable = try await outbox.messages?.recent(limit: Self.limit) ?? []
        let contents = Dictionary(readable.map { ($0.id, $0) }) { first, _ in first }
        let now = outbox.clock.now()
        let rows = records.map { record -> AdministrationAnswer.Row in
            let state = Self.state(of: record, at: now)
            var json = JSONObject()
            json.set("id", record.id.uuid)
            json.set("kind", record.kind)
            json.set("accountId", record.accountID?.uuid)
            json.set("channel", record.channel.rawValue)
            json.set("state", state)
            json.set("createdAt", record.createdAt.text)
            json.set("attempts", record.attempts)
            json.set("failure", record.failure)
            let content = contents[record.id]
            json.set("recipient", content?.recipient)
            json.set("subject", content?.subject)
            json.set("text", content?.text)
            json.set("code", content?.code)
            return (
                [
                    record.id.uuid, record.kind, record.channel.rawValue, state, record.createdAt.text,
                    record.accountID?.uuid ?? "", record.failure ?? "",
                ], json
            )
        }
        return .list(
            "messages", columns: ["ID", "KIND", "CHANNEL", "STATE", "WRITTEN", "ACCOUNT", "LATEST FAILURE"], rows,
            empty: "No messages.")
    }

    private static func state(of record: OutboxRecord, at now: Timestamp) -> String {
        if record.deliveredAt != nil { return "delivered" }
        if record.failedAt != nil { return "failed" }
        guard record.channel == .none else {
            // A warning that is sent unless it is withdrawn: nothing is stuck.
            return record.attempts == 0 && now < record.dueAt ? "not due" : "waiting"
        }
        // Such a message exists so that an unknown name takes as long as a known one.
        return record.accountID == nil ? "no recipient" : "no address"
    }
}

struct OutboxRetry: AdminCommand {
    static let title = "outbox retry"
    static let access = CommandAccess.changing(.support, .developer)
    static let abstract = "Try a message again at once, even if it was given up."

    @OptionGroup var message: IDOptions

    func execute(in outbox: OutboxAdministration) async throws -> AdministrationAnswer {
        let text = message.id
        guard let id = UniqueID(uuid: text) else {
            throw AdministrationRefusal("\(text) is not a message id; see `walletauth outbox list`.", code: "malformed")
        }
        let now = outbox.clock.now()
        let entry = try outbox.auditLog.administration(
            AdministrationEvent.messageRetried, details: JSONObject(strings: ["messageId": text]), now: now)
        let isRetried = try await outbox.database.write { connection in
            guard try Outbox.retry(id, now: now, on: connection) else { return false }
            try entry.write(on: connection)
            return true
        }
        guard isRetried else {
            throw AdministrationRefusal(
                "Message \(text) cannot be retried: it does not exist, was delivered or has expired.",
                hint: "See `walletauth outbox list`.", code: "no_change")
        }
        outbox.activity.noteRetry()
        outbox.activity.signal.wake()
        return .done("Message \(text) will be tried again.", JSONObject(strings: ["id": text]))
    }
}
