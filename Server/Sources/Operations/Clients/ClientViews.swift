internal import ArgumentParser
internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

struct ClientList: AdminCommand {
    static let title = "client list"
    static let access = CommandAccess.reading(.developer, .auditor)
    static let abstract = "List the clients."

    @Option(help: "Only the clients that are registered for this brand.")
    var brand: String?

    var target: CommandTarget { brand.map { .brand($0) } ?? .everything }

    var effect: CommandEffect { .reads }

    func execute(in clients: ClientAdministration) async throws -> AdministrationAnswer {
        if let brand, try await clients.database.read({ try Brands.find(brand, on: $0) }) == nil {
            throw AdministrationRefusal.notFound("brand", brand)
        }
        let all = try await clients.database.everyPage { after, limit, connection in
            try Clients.list(after: after?.id ?? "", limit: limit, on: connection)
        }
        let found = all.filter { brand == nil || $0.brandID == brand }
        let (own, uris) = (try await clients.ownApps(), try await clients.noticeURIs())
        let now = clients.clock.now()
        return .list(
            "clients", columns: ["ID", "KIND", "NAME"],
            try found.map { client -> AdministrationAnswer.Row in
                var json = try client.shown(at: now, among: own)
                json.set(uris: uris, ofClient: client.id)
                return ([client.id, client.kind.rawValue, client.name], json)
            },
            empty: "No clients. Create one with `walletauth client create`.")
    }
}

struct ClientShow: AdminCommand {
    static let title = "client show"
    static let access = CommandAccess.reading(.developer, .auditor)
    static let abstract = "Show everything about a client, except its secret."

    @OptionGroup var client: IDOptions

    var target: CommandTarget { .client(client.id) }

    var effect: CommandEffect { .reads }

    func execute(in clients: ClientAdministration) async throws -> AdministrationAnswer {
        let id = client.id
        guard let client = try await clients.database.read({ try Clients.find(id, on: $0) }) else {
            throw AdministrationRefusal.notFound("client", id)
        }
        let own = try await clients.ownApps()
        var json = try client.shown(at: clients.clock.now(), among: own)
        json.set(uris: try await clients.noticeURIs(), ofClient: id)
        let facts = json.members.compactMap { member -> (name: String, value: String)? in
            switch member.value {
            case .string(let text): (member.name, text)
            case .array(let items): (member.name, items.compactMap(\.string).joined(separator: " "))
            case .null, .object: nil
            case .integer(let seconds): (member.name, Duration.seconds(seconds).inWords)
            case let value: (member.name, value.text)
            }
        }
        return .facts(facts, json, then: try client.warnings(among: own))
    }
}
