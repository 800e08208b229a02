public import AuthCore

/// One administrative command, as the command line sends it through the server's socket, or executes it itself when
/// no server runs. Texts are as typed: ``Administration`` checks them and refuses with a clear line.
public enum AdministrationCommand: Codable, Sendable {
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
    /// The audit record.
    case audit(AuditCommand)
    /// A flow of a target above this one, by its name; the command is JSON in that flow's own form.
    case flow(name: String, command: [UInt8])
}

/// Commands about clients.
public enum ClientCommand: Codable, Sendable {
    /// Registers a client. The answer shows the secret of a confidential one, once.
    case create(ClientRegistration)
    /// One line for each client.
    case list
    /// Everything about one client, except its secret.
    case show(id: String)
    /// Changes what can change under the sessions that there are.
    case update(id: String, ClientChange)
    /// Removes a client; its sessions end.
    case delete(id: String)
}

/// What changes about a client; what is left out stays. What is not here ends or alters sessions that are under way (who the
/// client is, how it proves itself, whose tokens are bound to keys, the scopes and merchants that sessions were opened
/// with): that takes a client of its own.
public struct ClientChange: Codable, Sendable {
    /// What people read on the sign-in page.
    public var name: String?
    /// Redirect URIs beside those that there are.
    public var addedRedirectURIs: [String] = []
    /// Redirect URIs that are no longer taken.
    public var removedRedirectURIs: [String] = []
    /// Scopes beside those that there are.
    public var addedScopes: [String] = []
    /// Places beside those that there are to which "Forgot your password?" may lead.
    public var addedResetCredentialsURLs: [String] = []
    /// Places to which it leads no more.
    public var removedResetCredentialsURLs: [String] = []
    /// Return URLs beside those that there are.
    public var addedReturnURLs: [String] = []
    /// Return URLs to which no page comes back any more.
    public var removedReturnURLs: [String] = []
    /// Further apps that open links to transactions.
    public var addedAppIDs: [String] = []
    /// Apps that open them no more.
    public var removedAppIDs: [String] = []
    /// Resources beside those that there are.
    public var addedResources: [String] = []
    /// Resources for which no token is issued any more.
    public var removedResources: [String] = []
    /// The confidential client that redeems the codes; empty for none.
    public var redeemer: String?
    /// The site under which https redirect URIs have to lie; empty for none.
    public var siteURL: String?
    /// Whether every token request needs a DPoP proof.
    public var requiresDPoP: Bool?
    /// Whether the app may keep long-lived sessions by device authentication tokens.
    public var deviceTokens: Bool?
    /// Whether it may request tokens for guests whom its backend brings.
    public var guestTokens: Bool?
    /// Whether it may request them by user name and password, too.
    public var guestPasswords: Bool?
    /// Whether devices that are enrolled from now on confirm a code before they sign in.
    public var verifiesInstances: Bool?
    /// Whether it may ask the introspection endpoint about every token.
    public var introspects: Bool?
    /// Whether it may create transactions without an account.
    public var allowsUnaddressedTransactions: Bool?

    /// A change of nothing.
    public init() {}

    /// Whether nothing would change.
    public var isEmpty: Bool {
        name == nil && requiresDPoP == nil && deviceTokens == nil && verifiesInstances == nil && introspects == nil
            && allowsUnaddressedTransactions == nil && guestTokens == nil && guestPasswords == nil
            && (addedRedirectURIs + removedRedirectURIs + addedScopes + addedResetCredentialsURLs).isEmpty
            && (addedReturnURLs + removedReturnURLs + addedAppIDs + removedAppIDs).isEmpty
            && (removedResetCredentialsURLs + addedResources + removedResources).isEmpty
            && redeemer == nil && siteURL == nil
    }
}

/// What an operator says about a new client. Lifetimes are in seconds.
public struct ClientRegistration: Codable, Sendable {
    /// Whether a client can keep a secret (RFC 6749 §2.1).
    public enum Kind: String, Codable, Sendable, CaseIterable {
        /// An app in people's hands: PKCE, no secret.
        case `public`
        /// A backend.
        case confidential
    }

