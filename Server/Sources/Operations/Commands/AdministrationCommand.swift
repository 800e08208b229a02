internal import Kernel
internal import Store
internal import WalletAuthWire

/// One administrative command. The command line sends it through the server's socket, or executes it itself: while no server
/// runs, and always with PostgreSQL. Texts are as typed: ``Administration`` checks them and refuses with a clear line.
package enum AdministrationCommand: Codable, Sendable {
    /// Apps and backends.
    case client(ClientCommand)
    /// Other services that sign people in.
    case provider(ProviderCommand)
    case database(DatabaseCommand)
    case audit(AuditCommand)
    /// A flow of a target above this one, by name; the command is JSON in that flow's own form.
    case flow(name: String, command: [UInt8])
    /// An ``AdminCommand``.
    case words(AdminRequest)
}

extension AdministrationCommand: ExpressibleByArrayLiteral {
    package init(arrayLiteral words: String...) { self = .words(AdminRequest(words)) }
}

package enum AccountReference: Codable, Sendable {
    /// A UUID.
    case id(String)
    /// A user name in a brand; `nil` for the brand `default`.
    case username(String, brand: String?)
}

package struct AccountRegistration: Sendable {
    package var username: String
    /// `nil` creates an account that cannot sign in with a password yet.
    package var password: String?
    /// Unconfirmed unless `emailVerified` is set.
    package var email: String?
    /// The operator vouches for the address.
    package var emailVerified = false
    package var phone: String?
    /// `nil` for `default`.
    package var brand: String?
    package var profile = ProfileChange()

    package init(username: String, password: String?) {
        self.username = username
        self.password = password
    }
}

/// What becomes of an account's e-mail address or phone number.
package struct ContactChange: Sendable, Hashable {
    /// The new one; `nil` removes the present one.
    package var value: String?
    /// Whether the operator vouches for it.
    package var isVerified: Bool

    package init(_ value: String?, isVerified: Bool = false) {
        self.value = value
        self.isVerified = isVerified
    }
}

/// Changes to an account's profile. `nil` leaves a member as it is, an empty text removes it.
package struct ProfileChange: Sendable, Hashable {
    /// As displayed.
    package var name: String?
    package var givenName: String?
    package var familyName: String?
    /// The preferred language (RFC 5646).
    package var locale: String?
    /// The postal address, lines separated by line feeds.
    package var address: String?
    /// Whether the operator vouches for the phone number.
    package var phoneVerified: Bool?

    package init(
        name: String? = nil, givenName: String? = nil, familyName: String? = nil, locale: String? = nil,
        address: String? = nil, phoneVerified: Bool? = nil
    ) {
        self.name = name
        self.givenName = givenName
        self.familyName = familyName
        self.locale = locale
        self.address = address
        self.phoneVerified = phoneVerified
    }
}

package enum DatabaseCommand: Codable, Sendable {
    /// Reports the version of the schema. Opening the server context has already migrated it.
    case migrate
    /// Looks for damage.
    case check
    /// Removes expired rows.
    case sweep
    /// Writes a consistent copy to a path on the server's machine.
    case backup(path: String)
    /// A page of accounts with the factors that the last restore brought back. `after`: `nil` for the first page. `limit`: 1 to
    /// 1000, `nil` for 100.
    case restoreReport(after: String?, limit: Int?)
    /// Assigns the database to another issuer. The next start serves it under that issuer.
    case changeIssuer(to: String)
}

package enum AuditCommand: Codable, Sendable {
    /// Reads every chain, compares it with the checkpoints in a file on the server's machine, if one is given, and reports
    /// changed, missing and truncated entries.
    case verify(checkpoints: String?)
    /// Creates a checkpoint and shows it.
    case checkpoint
    /// The public keys that verify checkpoints, as a JWK set.
    case key
    /// The newest entries, optionally of one account or kind. `limit`: 1 to 1000, `nil` for 20.
    case tail(account: AccountReference?, kind: String?, limit: Int?)
    /// The entries after the `cursor` of the previous answer.
    case follow(account: AccountReference?, kind: String?, cursor: [Int64])
}

extension AccountReference {
    /// The account on the command line.
    package var words: [String] {
        switch self {
        case .id(let id): ["--account", id]
        case .username(let name, let brand): ["--username", name] + (brand.map { ["--brand", $0] } ?? [])
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
                    "There is no account \(name) in the brand \(brand). See `walletauth account list --brand \(brand)`, or "
                        + "name another brand with --brand.", code: "not_found")
            }
            return account
        }
    }
}
