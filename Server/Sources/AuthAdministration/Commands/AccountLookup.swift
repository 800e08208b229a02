internal import AuthCore
internal import AuthFoundation
internal import AuthStore
internal import WalletAuthWire

extension AccountReference {
    /// Finds the account.
    /// - Throws: ``AdministrationRefusal`` if there is none, `MalformedValue` if the text cannot be a name or id.
    func find(on connection: any SQLConnection) throws -> AccountRecord {
        switch self {
        case .id(let text):
            guard let id = UniqueID(uuid: text) else {
                throw MalformedValue(field: "account id", reason: "is not a UUID in lower case")
            }
            guard let account = try Accounts.find(id, on: connection) else {
                throw AdministrationRefusal.notFound("account", text)
            }
            return account
        case .username(let text, let brand):
            let name = try Username(text).rawValue
            let brand = try BrandID(brand ?? BrandSettings.defaultBrand).rawValue
            guard let account = try Accounts.find(named: name, brand: brand, on: connection) else {
                throw AdministrationRefusal.notFound("account", "\(name) in the brand \(brand)")
            }
            return account
        }
    }
}
