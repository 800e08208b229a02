internal import AuthCore
internal import AuthEvents
internal import AuthFoundation
internal import AuthStore
internal import WalletAuthWire

extension Administration {
    func execute(_ command: MerchantCommand) async throws -> AdministrationAnswer {
        let now = context.clock.now()
        switch command {
        case .create(let id, let name): return try await createMerchant(id, name: name, now: now)
        case .list: return try await listMerchants()
        case .installClient(let merchant, let client):
            return try await change(merchant, now: now, said: "Client \(client) is installed on") { connection in
                guard try Clients.find(client, on: connection) != nil else {
                    throw AdministrationRefusal.notFound("client", client)
                }
                return try Merchants.install(client: client, on: merchant, now: now, on: connection)
            }
        case .removeClient(let merchant, let client):
            return try await change(merchant, now: now, said: "Client \(client) is not installed on") { connection in
                try Merchants.remove(client: client, from: merchant, on: connection)
            }
        case .addEmployee(let merchant, let account):
            return try await change(merchant, now: now, said: "The account is an employee of") { connection in
                let id = try account.find(on: connection).id
                return try Merchants.add(employee: id, to: merchant, now: now, on: connection)
            }
        case .removeEmployee(let merchant, let account):
            return try await change(merchant, now: now, said: "The account is not an employee of") { connection in
                let id = try account.find(on: connection).id
                return try Merchants.remove(employee: id, from: merchant, on: connection)
            }
        }
    }

    private func createMerchant(_ id: String?, name: String, now: Timestamp) async throws -> AdministrationAnswer {
        let merchant = MerchantRecord(
            id: try MerchantID(id ?? Base64URL.encode(context.random.bytes(9))).rawValue,
            name: try DisplayName.check(name), createdAt: now)
        guard try await context.database.write({ try Merchants.create(merchant, on: $0) }) else {
            throw AdministrationRefusal.taken("merchant", merchant.id)
        }
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
        _ id: String, now: Timestamp, said: String,
        _ body: @escaping @Sendable (any SQLConnection) throws -> Bool
    ) async throws -> AdministrationAnswer {
        var details = JSONObject()
        details.set("merchantId", id)
        let entry = try AuditLog(context: context).administration(
            AdministrationEvent.merchantChanged, details: details, now: now)
        let hasChanged = try await context.database.write { connection in
            guard try Merchants.find(id, on: connection) != nil else {
                throw AdministrationRefusal.notFound("merchant", id)
            }
            let hasChanged = try body(connection)
            if hasChanged { try entry.write(on: connection) }
            return hasChanged
        }
        var json = details
        json["changed"] = .bool(hasChanged)
        return .done("\(said) \(id)\(hasChanged ? "" : ", as before").", json)
    }

    private func json(_ merchant: MerchantRecord) -> JSONObject {
        var json = JSONObject()
        json.set("merchantId", merchant.id)
        json.set("name", merchant.name)
        json.set("createdAt", merchant.createdAt.text)
        return json
    }
}
