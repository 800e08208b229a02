internal import ArgumentParser
internal import Core
package import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

enum SessionCommands: CommandNoun {
    static let title = "session"
    static let abstract = "List and end the sessions of an account."
    static let commands: [any AdminCommand.Type] = [SessionList.self, SessionClose.self]
}

/// The events of sessions that an operator ends.
package enum OperatorSessionEvent: String, SecurityEventKind, CaseIterable {
    case ended = "session.ended_by_operator"
    case allEnded = "session.all_ended_by_operator"

    package var webhookKind: WebhookKind? { .sessions }
}

struct SessionList: AdminCommand {
    static let title = "session list"
    static let access = CommandAccess.reading(.support, .auditor)
    static let abstract = "List the open sessions of an account, in browsers and apps."

    @OptionGroup var account: AccountOptions

    var target: CommandTarget { get throws { .account(try account.reference) } }

    var effect: CommandEffect { .reads }

    func execute(in sessions: SessionAdministration) async throws -> AdministrationAnswer {
        let (reference, now) = (try account.reference, sessions.clock.now())
        let (browsers, apps, networks) = try await sessions.database.read { connection in
            let account = try sessions.search.find(reference, on: connection).id
            return (
                try BrowserSessions.living(
                    of: account, now: now, limit: SessionAdministration.limit, on: connection),
                try Sessions.living(of: account, now: now, limit: SessionAdministration.limit, on: connection),
                try Sessions.networks(of: account, on: connection)
            )
        }
        return .list(
            "sessions", columns: ["ID", "WHERE", "SINCE", "LAST USED", "NETWORK"],
            browsers.map { Self.row(of: $0, sessions.vault.network(of: $0)) }
                + apps.map { Self.row(of: $0, sessions.vault.network(of: $0.id, in: networks)) },
            empty: "No open sessions.")
    }

    private static func row(of session: BrowserSessionRecord, _ network: String?) -> AdministrationAnswer.Row {
        let id = session.publicID?.uuid ?? ""
        var json = JSONObject(strings: ["sessionId": id, "place": "browser"])
        json.set("browser", session.kind.browser?.rawValue)
        json.set("system", session.kind.system?.rawValue)
        json.set("createdAt", session.createdAt.text)
        json.set("lastUsedAt", session.lastUsedAt.text)
        json.set("network", network)
        json.set("expiresAt", session.expiresAt.text)
        let place = [session.kind.browser?.rawValue ?? "browser", session.kind.system?.rawValue].compactMap { $0 }
        let used = session.lastUsedAt.text
        return ([id, place.joined(separator: ", "), session.createdAt.text, used, network ?? "-"], json)
    }

    private static func row(of session: SessionRecord, _ network: String?) -> AdministrationAnswer.Row {
        var json = JSONObject(strings: ["sessionId": session.id.uuid, "place": "app"])
        json.set("clientId", session.facts.signedInTo)
        json.set("deviceId", session.facts.deviceID?.uuid)
        json.set("scope", session.facts.scope)
        json.set("createdAt", session.facts.createdAt.text)
        json.set("lastUsedAt", session.rotatedAt.text)
        json.set("network", network)
        json.set("expiresAt", session.facts.expiresAt.text)
        let cells = [
            session.id.uuid, session.facts.signedInTo, session.facts.createdAt.text, session.rotatedAt.text,
            network ?? "-",
        ]
        return (cells, json)
    }
}

/// Either end is a revocation: the operator may not know who opened the session.
struct SessionClose: AdminCommand {
    static let title = "session end"
    static let access = CommandAccess.changing(.support)
    static let abstract = "End the sessions of an account, in browsers and apps, or one of them."

    @OptionGroup var account: AccountOptions

    @Option(help: ArgumentHelp("Only this session, as `session list` shows it.", valueName: "id"))
    var only: String?

    var target: CommandTarget { get throws { .account(try account.reference) } }

    func execute(in sessions: SessionAdministration) async throws -> AdministrationAnswer {
        guard let only else { return try await sessions.endAll(of: account.reference) }
        return try await sessions.end(only, of: account.reference)
    }
}

/// What operators do to sessions.
struct SessionAdministration: Sendable {
    let database: any Database
    let clock: any Clock
    let auditLog: AuditLog
    let changes: CommittedChanges
    let search: AccountSearch
    let vault: SessionVault

    /// As many as a person reads. All of them are ended, listed or not.
    static let limit = 500

    fileprivate func endAll(of reference: AccountReference) async throws -> AdministrationAnswer {
        let now = clock.now()
        let account = try await database.read { try reference.find(on: $0).id }
        let entry = try auditLog.entry(OperatorSessionEvent.allEnded, account: account, now: now)
        let isEnded = try await database.write { connection in
            let changedAt = clock.writeTime(since: now)
            // Read before the sessions end: each of these clients hears that its own did.
            let clients = try Sessions.clients(of: account, now: changedAt, on: connection)
            guard try Accounts.raiseSecurityVersion(of: account, on: connection) != nil else { return false }
            try Sessions.endAll(of: account, because: .administrator, now: changedAt, on: connection)
            try BrowserSessions.endAll(of: account, on: connection)
            try entry.telling(owners: clients).write(on: connection)
            return true
        }
        guard isEnded else {
            throw AdministrationRefusal(
                "Account \(account.uuid) was not changed: it is not active, and has no sessions.", code: "no_change")
        }
        changes.changed(account)
        return .done("Account \(account.uuid): every session ended.", JSONObject(strings: ["accountId": account.uuid]))
    }

    fileprivate func end(_ text: String, of reference: AccountReference) async throws -> AdministrationAnswer {
        let now = clock.now()
        let (account, found) = try await database.read { connection in
            let account = try reference.find(on: connection).id
            return (account, try UniqueID(uuid: text).flatMap { try Sessions.find($0, on: connection) })
        }
        // The session of another account is as unknown as none.
        let session = found.flatMap { $0.facts.accountID == account ? $0 : nil }
        var entry = try auditLog.entry(
            OperatorSessionEvent.ended, account: account, now: now,
            details: UniqueID(uuid: text).map { JSONObject.naming(session: $0) } ?? JSONObject())
        if let client = session?.facts.signedInTo { entry = entry.telling(client: client) }
        let isEnded = try await database.write { [entry] connection in
            let changedAt = clock.writeTime(since: now)
            if let session {
                guard try Sessions.end(session.id, because: .administrator, now: changedAt, on: connection) else {
                    return false
                }
            } else {
                let browsers = try BrowserSessions.living(
                    of: account, now: changedAt, limit: Int(Int32.max), on: connection)
                guard let browser = browsers.first(where: { $0.publicID?.uuid == text }) else { return false }
                try Accounts.distrustDevices(of: account, because: .administrator, now: changedAt, on: connection)
                guard try BrowserSessions.end(browser.idHash, on: connection) else { return false }
            }
            try entry.write(on: connection)
            return true
        }
        guard isEnded else {
            throw AdministrationRefusal(
                "The account has no open session \(text).", hint: "See `walletauth session list`.", code: "not_found")
        }
        changes.changed(account)
        return .done("Session \(text) ended.", JSONObject(strings: ["accountId": account.uuid, "sessionId": text]))
    }
}
