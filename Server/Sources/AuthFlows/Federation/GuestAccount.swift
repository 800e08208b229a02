internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

/// A person without an account, in the words of a provider that vouches for them.
struct VouchedGuest: Codable, Sendable {
    var provider: ProviderID
    /// What the operator had said of the provider.
    var registration: [UInt8]
    var brand: BrandID
    /// Under which the identity is linked: 32 bytes.
    var digest: [UInt8]
    var subject: String
    var email: String?
    var isEmailVerified: Bool
    /// Under which the name that a password was typed for is remembered.
    var nameDigest: [UInt8]?
    /// What a vendor's provider wants kept with the link.
    var grant: VendorGrant?
}

extension VouchedGuest {
    init(_ identity: ProvenIdentity, nameDigest: [UInt8]? = nil) throws {
        self.init(
            provider: identity.provider.id, registration: try identity.provider.registration(),
            brand: identity.provider.brand, digest: identity.digest, subject: identity.subject,
            email: identity.email, isEmailVerified: identity.isEmailVerified, nameDigest: nameDigest,
            grant: identity.grant)
    }
}

/// The account that is made for a person whom a provider vouches for.
struct GuestAccount: Sendable {
    private let context: ServerContext
    private let guest: VouchedGuest
    private let name: Username
    private let account: AccountRecord
    private let identity: FederatedIdentityRecord
    private let entries: [AuditLog.Entry]
    /// Under which names that are taken are counted; `nil` where the caller counts them.
    private let address: [UInt8]?
    private let authTime: Timestamp
    private let now: Timestamp

    /// What came of it.
    enum Outcome: Sendable {
        /// It was made.
        case made(AccountRecord)
        /// The identity has got an account since the provider vouched: this request's own, its answer lost, or another's that was
        /// quicker.
        case linked(AccountRecord)
        /// The identity's account is older than the provider's word, or was secured since it was made: the word opens it no more.
        case outdated
        /// The brand has an account of that name.
        case nameTaken
        /// Too many names were tried from the address; seconds.
        case tooManyAttempts(retryAfter: Int64)
        /// The provider was removed meanwhile.
        case providerGone
    }

    /// What the account is made with.
    struct Details: Sendable {
        var username: Username
        /// The person's, or the provider's.
        var email: String?
        /// The hash of a password; `nil` for an account without one.
        var passwordHash: String?
        var locale: LocaleTag?
        /// What is kept with the entry of the link in the audit log.
        var properties: [String: String] = [:]
        /// When the provider vouched for the guest.
        var authTime: Timestamp
        /// By whom the guest came.
        var client: ClientID
        var origin: RequestOrigin
        /// Whether names that are taken count among the failures of the network address.
        var countsAddress = true
    }

    /// - Throws: `MalformedValue` for an address or a number that is none.
    init(context: ServerContext, guest: Guest, request: AccountCreationRequest, origin: RequestOrigin, now: Timestamp)
        throws
    {
        var details = Details(
            username: request.username, email: request.email ?? guest.identity.email, locale: request.locale,
            authTime: guest.authTime, client: guest.client, origin: origin)
        if let terms = request.acceptedTerms { details.properties["accepted_terms"] = terms }
        try self.init(context: context, guest: guest.identity, details, now: now)
    }

