internal import Foundation
internal import Kernel
internal import Store
internal import WalletAuthWire

/// An account as an operator names it.
package enum AccountReference: Sendable {
    /// A UUID.
    case id(String)
    /// A user name in a brand; `nil` for the brand `default`.
    case username(String, brand: String?)
}

extension AccountReference {
    /// Text in the format of an id is an id, since no one types one by chance.
    package init(typed text: String, brand: String?) {
        self = UUID(uuidString: text) == nil ? .username(text, brand: brand) : .id(text)
    }

    /// The account on the command line, at its end.
    package var words: [String] {
        switch self {
        case .id(let id): ["--account=\(id)"]
        case .username(let name, let brand):
            // After two dashes, a name is not read as an option.
            (brand.map { ["--brand=\($0)"] } ?? []) + (name.hasPrefix("-") ? ["--", name] : [name])
        }
    }

    /// As the operator named it.
    var typed: String {
        switch self {
        case .id(let id): id
        case .username(let name, _): name
        }
    }

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
                throw AdministrationRefusal(
                    "There is no account \(name) in the brand \(brand).",
                    hint: "See `walletauth account list --brand \(brand)`, or name another brand with --brand.",
                    code: "not_found")
            }
            return account
        }
    }
}
