internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

/// What operators do to the access that people gave to apps.
struct ClientConsentAdministration: Sendable {
    let database: any Database
    let clock: any Clock
    let auditLog: AuditLog
    let clients: ClientDirectory
    let search: AccountSearch

    func list(_ reference: AccountReference) async throws -> AdministrationAnswer {
        let apps = try await database.read { connection in
            try ClientAccess.list(of: try search.find(reference, on: connection).id, on: connection)
        }
        return .list(
            "clientConsents", columns: ["CLIENT", "SINCE", "NAME", "SCOPE"],
            apps.map { app in
                ([app.client, app.since.text, app.name, app.scopes.joined(separator: " ")], app.json)
            }, empty: "No app has access.")
    }

    func withdraw(_ reference: AccountReference, to client: String) async throws -> AdministrationAnswer {
        let now = clock.now()
        let id = try ClientID(client)
        let account = try await database.read { try reference.find(on: $0) }
        let entry = try auditLog.entry(
            ClientConsentEvent.withdrawn, account: account.id, client: id.rawValue, now: now,
            details: .withdrawn(by: .operator))
        // A first-party client has no consent, and this command must not end its sessions.
        let isFirstParty = try await clients.find(id, now: now)?.isFirstParty ?? false
        let isWithdrawn = try await database.write { connection in
            guard !isFirstParty,
                try ClientConsentWithdrawal.take(
                    id.rawValue, of: account.id, now: clock.writeTime(since: now), on: connection)
            else { return false }
            try entry.write(on: connection)
            return true
        }
        guard isWithdrawn else {
            let reason = isFirstParty ? ": a first-party app needs none" : ""
            throw AdministrationRefusal(
                "\(reference.typed) has not given \(id.rawValue) access\(reason). `walletauth account consents` "
                    + "lists the apps with access.",
                code: "not_found")
        }
        return .done(
            "\(id.rawValue) no longer has access to the account \(reference.typed); its sessions ended.",
            JSONObject(strings: ["accountId": account.id.uuid, "clientId": id.rawValue]))
    }
}

extension ClientAccess {
    var json: JSONObject {
        var json = JSONObject()
        json.set("clientId", client)
        json.set("name", name)
        json.set("scope", scopes.joined(separator: " "))
        json.set("since", since.text)
        return json
    }
}
