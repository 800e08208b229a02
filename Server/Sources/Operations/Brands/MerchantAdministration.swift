internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

extension Administration {
    func execute(_ command: MerchantCommand) async throws -> AdministrationAnswer {
        let now = context.clock.now()
        switch command {
        case .create(let id, let name): return try await createMerchant(id, name: name, now: now)
        case .list: return try await listMerchants()
        case .installClient(let merchant, let client):
            let entry = try entry("client_installed", on: merchant, client: client, now: now)
            return try await change(merchant, entry, said: "Client \(client) is installed for") { connection in
                guard try Clients.find(client, on: connection) != nil else {
                    throw AdministrationRefusal.notFound("client", client)
                }
                return try Merchants.install(client: client, on: merchant, now: now, on: connection)
            }
        case .removeClient(let merchant, let client):
            let entry = try entry("client_removed", on: merchant, client: client, now: now)
            return try await change(merchant, entry, said: "Client \(client) is not installed for") { connection in
                try Merchants.remove(client: client, from: merchant, on: connection)
            }
        case .addEmployee(let merchant, let account):
            let id = try await context.database.read { try account.find(on: $0).id }
            let entry = try entry("employee_added", on: merchant, employee: id, now: now)
            return try await change(merchant, entry, said: "The account is an employee of") { connection in
                try Merchants.add(employee: id, to: merchant, now: now, on: connection)
            }
        case .removeEmployee(let merchant, let account):
            let id = try await context.database.read { try account.find(on: $0).id }
            let entry = try entry("employee_removed", on: merchant, employee: id, now: now)
            return try await change(merchant, entry, said: "The account is not an employee of") { connection in
                try Merchants.remove(employee: id, from: merchant, on: connection)
            }
        }
    }

    private func createMerchant(_ id: String?, name: String, now: Timestamp) async throws -> AdministrationAnswer {
        let merchant = MerchantRecord(
            id: try MerchantID(id ?? Base64URL.encode(context.random.bytes(9))).rawValue,
            name: try DisplayName.check(name), createdAt: now)
        let entry = try context.auditLog.administration(
            AdministrationEvent.merchantCreated,
            details: JSONObject(strings: ["merchantId": merchant.id, "name": merchant.name]), now: now)
        let isCreated = try await context.database.write { connection in
            guard try Merchants.create(merchant, on: connection) else { return false }
            try entry.write(on: connection)
            return true
        }
        guard isCreated else { throw AdministrationRefusal.taken("merchant", merchant.id) }
        return .done("Merchant \(merchant.id) created.", json(merchant))
    }

    private func listMerchants() async throws -> AdministrationAnswer {
        let merchants = try await everyPage { after, limit, connection in
            try Merchants.list(after: after?.id ?? "", limit: limit, on: connection)
        }
        return .list(
            "merchants", columns: ["ID", "NAME"], merchants.map { ([$0.id, $0.name], json($0)) },
            empty: "No merchants. Create one with `walletauth merchant create`.")
    }

    /// Changes an installation or employment, in one write with its audit entry. Repeating a change is no error: the result is
    /// the requested one.
    private func change(
        _ id: String, _ entry: AuditLog.Entry, said: String,
        _ body: @escaping @Sendable (any SQLConnection) throws -> Bool
    ) async throws -> AdministrationAnswer {
        let hasChanged = try await context.database.write { connection in
            guard try Merchants.find(id, on: connection) != nil else {
                throw AdministrationRefusal.notFound("merchant", id)
            }
            let hasChanged = try body(connection)
            if hasChanged { try entry.write(on: connection) }
            return hasChanged
        }
        var json = JSONObject()
        json.set("merchantId", id)
        json["changed"] = .bool(hasChanged)
        return .done("\(said) \(id)\(hasChanged ? "" : ", as before").", json)
    }

    /// The audit log's entry of a change to a merchant. An employment is also in the history of the person's account.
    private func entry(
        _ change: String, on merchant: String, client: String? = nil, employee: UniqueID? = nil, now: Timestamp
    ) throws -> AuditLog.Entry {
        let auditLog = context.auditLog
        let details = JSONObject(strings: ["merchantId": merchant, "change": change])
        guard let employee else {
            return try auditLog.administration(
                AdministrationEvent.merchantChanged, client: client, details: details, now: now)
        }
        return try auditLog.entry(
            AdministrationEvent.merchantChanged, account: employee, now: now, details: details)
    }

    private func json(_ merchant: MerchantRecord) -> JSONObject {
        var json = JSONObject()
        json.set("merchantId", merchant.id)
        json.set("name", merchant.name)
        json.set("createdAt", merchant.createdAt.text)
        return json
    }
}
