internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// What anyone who has a transaction's link may see of it in a browser.
struct TransactionLinks: Sendable {
    let database: any Database
    let clients: ClientDirectory
    let clock: any Clock

    struct Look: Sendable {
        var appearance: BrandAppearance
        /// `nil` if the brand's app is in no store.
        var stores: LinkedApps.Stores?
        /// Whether the time for its signature is over. It was known from the beginning, and says nothing of what happened until then.
        var isPastExpiry: Bool
    }

    /// The look of a transaction's brand; `nil` for an id that is no transaction's.
    func look(of id: String) async throws -> Look? {
        guard let id = UniqueID(uuid: id),
            let record = try await database.read({ try Transactions.find(id, on: $0) })
        else { return nil }
        let brand = try BrandID(record.brandID)
        let now = clock.now()
        return Look(
            appearance: try await .of(brand, in: database),
            stores: try await clients.linkedApps(now: now).stores(of: brand),
            isPastExpiry: now >= record.state.expiresAt)
    }
}
