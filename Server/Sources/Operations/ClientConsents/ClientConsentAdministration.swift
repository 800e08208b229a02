internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

extension Administration {
    func listConsents(_ reference: AccountReference) async throws -> AdministrationAnswer {
        let apps = try await context.database.read { connection in
            try ClientAccess.list(of: try reference.find(on: connection).id, on: connection)
        }
        return .list(
            "clientConsents", columns: ["CLIENT", "SINCE", "NAME", "SCOPE"],
            apps.map { app in
                ([app.client, app.since.text, app.name, app.scopes.joined(separator: " ")], json(app))
            }, empty: "No app has access.")
    }

    func withdrawConsent(_ reference: AccountReference, to client: String) async throws -> AdministrationAnswer {
        let now = context.clock.now()
        let id = try ClientID(client)
        let account = try await context.database.read { try reference.find(on: $0) }
        let entry = try context.auditLog.entry(
            ClientConsentEvent.withdrawn, account: account.id, client: id.rawValue, now: now,
            details: .withdrawn(by: .operator))
        // A first-party client has no consent, and this command must not end its sessions.
        let isFirstParty = try await context.clients.find(id, now: now)?.isFirstParty ?? false
        let isWithdrawn = try await context.database.write { connection in
            guard !isFirstParty,
                try ClientConsentWithdrawal.take(
                    id.rawValue, of: account.id, now: context.writeTime(since: now), on: connection)
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
        var json = JSONObject()
        json.set("accountId", account.id.uuid)
        json.set("clientId", id)
        return .done(
            "\(id.rawValue) no longer has access to the account \(reference.typed); its sessions ended.", json)
    }

    func json(_ app: ClientAccess) -> JSONObject {
        var json = JSONObject()
        json.set("clientId", app.client)
        json.set("name", app.name)
        json.set("scope", app.scopes.joined(separator: " "))
        json.set("since", app.since.text)
        return json
    }
}

extension AccountReference {
    /// The account, as the operator typed it.
    fileprivate var typed: String {
        switch self {
        case .id(let id): id
        case .username(let name, _): name
        }
    }
}
