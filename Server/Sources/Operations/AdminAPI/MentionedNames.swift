internal import Kernel
internal import SignIn
internal import Store

/// The names of what an answer mentions by its id, as far as the caller's role may read them. What is not in it has no name, or is out of
/// the role's reach.
struct MentionedNames: Sendable {
    /// The ids in an answer, of one kind each.
    struct Mentions: Sendable {
        var accounts: Set<String> = []
        var clients: Set<String> = []
        var brands: Set<String> = []
        var merchants: Set<String> = []
    }

    private(set) var accounts: [String: String] = [:]
    private(set) var clients: [String: String] = [:]
    private(set) var brands: [String: String] = [:]
    private(set) var merchants: [String: String] = [:]
    /// The accounts that the role reads, with a name or without.
    private(set) var readableAccounts: Set<String> = []

    /// The names of accounts are those that `account show` would answer to the caller, in part for support. The names of clients and brands
    /// are on pages that people see.
    static func of(
        _ mentions: Mentions, under grant: OperatorGrant, in database: any Database
    ) async throws -> MentionedNames {
        try await database.read { connection in
            var names = MentionedNames()
            if AccountShow.access.admits(grant.role, reading: true) {
                for text in mentions.accounts {
                    guard let id = UniqueID(uuid: text), let account = try Accounts.find(id, on: connection),
                        grant.reaches(brand: account.brandID)
                    else { continue }
                    names.readableAccounts.insert(text)
                    let name = try Accounts.names(of: id, on: connection).first
                    let isMasked = grant.role == .support
                    names.accounts[text] = name.map { isMasked ? AddressName($0)?.masked ?? $0 : $0 }
                }
            }
            for id in mentions.clients {
                guard let client = try Clients.find(id, on: connection),
                    client.brandID.map({ grant.reaches(brand: $0) }) ?? true
                else { continue }
                names.clients[id] = client.name
            }
            for id in mentions.brands where grant.reaches(brand: id) {
                names.brands[id] = try Brands.find(id, on: connection)?.name
            }
            if MerchantList.access.admits(grant.role, reading: true), grant.brand == nil {
                for id in mentions.merchants { names.merchants[id] = try Merchants.find(id, on: connection)?.name }
            }
            return names
        }
    }
}

extension MentionedNames.Mentions {
    mutating func formUnion(_ other: MentionedNames.Mentions) {
        accounts.formUnion(other.accounts)
        clients.formUnion(other.clients)
        brands.formUnion(other.brands)
        merchants.formUnion(other.merchants)
    }
}
