package import AuthCore

/// One administrative command, as the command line sends it through the server's socket, or executes it itself when
/// no server runs. Texts are as typed: ``Administration`` checks them and refuses with a clear line.
package enum AdministrationCommand: Codable, Sendable {
    /// Clients: apps and backends.
    case client(ClientCommand)
    /// Accounts: people.
    case account(AccountCommand)
    /// Enrolled devices.
    case device(DeviceCommand)
    /// Passkeys.
    case passkey(PasskeyCommand)
    /// Brands: looks and sets of accounts.
    case brand(BrandCommand)
    /// Identity providers: whose word people sign in by.
    case provider(ProviderCommand)
    /// Merchants: whose employees may sign in where a client is installed.
    case merchant(MerchantCommand)
    /// Keys: what signs and seals.
    case keys(KeysCommand)
    /// Messages to people.
    case outbox(OutboxCommand)
    /// The database.
    case database(DatabaseCommand)
    /// The audit log.
    case audit(AuditCommand)
    /// A flow of a target above this one, by its name; the command is JSON in that flow's own form.
    case flow(name: String, command: [UInt8])
}

/// Which account is meant.
package enum AccountReference: Codable, Sendable {
    /// By its id, a UUID.
    case id(String)
    /// By its user name in a brand; `nil` for the brand `default`.
    case username(String, brand: String?)
}

/// Commands about accounts.
package enum AccountCommand: Codable, Sendable {
    /// Makes an account.
    case create(AccountRegistration)
    /// A page of a brand's user names in their order; `brand` `nil` for `default`, `after` `nil` for the first page, and
    /// `limit` from 1 to 1000, `nil` for 100.
    case list(brand: String?, after: String?, limit: Int?)
    /// What is known of an account, without its password, and what stands between it and a sign-in.
    case show(AccountReference)
    /// Ends every session and refuses every sign-in until it is reactivated.
    case deactivate(AccountReference)
    /// Lets a deactivated account sign in again; counters of failures start over.
    case reactivate(AccountReference)
    /// Changes what the account says about its person.
    case update(AccountReference, ProfileChange)
    /// Counts the e-mail address as confirmed.
    case verifyEmail(AccountReference)
    /// Asks for a new password at the next sign-in; every session ends.
    case expirePassword(AccountReference)
    /// Sets a new password, as an operator; every session ends.
    case setPassword(AccountReference, password: String)
    /// Takes the account's PIN away; sessions that it opened end.
    case removePIN(AccountReference)
    /// One line for each app that the person gave access.
    case consents(AccountReference)
    /// Takes an app's access back; its sessions end.
    case withdrawConsent(AccountReference, client: String)
    /// Everything that is kept about a person, as JSON (GDPR articles 15 and 20).
    case export(AccountReference)
    /// Erases what identifies the person (GDPR article 17); every session ends.
    case erase(AccountReference)
}

/// What an operator says about a new account.
package struct AccountRegistration: Codable, Sendable {
    /// The user name.
    package var username: String
    /// The password; `nil` makes an account that cannot sign in by password yet.
    package var password: String?
    /// The e-mail address; unconfirmed unless `emailVerified` is set.
    package var email: String?
    /// The operator knows the address to be the person's.
    package var emailVerified = false
    /// The telephone number.
    package var phone: String?
    /// The brand; `nil` for `default`.
    package var brand: String?
    /// What else it says about its person.
    package var profile = ProfileChange()

    /// - Parameters:
    ///   - username: the user name.
    ///   - password: the password.
    package init(username: String, password: String?) {
        self.username = username
        self.password = password
    }
}

