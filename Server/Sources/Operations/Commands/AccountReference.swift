internal import Core
internal import Foundation
internal import Kernel
internal import SignIn
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
                throw missing(in: brand, hint: isAddress ? Self.changesByName : Self.seeList(of: brand))
            }
            return account
        }
    }

    /// Whether it is written as an e-mail address or a phone number, which may be a user name as well.
    var isAddress: Bool {
        if case .username(let text, _) = self { AddressName(text) != nil } else { false }
    }

    fileprivate func missing(in brand: String, hint: String) -> AdministrationRefusal {
        AdministrationRefusal("There is no account \(typed) in the brand \(brand).", hint: hint, code: "not_found")
    }

    private static let changesByName =
        "Commands that change something take a user name or an id, which `walletauth account show` finds by an address."

    fileprivate static func seeList(of brand: String) -> String {
        "See `walletauth account list --brand \(brand)`, or name another brand with --brand."
    }
}

/// Finds the account that a reading command is about: also by a confirmed e-mail address or phone number, which is what people tell support.
/// It finds whom a sign-in with this text finds (decision 157), and phone numbers besides.
package struct AccountSearch: Sendable {
    let sealing: SealingKeys
    let clock: any Clock

    /// - Throws: ``AdministrationRefusal`` if there is none, or there are several, `MalformedValue` if the text can be neither name, id nor
    ///   address.
    func find(_ reference: AccountReference, on connection: any SQLConnection) throws -> AccountRecord {
        guard case .username(let text, let brandName) = reference,
            let address = try? RegistrationAddress(typed: text, takesPhones: true)
        else { return try reference.find(on: connection) }
        let brand = try BrandID(brandName ?? BrandSettings.defaultBrand)
        if let name = try? Username(text),
            let named = try Accounts.find(named: name.rawValue, brand: brand.rawValue, on: connection)
        {
            return named
        }
        let holders = try address.holders(in: brand, sealing: sealing, now: clock.now(), on: connection)
        guard let holder = holders.first else {
            throw reference.missing(
                in: brand.rawValue,
                hint: "Addresses that are not confirmed find none. " + AccountReference.seeList(of: brand.rawValue))
        }
        guard holders.count == 1 else {
            throw AdministrationRefusal(
                "\(holders.count) accounts of the brand \(brand.rawValue) have confirmed \(text): "
                    + holders.map(\.id.uuid).joined(separator: ", ") + ".",
                hint: "Name one of them by its id.", code: "ambiguous")
        }
        return holder
    }
}
