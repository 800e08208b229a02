package import Kernel
internal import Store
internal import WalletAuthWire

/// One administrative command. The command line sends it through the server's socket, or executes it itself: while no server
/// runs, and always with PostgreSQL. Texts are as typed: ``Administration`` checks them and refuses with a clear line.
package enum AdministrationCommand: Codable, Sendable {
    /// Apps and backends.
    case client(ClientCommand)
    /// People's accounts.
    case account(AccountCommand)
    case device(DeviceCommand)
    case passkey(PasskeyCommand)
    /// Sets of accounts, each with its own look.
    case brand(BrandCommand)
    /// Other services that sign people in.
    case provider(ProviderCommand)
    /// Merchants, whose employees may sign in to the clients installed there.
    case merchant(MerchantCommand)
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

package enum AccountCommand: Codable, Sendable {
    case create(AccountRegistration)
    /// A page of a brand's user names in order. `brand`: `nil` for `default`. `after`: `nil` for the first page. `limit`: 1 to
    /// 1000, `nil` for 100.
    case list(brand: String?, after: String?, limit: Int?)
    /// Everything about an account except its password, and the obstacles to a sign-in.
    case show(AccountReference)
    /// Ends every session and refuses every sign-in until the account is reactivated.
    case deactivate(AccountReference)
    /// Lets a deactivated account sign in again and resets its failure counters.
    case reactivate(AccountReference)
    case update(AccountReference, ProfileChange)
    /// Marks the e-mail address as confirmed.
    case verifyEmail(AccountReference)
    /// Replaces or removes the e-mail address. Sessions go on; codes and recoveries in progress end.
    case setEmail(AccountReference, ContactChange)
    /// Replaces or removes the phone number, with the same effect.
    case setPhone(AccountReference, ContactChange)
    /// Requires a new password at the next sign-in; every session ends.
    case expirePassword(AccountReference)
    /// Sets a new password, as an operator; every session ends.
    case setPassword(AccountReference, password: String)
    /// Removes the account PIN; sessions opened with it end.
    case removePIN(AccountReference)
    /// One line for each app with access.
    case consents(AccountReference)
    /// Withdraws an app's access; its sessions end.
    case withdrawConsent(AccountReference, client: String)
    /// All data about a person, as JSON (GDPR articles 15 and 20).
    case export(AccountReference)
    /// Erases what identifies the person (GDPR article 17); every session ends.
    case erase(AccountReference)
}

package struct AccountRegistration: Codable, Sendable {
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
package struct ContactChange: Codable, Sendable, Hashable {
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
package struct ProfileChange: Codable, Sendable, Hashable {
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

package enum DeviceCommand: Codable, Sendable {
    /// One line for each device of an account.
    case list(AccountReference)
    /// Suspends, resumes, deactivates or reactivates a device; its sessions end unless it becomes active.
    case transition(DeviceState.Transition, id: String)
    /// Confirms the installation of a device in place of its code.
    case confirm(id: String)
    /// Removes a device for good.
    case remove(id: String)
}

package enum PasskeyCommand: Codable, Sendable {
    /// One line for each passkey of an account.
    case list(AccountReference)
    /// Counts passkeys that no longer work, because they belong to a former domain of the server.
    case examine
    /// Removes a passkey for good.
    case remove(id: String)
}

package enum BrandCommand: Codable, Sendable {
    case create(id: String, name: String)
    /// One line for each brand.
    case list
    case show(id: String)
    case update(id: String, BrandChange)
}

/// Changes to a brand. `nil` leaves a member as it is, an empty color or address removes it.
package struct BrandChange: Codable, Sendable, Hashable {
    package var name: String?
    /// Six hexadecimal digits, with or without `#`.
    package var color: String?
    /// The https address of an image.
    package var logoURL: String?
    /// The https address of the terms that people accept with a new account.
    package var termsURL: String?
    /// The rule for a device that is not linked: `second_factor` or `allow`.
    package var newDevice: String?
    /// Whether secret questions count as a second factor.
    package var secretQuestions: Bool?
    /// Whether people may sign in with an account PIN.
    package var accountPIN: Bool?
    /// Maximum age of a password in days; 0 for no limit.
    package var passwordDays: Int?

    package init(
        name: String? = nil, color: String? = nil, logoURL: String? = nil, termsURL: String? = nil,
        newDevice: String? = nil, secretQuestions: Bool? = nil, accountPIN: Bool? = nil, passwordDays: Int? = nil
    ) {
        self.name = name
        self.color = color
        self.logoURL = logoURL
        self.termsURL = termsURL
        self.newDevice = newDevice
        self.secretQuestions = secretQuestions
        self.accountPIN = accountPIN
        self.passwordDays = passwordDays
    }
}

package enum MerchantCommand: Codable, Sendable {
    /// Creates a merchant; if `id` is `nil`, one is generated. Merchants belong to no brand: their clients do.
    case create(id: String?, name: String)
    /// One line for each merchant.
    case list
    case installClient(merchant: String, client: String)
    /// Removes a client from a merchant; the client's sessions there end at their next refresh.
    case removeClient(merchant: String, client: String)
    case addEmployee(merchant: String, account: AccountReference)
    /// Ends an employment; the person's sessions there end at their next refresh.
    case removeEmployee(merchant: String, account: AccountReference)
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
