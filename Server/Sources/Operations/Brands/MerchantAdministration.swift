internal import ArgumentParser
internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

enum MerchantCommands: CommandNoun {
    static let title = "merchant"
    static let abstract = "Manage merchants, their employees and their clients."
    static let commands: [any AdminCommand.Type] = [
        MerchantCreate.self, MerchantList.self, MerchantInstallClient.self, MerchantRemoveClient.self,
        MerchantAddEmployee.self, MerchantRemoveEmployee.self,
    ]
}

/// Merchants belong to no brand: their clients do.
struct MerchantCreate: AdminCommand {
    static let title = "merchant create"
    static let abstract = "Create a merchant."

    @Argument(help: "The merchant id; generated if omitted.")
    var id: String?

    @Option(help: "The merchant's name.")
    var name: String

    func execute(in merchants: MerchantAdministration) async throws -> AdministrationAnswer {
        let now = merchants.clock.now()
        let merchant = MerchantRecord(
            id: try (id.map { try MerchantID($0) } ?? MerchantID(generatedBy: merchants.random)).rawValue,
            name: try DisplayName.check(name), createdAt: now)
        let entry = try merchants.auditLog.administration(
            AdministrationEvent.merchantCreated,
            details: JSONObject(strings: ["merchantId": merchant.id, "name": merchant.name]), now: now)
        let isCreated = try await merchants.database.write { connection in
            guard try Merchants.create(merchant, on: connection) else { return false }
            try entry.write(on: connection)
            return true
        }
        guard isCreated else { throw AdministrationRefusal.taken("merchant", merchant.id) }
        return .done("Merchant \(merchant.id) created.", merchant.json)
    }
}

struct MerchantList: AdminCommand {
    static let title = "merchant list"
    static let access = CommandAccess.reading(.developer, .auditor)
    static let abstract = "List the merchants."

    var effect: CommandEffect { .reads }

    func execute(in merchants: MerchantAdministration) async throws -> AdministrationAnswer {
        let found = try await merchants.database.everyPage { after, limit, connection in
            try Merchants.list(after: after?.id ?? "", limit: limit, on: connection)
        }
        return .list(
            "merchants", columns: ["ID", "NAME"], found.map { ([$0.id, $0.name], $0.json) },
            empty: "No merchants. Create one with `walletauth merchant create`.")
    }
}

/// A merchant's client.
struct InstallationOptions: ParsableArguments {
    @Argument(help: "The merchant id.")
    var merchant: String

    @Option(help: ArgumentHelp("The client id.", valueName: "id"))
    var client: String
}

struct MerchantInstallClient: AdminCommand {
    static let title = "merchant install-client"
    static let abstract = "Install a client for a merchant."
    static let discussion = """
          walletauth merchant install-client bakery --client com.example.wallet
        """

    @OptionGroup var installation: InstallationOptions

    func execute(in merchants: MerchantAdministration) async throws -> AdministrationAnswer {
        let (merchant, client) = (installation.merchant, installation.client)
        let now = merchants.clock.now()
        let entry = try merchants.entry("client_installed", on: merchant, client: client, now: now)
        return try await merchants.change(merchant, entry, said: "Client \(client) is installed for") {
            connection in
            guard try Clients.find(client, on: connection) != nil else {
                throw AdministrationRefusal.notFound("client", client)
            }
            return try Merchants.install(client: client, on: merchant, now: now, on: connection)
        }
    }
}

struct MerchantRemoveClient: AdminCommand {
    static let title = "merchant remove-client"
    static let abstract = "Remove a client from a merchant; its sessions there end at the next renewal."

    @OptionGroup var installation: InstallationOptions

    func execute(in merchants: MerchantAdministration) async throws -> AdministrationAnswer {
        let (merchant, client) = (installation.merchant, installation.client)
        let entry = try merchants.entry(
            "client_removed", on: merchant, client: client, now: merchants.clock.now())
        return try await merchants.change(merchant, entry, said: "Client \(client) is not installed for") {
            try Merchants.remove(client: client, from: merchant, on: $0)
        }
    }
}

struct MerchantAddEmployee: AdminCommand {
    static let title = "merchant add-employee"
    static let abstract = "Make a person an employee of a merchant."

    @Argument(help: "The merchant id.")
    var merchant: String

    @OptionGroup var account: AccountOptions

    func execute(in merchants: MerchantAdministration) async throws -> AdministrationAnswer {
        let (merchant, account) = (merchant, try account.reference)
        let now = merchants.clock.now()
        let id = try await merchants.database.read { try account.find(on: $0).id }
        let entry = try merchants.entry("employee_added", on: merchant, employee: id, now: now)
        return try await merchants.change(merchant, entry, said: "The account is an employee of") {
            try Merchants.add(employee: id, to: merchant, now: now, on: $0)
        }
    }
}

struct MerchantRemoveEmployee: AdminCommand {
    static let title = "merchant remove-employee"
    static let abstract = "Remove an employee; their sessions there end at the next renewal."

    @Argument(help: "The merchant id.")
    var merchant: String

    @OptionGroup var account: AccountOptions

    func execute(in merchants: MerchantAdministration) async throws -> AdministrationAnswer {
        let (merchant, account) = (merchant, try account.reference)
        let id = try await merchants.database.read { try account.find(on: $0).id }
        let entry = try merchants.entry(
            "employee_removed", on: merchant, employee: id, now: merchants.clock.now())
        return try await merchants.change(merchant, entry, said: "The account is not an employee of") {
            try Merchants.remove(employee: id, from: merchant, on: $0)
        }
    }
}

struct MerchantAdministration: Sendable {
    let database: any Database
    let clock: any Clock
    let random: any RandomBytes
    let auditLog: AuditLog

    /// Changes an installation or employment, in one write with its audit entry. Repeating a change is no error: the result is
    /// the requested one.
    fileprivate func change(
        _ id: String, _ entry: AuditLog.Entry, said: String,
        _ body: @escaping @Sendable (any SQLConnection) throws -> Bool
    ) async throws -> AdministrationAnswer {
        let hasChanged = try await database.write { connection in
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
    fileprivate func entry(
        _ change: String, on merchant: String, client: String? = nil, employee: UniqueID? = nil, now: Timestamp
    ) throws -> AuditLog.Entry {
        let details = JSONObject(strings: ["merchantId": merchant, "change": change])
        guard let employee else {
            return try auditLog.administration(
                AdministrationEvent.merchantChanged, client: client, details: details, now: now)
        }
        return try auditLog.entry(
            AdministrationEvent.merchantChanged, account: employee, now: now, details: details)
    }
}

extension MerchantID {
    /// A letter comes first: what begins with a dash is an option on the command line.
    init(generatedBy random: any RandomBytes) throws { try self.init("m" + Base64URL.encode(random.bytes(9))) }
}

extension MerchantRecord {
    fileprivate var json: JSONObject {
        var json = JSONObject()
        json.set("merchantId", id)
        json.set("name", name)
        json.set("createdAt", createdAt.text)
        return json
    }
}
