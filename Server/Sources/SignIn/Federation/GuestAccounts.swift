package import Core
package import Kernel
package import Store
package import WalletAuthWire

/// Creates accounts for people for whom a provider vouches.
package struct GuestAccounts: Sendable {
    let database: any Database
    let sealing: SealingKeys
    let auditLog: AuditLog
    let addresses: AddressAttempts
    let providers: ProviderVault
    let access: ProviderAccess

    package enum Outcome: Sendable {
        case made(AccountRecord)
        /// The identity was linked to an account after the provider vouched: by this request, whose response was lost, or by a faster
        /// one.
        case linked(AccountRecord)
        /// The identity's account is older than the provider's assertion, or was secured after it. The assertion no longer opens it.
        case outdated
        /// Taken, or easily taken for one that is.
        case nameTaken
        /// An address that is not the one that the provider gave.
        case nameUnusable
        /// Too many names were tried from the address; in seconds.
        case tooManyAttempts(retryAfter: Int64)
        /// The provider was removed, or its settings changed, after it vouched.
        case providerGone
    }

    package struct Details: Sendable {
        package var username: Username
        /// From the person or from the provider.
        package var email: String?
        /// `nil` for an account without a password.
        package var passwordHash: String?
        package var locale: LocaleTag?
        package var profile = PersonalProfile()
        /// Properties for the entry of the link in the audit log.
        package var properties: [String: String] = [:]
        /// The client through which the guest came; `nil` for one that may not learn of them before they consent.
        package var client: ClientID?
        package var origin: RequestOrigin
        /// Whether the person chose the name, so that a taken one counts as a failure of the network address, and look-alikes are taken.
        package var countsAddress = true

        package init(
            username: Username, email: String? = nil, passwordHash: String? = nil, locale: LocaleTag? = nil,
            properties: [String: String] = [:], client: ClientID?, origin: RequestOrigin,
            countsAddress: Bool = true
        ) {
            self.username = username
            self.email = email
            self.passwordHash = passwordHash
            self.locale = locale
            self.properties = properties
            self.client = client
            self.origin = origin
            self.countsAddress = countsAddress
        }
    }

    /// The account of a guest with its link and audit entries, before the write that creates them.
    package struct New: Sendable {
        fileprivate let guest: ProvenIdentity
        fileprivate let name: Username
        fileprivate let account: AccountRecord
        fileprivate let identity: FederatedIdentityRecord
        fileprivate let digests: AccountDigests
        fileprivate let entries: [AuditLog.Entry]
        /// The counters of the network address; `nil` if a backend chose the name.
        fileprivate let address: SharedCounters?
        fileprivate let now: Timestamp
    }

    /// Creates the account, for a caller without rows of its own.
    /// - Throws: `MalformedValue` for an invalid address.
    func make(for guest: ProvenIdentity, _ details: Details, now: Timestamp) async throws -> Outcome {
        let proved = guest.isEmailVerified ? guest.email : nil
        guard ChosenName.isUsable(details.username, proving: proved) else { return .nameUnusable }
        let new = try new(for: guest, details, now: now)
        do { return try await database.write { try make(new, on: $0) } } catch is VendorConsentEnded {
            return .outdated
        }
    }

    /// Creates the account, its link and the audit entries in one write.
    /// - Throws: ``VendorConsentEnded`` if the guest has ended their consent at the provider since.
    package func make(_ new: New, on connection: any SQLConnection) throws -> Outcome {
        let (guest, brand) = (new.guest, new.guest.brand.rawValue)
        // A different provider, or different settings under the same name, did not vouch for this person.
        let registered = try IdentityProviders.find(guest.provider.rawValue, brand: brand, on: connection)
        guard let provider = try registered.map({ try providers.open($0) }),
            try provider.registration() == guest.registration
        else { return .providerGone }
        if let found = try guest.account(on: connection) {
            // The guest has proved nothing since. An event that ended the account's sign-ins ends this one too.
            let isOwn = found.createdAt >= guest.provenAt && found.securityVersion == new.account.securityVersion
            return isOwn ? .linked(found) : .outdated
        }
        // Trying names reveals which exist, so the number of tries is limited.
        if case .refuse(let until)? = try new.address?.reserve(now: new.now, on: connection) {
            return .tooManyAttempts(retryAfter: RetryAfter.seconds(until: until, now: new.now))
        }
        let creation =
            try new.address == nil
            ? ConfirmedEmail(auditLog).create(
                new.account, named: new.name, digests: new.digests, now: new.now, on: connection)
            : ChosenName.create(
                new.account, named: new.name, digests: new.digests, auditLog: auditLog, now: new.now, on: connection)
        guard creation == .created else {
            try new.address?.fail(on: connection)
            return .nameTaken
        }
        guard try FederatedIdentities.link(new.identity, on: connection) else {
            throw StoreError(.unexpectedRow, "an identity was linked in the middle of a write")
        }
        try guest.keepGrant(at: provider, by: access, now: new.now, on: connection)
        if let typed = guest.nameDigest {
            try FederatedIdentities.recordName(typed, of: guest.digest, brand: brand, on: connection)
        }
        for entry in new.entries { try entry.write(on: connection) }
        try new.address?.refund(on: connection)
        return .made(new.account)
    }

    /// - Throws: `MalformedValue` for an invalid address.
    package func new(for guest: ProvenIdentity, _ details: Details, now: Timestamp) throws -> New {
        let id = try sealing.random.uniqueID()
        let vault = AccountVault(sealing)
        let email = try details.email.map { try EmailAddress($0).rawValue }
        // Only the address that the provider vouched for is verified; any other needs a code. Compared byte by byte, because strings
        // that Unicode treats as equal may be two mailboxes.
        let isFromProvider = email.map { Array($0.utf8) } == guest.email.map { Array($0.utf8) }
        let isVerified = email != nil && isFromProvider && guest.isEmailVerified
        let password = try details.passwordHash.map { try vault.seal($0, .password, of: id) }
        let account = AccountRecord(
            id: id, brandID: guest.brand.rawValue, password: password,
            passwordState: password == nil ? .none : .current, passwordChangedAt: password == nil ? nil : now,
            email: try email.map { try vault.seal($0, .email, of: id) },
            emailState: email == nil ? .none : isVerified ? .verified : .unverified,
            profile: try vault.seal(details.profile, of: id), locale: details.locale?.rawValue, createdAt: now)
        let identity = FederatedIdentityRecord(
            brandID: guest.brand.rawValue, digest: guest.digest, accountID: id, providerID: guest.provider.rawValue,
            subject: try IdentityVault(sealing).seal(guest.subject, .subject, of: guest.digest),
            linkedAt: now, assertsAddress: guest.assertsAddress(email))
        return New(
            guest: guest, name: details.username, account: account, identity: identity,
            digests: try AccountDigests(of: account, names: [details.username], sealing: sealing),
            entries: [
                try auditLog.entry(
                    AccountEvent.created, account: id, client: details.client?.rawValue, origin: details.origin,
                    now: now
                ),
                try auditLog.entry(
                    IdentityEvent.linked, account: id, client: details.client?.rawValue, origin: details.origin,
                    properties: ["provider": guest.provider.rawValue], appProperties: details.properties, now: now),
            ], address: try details.countsAddress ? addresses.counters(of: details.origin, now: now) : nil, now: now)
    }
}
