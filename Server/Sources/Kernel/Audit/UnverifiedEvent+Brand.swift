package import Core
package import Store
internal import WalletAuthWire

extension UnverifiedEvent {
    /// Whether an entry is about a brand: one of its accounts or clients, the brand itself, or a call that an operator of the brand made
    /// or that was about one of its accounts.
    package func concerns(brand: String, on connection: any SQLConnection) throws -> Bool {
        if let account = entry.account {
            return try Self.isAccount(UniqueID(bytes: account), of: brand, on: connection)
        }
        let details = try? JSONValue.object(parsing: Array(self.details.utf8))
        if let about = details?[OperatorCallDetails.account]?.string {
            return try Self.isAccount(UniqueID(uuid: about), of: brand, on: connection)
        }
        if let named = details?["brand"]?.string { return named == brand }
        // The client of a call is the operator's app.
        guard !entry.kind.hasPrefix("operator."), let client = entry.client else { return false }
        return try Clients.find(client, on: connection)?.brandID == brand
    }

    private static func isAccount(_ id: UniqueID?, of brand: String, on connection: any SQLConnection) throws -> Bool {
        try id.flatMap { try Accounts.find($0, on: connection) }?.brandID == brand
    }
}
