internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

/// The account that is made for somebody whom a provider vouches for.
struct GuestAccount: Sendable {
    private let context: ServerContext
    private let guest: Guest
    private let name: Username
    private let account: AccountRecord
    private let identity: FederatedIdentityRecord
    private let entries: [Journal.Entry]
    private let address: [UInt8]
    private let now: Timestamp

    /// What came of it.
    enum Outcome: Sendable {
        /// It was made.
        case made(AccountRecord)
        /// The identity has an account already: this request's own, its answer lost, or another's that was quicker.
        case linked(AccountRecord)
        /// The brand has an account of that name.
        case nameTaken
        /// Too many names were tried from the address; seconds.
        case tooManyAttempts(retryAfter: Int64)
        /// The provider was removed meanwhile.
        case providerGone
    }

    /// - Throws: `MalformedValue` for an address or a number that is none.
    init(
        context: ServerContext, guest: Guest, request: AccountCreationRequest, origin: RequestOrigin, now: Timestamp
    ) throws {
        self.context = context
        self.guest = guest
        self.now = now
        name = request.username
        let id = try context.randomID()
        let vault = AccountVault(context: context)
        let email = try (request.email ?? guest.email).map { try ContactDetails.email($0) }
        // Only the very address that the provider vouched for is verified; another one has to be confirmed by a code.
        // Byte by byte: what Unicode calls equal may be two mailboxes.
        let isToldOne = email.map { Array($0.utf8) } == guest.email.map { Array($0.utf8) }
        let isVerified = email != nil && isToldOne && guest.isEmailVerified
        account = AccountRecord(
            id: id, brandID: guest.brand.rawValue, email: try email.map { try vault.seal($0, .email, of: id) },
            emailState: email == nil ? .none : isVerified ? .verified : .unverified,
            locale: request.locale?.rawValue, createdAt: now)
        identity = FederatedIdentityRecord(
            brandID: guest.brand.rawValue, digest: guest.digest, accountID: id, providerID: guest.provider.rawValue,
            subject: try context.seal(
                Array(guest.subject.utf8), for: .personal, context: Self.context(digest: guest.digest)),
            linkedAt: now,
            // An address that merely looks different may lead to the mailbox that the provider told of.
            tellsAddress: email.flatMap { email in guest.email.map { ContactDetails.mayBeOneMailbox(email, $0) } }
                ?? false)
        var properties = ["provider": guest.provider.rawValue]
        if let terms = request.acceptedTerms { properties["accepted_terms"] = terms }
        let journal = Journal(context: context)
        entries = [
            try journal.entry(.created, account: id, client: guest.client.rawValue, origin: origin, now: now),
            try journal.entry(
                .identityLinked, account: id, client: guest.client.rawValue, origin: origin, properties: properties,
                now: now),
        ]
        address = try AddressAttempts(context: context).subject(origin.address)
    }

    /// Makes it: account, link and what is recorded of them in one write, or nothing.
    func make() async throws -> Outcome {
        let policy = AddressAttempts(context: context).policy
        let (provider, brand) = (guest.provider.rawValue, guest.brand.rawValue)
        let vault = ProviderVault(context: context)
        return try await context.database.write { connection in
            // Another provider, or other terms, under the name of the one that said who it is, vouches for nobody.
            let registered = try IdentityProviders.find(provider, brand: brand, on: connection)
            guard let registered, try vault.open(registered).registration() == guest.registration else {
                return .providerGone
            }
            if let linked = try FederatedIdentities.find(identity.digest, brand: brand, on: connection),
                let found = try Accounts.find(linked.accountID, on: connection)
            {
                return .linked(found)
            }
            // Whoever tries names here learns which exist: as many as somebody who looks for a free one.
            if case .refuse(let until) = try Attempts.reserve(address, under: policy, now: now, on: connection) {
                return .tooManyAttempts(retryAfter: RetryAfter.seconds(until: until, now: now))
            }
            guard try Accounts.create(account, named: name.rawValue, on: connection) == .created else {
                try Attempts.fail(address, on: connection)
                return .nameTaken
            }
            guard try FederatedIdentities.link(identity, on: connection) else {
                throw StoreError(.unexpectedRow, "an identity was linked in the middle of a write")
            }
            if let name = guest.nameDigest {
                try FederatedIdentities.recordName(name, of: identity.digest, brand: brand, on: connection)
            }
            for entry in entries { try entry.write(on: connection) }
            try Attempts.refund(address, on: connection)
            return .made(account)
        }
    }

    /// The sealing of a subject at rest.
    static func context(digest: [UInt8]) -> String { "federated_identities|subject|\(Base64URL.encode(digest))" }
}
