internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

/// The factors that the last restore brought back. An operator looks for those that were removed after the backup.
struct RestoredFactorsReport: Sendable {
    let database: any Database
    let sealing: SealingKeys
    let restoredAt: Timestamp?

    /// A page of accounts with their factors.
    /// - Parameters:
    ///   - after: the last account of the previous page.
    ///   - limit: the maximum number of accounts.
    func page(after: String?, limit: Int) async throws -> AdministrationAnswer {
        let limit = try Administration.accountsPerPage(limit)
        let last = try after.map { text -> UniqueID in
            guard let id = UniqueID(uuid: text) else { throw AdministrationRefusal.notFound("account", text) }
            return id
        }
        guard let restoredAt else {
            return .list("factors", columns: [], [], empty: "This database was never restored.")
        }
        // One more than is shown reveals whether there is another page.
        let (page, factors, coolingEnd) = try await database.read { connection in
            let found = try RestoredFactors.accounts(
                after: last, addedUntil: restoredAt, limit: limit + 1, on: connection)
            return (
                found, try found.prefix(limit).map { try self.factors(of: $0, until: restoredAt, on: connection) },
                try Restoration.coolingEnd(on: connection)
            )
        }
        let rows = factors.flatMap { $0 }
        let next = page.count > limit ? page[limit - 1].uuid : nil
        let more = next.map { ["There are more: --after \($0)"] } ?? []
        var members = JSONObject()
        members.set("restoredAt", restoredAt.text)
        members.set("coolingUntil", coolingEnd?.text)
        members.set("next", next)
        return .list(
            "factors", columns: ["USERNAME", "ACCOUNT", "KIND", "ID", "ADDED", "LAST USED", "NAME"], rows,
            empty: last == nil ? "The restore brought no factors back." : "No further accounts.", with: members,
            then: (rows.isEmpty ? [] : Self.advice(coolingEnd)) + (last == nil ? [Restoration.endings] : []) + more)
    }

    /// The end of the cooling period, and the commands that remove the listed factors.
    private static func advice(_ coolingEnd: Timestamp?) -> [String] {
        let removal = """
            Remove what should be gone: `walletauth passkey remove ID`, `walletauth device remove ID`. For an identity \
            or an authenticator app: `walletauth account deactivate USERNAME`, until its holder has been in touch.
            """
        guard let coolingEnd else { return [removal] }
        return ["These all count as newly added until \(coolingEnd.text).", removal]
    }

    private func factors(
        of account: UniqueID, until restoredAt: Timestamp, on connection: any SQLConnection
    ) throws -> [AdministrationAnswer.Row] {
        let username = try Accounts.names(of: account, on: connection).first ?? ""
        func row(
            _ kind: String, id: String = "", added: Timestamp, used: Timestamp? = nil, name: String = ""
        ) -> AdministrationAnswer.Row {
            var json = JSONObject()
            json.set("username", username)
            json.set("accountId", account.uuid)
            json.set("kind", kind)
            if !id.isEmpty { json.set("id", id) }
            json.set("addedAt", added.text)
            json.set("lastUsedAt", used?.text)
            if !name.isEmpty { json.set("name", name) }
            return ([username, account.uuid, kind, id, added.text, used?.text ?? "", name], json)
        }
        var rows: [AdministrationAnswer.Row] = []
        for passkey in try Passkeys.list(of: account, on: connection) where passkey.createdAt <= restoredAt {
            let name = PasskeyVault(sealing).name(of: passkey)?.rawValue ?? ""
            rows.append(
                row("passkey", id: passkey.id.uuid, added: passkey.createdAt, used: passkey.lastUsedAt, name: name))
        }
        for identity in try FederatedIdentities.list(of: account, on: connection) where identity.linkedAt <= restoredAt
        {
            rows.append(row("identity", added: identity.linkedAt, name: identity.providerID))
        }
        if let added = try TOTPSecrets.addedAt(of: account, on: connection), added <= restoredAt {
            rows.append(row("authenticator", added: added))
        }
        for device in try Devices.list(of: account, on: connection) where device.createdAt <= restoredAt {
            let name = DeviceVault(sealing).open(device.name, .name, of: device.id) ?? ""
            rows.append(
                row("device", id: device.id.uuid, added: device.createdAt, used: device.lastUsedAt, name: name))
        }
        return rows
    }
}