    /// The client id; `nil` has one made.
    public var id: String?
    /// What people read on the sign-in page.
    public var name: String
    /// Public or confidential.
    public var kind: Kind
    /// `none`, `client_secret_basic`, `client_secret_post` or `private_key_jwt`; `nil` for the kind's usual one.
    public var authenticationMethod: String?
    /// The JWK set for `private_key_jwt`, as JSON.
    public var keySet: String?
    /// Redirect URIs, compared to the letter.
    public var redirectURIs: [String] = []
    /// The widest scope that the client may ask for.
    public var scopes: [String] = []
    /// The brand whose people sign in; `nil` for `default`.
    public var brand: String?
    /// The operator's own app: native sign-in is allowed, and people are not asked for consent.
    public var firstParty = false
    /// Whether every token request needs a DPoP proof; `nil` for yes with a public first-party client, for no with others.
    public var requiresDPoP: Bool?
    /// The base URL under which https redirect URIs have to lie.
    public var siteURL: String?
    /// Where "Forgot your password?" may lead.
    public var resetCredentialsURLs: [String] = []
    /// Where the page comes back to on which people agree to operations, compared to the letter.
    public var returnURLs: [String] = []
    /// The apps that open links to transactions, as Apple names them: `TEAMID.bundle.id`.
    public var appIDs: [String] = []
    /// The `resource` values that the client may ask for (RFC 8707); the issuer is meant where there is none.
    public var resources: [String] = []
    /// A sign-in needs a `merchant_id`.
    public var requiresMerchant = false
    /// The confidential client that may redeem this client's codes.
    public var redeemer: String?
    /// Under the FAPI 2.0 profile: refresh tokens do not rotate.
    public var fapi = false
    /// An enrolled device signs in only after its installation confirmed a code.
    public var verifiesInstances = false
    /// The app may keep long-lived sessions by device authentication tokens.
    public var deviceTokens = false
    /// May request tokens for guests whom its backend brings; it counts as the operator's own.
    public var guestTokens = false
    /// May request them by user name and password, too.
    public var guestPasswords = false
    /// May ask the introspection endpoint about every token, as a resource server does.
    public var introspects = false
    /// May create transactions without an account: the first device that scans the code signs.
    public var allowsUnaddressedTransactions = false
    /// `RS256` (the default), `ES256` or `EdDSA`.
    public var idTokenAlgorithm: String?
    /// Access tokens live so long; default 300.
    public var accessTokenLifetime: Int?
    /// A session unused for so long ends; default 30 days.
    public var refreshIdleLifetime: Int?
    /// A session ends after so long, used or not; default 90 days.
    public var refreshAbsoluteLifetime: Int?

    /// - Parameters:
    ///   - name: what people read on the sign-in page.
    ///   - kind: public or confidential.
    public init(name: String, kind: Kind) {
        self.name = name
        self.kind = kind
    }
}

/// Which account is meant.
public enum AccountReference: Codable, Sendable {
    /// By its id, a UUID.
    case id(String)
    /// By its user name in a brand; `nil` for the brand `default`.
    case username(String, brand: String?)
}

/// Commands about accounts.
public enum AccountCommand: Codable, Sendable {
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
public struct AccountRegistration: Codable, Sendable {
    /// The user name.
    public var username: String
    /// The password; `nil` makes an account that cannot sign in by password yet.
    public var password: String?
    /// The e-mail address; unconfirmed unless `emailVerified` is set.
    public var email: String?
    /// The operator knows the address to be the person's.
    public var emailVerified = false
    /// The telephone number.
    public var phone: String?
    /// The brand; `nil` for `default`.
    public var brand: String?
    /// What else it says about its person.
    public var profile = ProfileChange()

    /// - Parameters:
    ///   - username: the user name.
    ///   - password: the password.
    public init(username: String, password: String?) {
        self.username = username
        self.password = password
    }
}

/// What to change of what an account says about its person; `nil` leaves a thing as it is, and an empty text takes it away.
public struct ProfileChange: Codable, Sendable, Hashable {
    /// The full name as it is shown.
    public var name: String?
    /// The given names.
    public var givenName: String?
    /// The family names.
    public var familyName: String?
    /// The preferred language (RFC 5646).
    public var locale: String?
    /// The postal address, its lines separated by line feeds.
    public var address: String?
    /// Whether the operator knows the telephone number to be the person's.
    public var phoneVerified: Bool?

    /// Each parameter is the property of its name.
    public init(
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
public enum DeviceCommand: Codable, Sendable {
    /// One line for each device of an account.
    case list(AccountReference)
    /// Suspends, resumes, deactivates or reactivates a device; its sessions end unless it becomes active.
    case order(DeviceState.Order, id: String)
    /// Confirms the installation of a device in place of its code.
    case confirm(id: String)
    /// Removes a device for good.
    case remove(id: String)
}

/// Commands about passkeys.
public enum PasskeyCommand: Codable, Sendable {
    /// One line for each passkey of an account.
    case list(AccountReference)
    /// Says how many passkeys open nothing, since they were made for a former domain of the server.
    case examine
    /// Removes a passkey for good.
    case remove(id: String)
}

/// Commands about brands.
public enum BrandCommand: Codable, Sendable {
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
public struct BrandChange: Codable, Sendable, Hashable {
    /// What people read.
    public var name: String?
    /// Six hexadecimal digits, with or without `#`.
    public var color: String?
    /// The https address of an image.
    public var logoURL: String?
    /// The https address of the terms that people accept with a new account.
    public var termsURL: String?
    /// What is asked of a device that is not linked: `second_factor` or `allow`.
    public var newDevice: String?
    /// Whether secret questions count as a second factor.
    public var secretQuestions: Bool?
    /// Whether people may sign in by a PIN of their account.
    public var accountPIN: Bool?
    /// How many days old a password may grow; 0 for no limit.
    public var passwordDays: Int?

    /// Each parameter is the property of its name.
    public init(
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
public enum MerchantCommand: Codable, Sendable {
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
public enum KeysCommand: Codable, Sendable {
    /// One line for each key, never key material.
    case list
    /// Makes a new key for a purpose, by its name in ``KeyPurpose`` or `signing`; old ones go on opening what they sealed.
    case rotate(purpose: String)
}

/// Commands about messages to people.
public enum OutboxCommand: Codable, Sendable {
    /// One line for each of the latest messages: how its delivery stands, and nothing of its content or its address.
    case list
    /// Tries one at once, also one that was given up.
    case retry(id: String)
}

/// Commands about the database.
public enum DatabaseCommand: Codable, Sendable {
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

/// Commands about the audit record.
public enum AuditCommand: Codable, Sendable {
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