    /// - Throws: `MalformedValue` for an address that is none.
    init(context: ServerContext, guest: VouchedGuest, _ details: Details, now: Timestamp) throws {
        self.context = context
        self.guest = guest
        self.now = now
        name = details.username
        authTime = details.authTime
        let id = try context.randomID()
        let vault = AccountVault(context: context)
        let email = try details.email.map { try ContactDetails.email($0) }
        // Only the very address that the provider vouched for is verified; another one has to be confirmed by a code.
        // Byte by byte: what Unicode calls equal may be two mailboxes.
        let isToldOne = email.map { Array($0.utf8) } == guest.email.map { Array($0.utf8) }
        let isVerified = email != nil && isToldOne && guest.isEmailVerified
        let password = try details.passwordHash.map { try vault.seal($0, .password, of: id) }
        account = AccountRecord(
            id: id, brandID: guest.brand.rawValue, password: password,
            passwordState: password == nil ? .none : .current, passwordChangedAt: password == nil ? nil : now,
            email: try email.map { try vault.seal($0, .email, of: id) },
            emailState: email == nil ? .none : isVerified ? .verified : .unverified,
            locale: details.locale?.rawValue, createdAt: now)
        identity = FederatedIdentityRecord(
            brandID: guest.brand.rawValue, digest: guest.digest, accountID: id, providerID: guest.provider.rawValue,
            subject: try context.seal(
                Array(guest.subject.utf8), for: .personal, context: Self.context(digest: guest.digest)),
            linkedAt: now,
            // An address that merely looks different may lead to the mailbox that the provider told of.
            tellsAddress: email.flatMap { email in guest.email.map { ContactDetails.mayBeOneMailbox(email, $0) } }
                ?? false)
        let properties = details.properties.merging(["provider": guest.provider.rawValue]) { _, own in own }
        let auditLog = AuditLog(context: context)
        entries = [
            try auditLog.entry(
                .created, account: id, client: details.client.rawValue, origin: details.origin, now: now),
            try auditLog.entry(
                .identityLinked, account: id, client: details.client.rawValue, origin: details.origin,
                properties: properties, now: now),
        ]
        address =
            details.countsAddress ? try AddressAttempts(context: context).subject(details.origin.address) : nil
    }

    /// Makes it: account, link and what is recorded of them in one write, or nothing.
    /// - Parameter alongside: what else that write does once the account is there; what it throws undoes everything.
    func make(
        alongside: @escaping @Sendable (AccountRecord, any SQLConnection) throws -> Void = { _, _ in }
    ) async throws -> Outcome {
        let policy = AddressAttempts(context: context).policy
        let (provider, brand) = (guest.provider.rawValue, guest.brand.rawValue)
        let vault = ProviderVault(context: context)
        return try await context.database.write { connection in
            // Another provider, or other terms, under the name of the one that said who it is, vouches for nobody.
            let registered = try IdentityProviders.find(provider, brand: brand, on: connection)
            guard let registered = try registered.map(vault.open),
                try registered.registration() == guest.registration
            else { return .providerGone }
            if let linked = try FederatedIdentities.find(identity.digest, brand: brand, on: connection),
                let found = try Accounts.find(linked.accountID, on: connection)
            {
                // A guest has proved nothing since the provider vouched. What ended the sign-ins of the account ended this one.
                let isOwn = found.createdAt >= authTime && found.securityVersion == account.securityVersion
                return isOwn ? .linked(found) : .outdated
            }
            // Whoever tries names here learns which exist: as many as somebody who looks for a free one.
            if let address,
                case .refuse(let until) = try Attempts.reserve(address, under: policy, now: now, on: connection)
            {
                return .tooManyAttempts(retryAfter: RetryAfter.seconds(until: until, now: now))
            }
            guard try Accounts.create(account, named: name.rawValue, on: connection) == .created else {
                if let address { try Attempts.fail(address, on: connection) }
                return .nameTaken
            }
            guard try FederatedIdentities.link(identity, on: connection) else {
                throw StoreError(.unexpectedRow, "an identity was linked in the middle of a write")
            }
            if let grant = guest.grant {
                try registered.keeping(grant, of: identity.digest, in: context, now: now)(connection)
            }
            if let name = guest.nameDigest {
                try FederatedIdentities.recordName(name, of: identity.digest, brand: brand, on: connection)
            }
            for entry in entries { try entry.write(on: connection) }
            if let address { try Attempts.refund(address, on: connection) }
            try alongside(account, connection)
            return .made(account)
        }
    }

    /// The sealing of a subject at rest.
    static func context(digest: [UInt8]) -> String { "federated_identities|subject|\(Base64URL.encode(digest))" }
}