/// What to change of what an account says about its person; `nil` leaves a thing as it is, and an empty text takes it away.
package struct ProfileChange: Codable, Sendable, Hashable {
    /// The full name as it is shown.
    package var name: String?
    /// The given names.
    package var givenName: String?
    /// The family names.
    package var familyName: String?
    /// The preferred language (RFC 5646).
    package var locale: String?
    /// The postal address, its lines separated by line feeds.
    package var address: String?
    /// Whether the operator knows the telephone number to be the person's.
    package var phoneVerified: Bool?

    /// Each parameter is the property of its name.
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

/// Commands about enrolled devices.
package enum DeviceCommand: Codable, Sendable {
    /// One line for each device of an account.
    case list(AccountReference)
    /// Suspends, resumes, deactivates or reactivates a device; its sessions end unless it becomes active.
    case transition(DeviceState.Transition, id: String)
    /// Confirms the installation of a device in place of its code.
    case confirm(id: String)
    /// Removes a device for good.
    case remove(id: String)

    private enum CodingKeys: String, CodingKey {
        case list
        case transition = "order"
        case confirm
        case remove
    }
}

/// Commands about passkeys.
package enum PasskeyCommand: Codable, Sendable {
    /// One line for each passkey of an account.
    case list(AccountReference)
    /// Says how many passkeys open nothing, since they were made for a former domain of the server.
    case examine
    /// Removes a passkey for good.
    case remove(id: String)
}

/// Commands about brands.
package enum BrandCommand: Codable, Sendable {
    /// Makes a brand.
    case create(id: String, name: String)
    /// One line for each brand.
    case list
    /// Everything about one brand.
    case show(id: String)
    /// Changes how a brand looks and what it asks.
    case update(id: String, BrandChange)
}

/// What to change about a brand; `nil` leaves a thing as it is, and an empty color or address takes it away.
package struct BrandChange: Codable, Sendable, Hashable {
    /// What people read.
    package var name: String?
    /// Six hexadecimal digits, with or without `#`.
    package var color: String?
    /// The https address of an image.
    package var logoURL: String?
    /// The https address of the terms that people accept with a new account.
    package var termsURL: String?
    /// What is asked of a device that is not linked: `second_factor` or `allow`.
    package var newDevice: String?
    /// Whether secret questions count as a second factor.
    package var secretQuestions: Bool?
    /// Whether people may sign in by a PIN of their account.
    package var accountPIN: Bool?
    /// How many days old a password may grow; 0 for no limit.
    package var passwordDays: Int?

    /// Each parameter is the property of its name.
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

/// Commands about merchants.
package enum MerchantCommand: Codable, Sendable {
    /// Makes a merchant; `id` `nil` has one made. Merchants belong to no brand: their clients do.
    case create(id: String?, name: String)
    /// One line for each merchant.
    case list
    /// Installs a client on a merchant.
    case installClient(merchant: String, client: String)
    /// Removes a client from a merchant; the client's sessions there end at their next renewal.
    case removeClient(merchant: String, client: String)
    /// Makes a person an employee of a merchant.
    case addEmployee(merchant: String, account: AccountReference)
    /// Ends an employment; the person's sessions there end at their next renewal.
    case removeEmployee(merchant: String, account: AccountReference)
}

/// Commands about keys.
package enum KeysCommand: Codable, Sendable {
    /// One line for each key, never key material.
    case list
    /// Makes a new key for a purpose, by its name in ``KeyPurpose`` or `signing`; old ones go on opening what they sealed.
    case rotate(purpose: String)
}

/// Commands about messages to people.
package enum OutboxCommand: Codable, Sendable {
    /// One line for each of the latest messages: how its delivery stands, and nothing of its content or its address.
    case list
    /// Tries one at once, also one that was given up.
    case retry(id: String)
}

/// Commands about the database.
package enum DatabaseCommand: Codable, Sendable {
    /// Brings the schema up to date; opening the server context has done it already, so this reports the version.
    case migrate
    /// Looks for damage.
    case check
    /// Removes what has expired.
    case sweep
    /// Writes a consistent copy to a path on the server's machine.
    case backup(path: String)
    /// A page of accounts with the factors that the last restore brought back; `after` `nil` for the first page, and `limit` from 1 to
    /// 1000, `nil` for 100.
    case restored(after: String?, limit: Int?)
    /// Gives the database to another issuer, under which the next start serves it.
    case changeIssuer(to: String)
}

/// Commands about the audit log.
package enum AuditCommand: Codable, Sendable {
    /// Reads every chain, holds it against the checkpoints of a file on the server's machine where one is named, and says
    /// what was changed, is missing or was cut off.
    case verify(checkpoints: String?)
    /// Makes a checkpoint now, and shows it.
    case checkpoint
    /// The public keys that checkpoints are verified with, a JWK set.
    case key
    /// The newest entries, of an account or a kind where they are given; `limit` from 1 to 1000, `nil` for 20.
    case tail(account: AccountReference?, kind: String?, limit: Int?)
    /// The entries after a place, the `cursor` of the answer before.
    case follow(account: AccountReference?, kind: String?, cursor: [Int64])
}
