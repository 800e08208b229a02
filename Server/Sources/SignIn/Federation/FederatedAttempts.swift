internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// The failure counters of provider sign-ins, charged before the provider is asked.
///
/// One counts by network. If a password is involved, another counts by user name, so that this server cannot be used to
/// guess passwords at a repository.
///
/// A device of the person who last signed in with that name has its own counter instead. Untrusted devices that fail with the
/// holder's name, or from the same address, therefore do not lock the holder out.
///
/// Without a password nothing can be guessed. Then it is enough that the device is linked to the person whom the still
/// unverified ID token claims, or that someone signed in with the browser before. A code alone names no one.
struct FederatedAttempts: Sendable {
    let database: any Database
    let keyRing: KeyRing
    let lockout: LockoutPolicy
    let addresses: AddressAttempts
    let access: ProviderAccess

    /// The counters that one attempt is charged to.
    struct Counters: Sendable {
        /// The key for the exact name that was typed; `nil` if there is no password to guess.
        fileprivate var name: [UInt8]?
        /// The counters of the networks; without a password to guess, that of a known device. `nil` for a known device with
        /// a password.
        fileprivate var address: SharedCounters?
        /// Whether `address` is the counter of a known device.
        fileprivate var isOwn: Bool
        /// The counter of the name or of the known device; `nil` if there is no password to guess.
        fileprivate var charge: Charge?
    }

    fileprivate struct Charge: Sendable {
        var subject: [UInt8]
        /// Whether others share this counter. Names that only some repositories distinguish share one, so the owner of one name must
        /// not reset the failures of another.
        var isShared: Bool
    }

    enum Reservation: Sendable {
        case ask
        /// Too many wrong passwords for the name. The provider is not asked, and the response is that of a wrong password.
        case slowed
        /// Too many failures from the network; in seconds.
        case networkHeld(retryAfter: Int64)
        /// Too many failures on this known device; in seconds.
        case deviceHeld(retryAfter: Int64)
    }

    /// - Parameters:
    ///   - username: the name that the password belongs to; `nil` if there is no password to guess.
    ///   - subject: the person whom the credential claims to be at the provider; `nil` if it names none.
    ///   - thumbprint: the DPoP key of the request.
    ///   - client: the client that proved the key.
    func counters(
        of username: RepositoryUsername?, claiming subject: String?, at provider: IdentityProvider,
        thumbprint: JWKThumbprint, of client: ClientID, origin: RequestOrigin, now: Timestamp
    ) async throws -> Counters {
        let key = try keyRing.active(.attempts)
        let name = username.map {
            Digests.keyed("repository-name", [provider.brand.rawValue, provider.namespace, $0.asked], key: key)
        }
        let count = username.map {
            Digests.keyed("repository", [provider.brand.rawValue, provider.namespace, $0.counted], key: key)
        }
        let brand = provider.brand.rawValue
        let identity = subject.map { provider.digest(of: $0) }
        let isKnown = try await database.read { connection in
            let holder =
                if let name {
                    try FederatedIdentities.holder(ofName: name, brand: brand, on: connection)
                } else {
                    try identity.flatMap { try FederatedIdentities.find($0, brand: brand, on: connection)?.accountID }
                }
            return try holder.map { try Devices.links(thumbprint.bytes, by: client, to: $0, on: connection) } ?? false
        }
        let device = Base64URL.encode(thumbprint.bytes)
        if isKnown, let name {
            let subject = Digests.keyed("repository-device", [Base64URL.encode(name), device], key: key)
            return Counters(
                name: name, address: nil, isOwn: true, charge: Charge(subject: subject, isShared: false))
        }
        return Counters(
            name: name, address: try shared(of: origin, known: isKnown ? device : nil, now: now), isOwn: isKnown,
            charge: count.map { Charge(subject: $0, isShared: true) })
    }

    /// The counters of an attempt on a hosted page. There is nothing to guess.
    /// - Parameter browser: the browser's cookie.
    func counters(ofPage origin: RequestOrigin, in browser: KnownDeviceCookie?, now: Timestamp) throws -> Counters {
        Counters(
            name: nil, address: try shared(of: origin, known: browser?.device, now: now), isOwn: browser != nil,
            charge: nil)
    }

    /// The counter of a known device, or those of the networks.
    private func shared(of origin: RequestOrigin, known device: String?, now: Timestamp) throws -> SharedCounters {
        guard let device else { return try addresses.counters(of: origin, now: now) }
        let subject = Digests.keyed("provider-device", [device], key: try keyRing.active(.attempts))
        return SharedCounters(subject, under: lockout.shared)
    }

    func reserve(_ counters: Counters, now: Timestamp) async throws -> Reservation {
        try await database.write { connection in
            if case .refuse(let until)? = try counters.address?.reserve(now: now, on: connection) {
                let seconds = RetryAfter.seconds(until: until, now: now)
                return counters.isOwn ? .deviceHeld(retryAfter: seconds) : .networkHeld(retryAfter: seconds)
            }
            guard let charge = counters.charge,
                case .refuse = try Attempts.reserve(
                    charge.subject, under: lockout.unknownDevices, now: now, on: connection)
            else { return .ask }
            // A further attempt at a slowed name counts against its networks.
            try counters.address?.fail(on: connection)
            return .slowed
        }
    }

    enum Settlement: Sendable {
        case linked(AccountRecord, ProvenIdentity)
        /// No account is linked to the identity.
        case noAccount(ProvenIdentity)
        case wrong
        case unavailable
    }

    /// Settles the attempt by the provider's answer. An e-mail address links no one, verified or not, because control of the address
    /// would then give control of the account.
    func settle(
        _ counters: Counters, by outcome: ProviderVerification.Outcome, of provider: IdentityProvider, now: Timestamp
    ) async throws -> Settlement {
        switch outcome {
        case .wrong:
            try await fail(counters)
            return .wrong
        case .unavailable:
            try await refund(counters)
            return .unavailable
        case .proved(var identity):
            identity.nameDigest = counters.name
            let account = try await database.read { [identity] in try identity.account(on: $0) }
            do {
                try await database.write { [identity] connection in
                    try succeed(counters, on: connection)
                    try identity.recordSignIn(to: account, at: provider, by: access, now: now, on: connection)
                }
            } catch is VendorConsentEnded {
                // The provider did vouch, so this was no guess.
                try await refund(counters)
                return .wrong
            }
            guard let account else { return .noAccount(identity) }
            return .linked(account, identity)
        }
    }

    /// Settles a successful attempt.
    private func succeed(_ counters: Counters, on connection: any SQLConnection) throws {
        try counters.address?.refund(on: connection)
        guard let charge = counters.charge else { return }
        if charge.isShared {
            try Attempts.refund(charge.subject, on: connection)
        } else {
            try Attempts.succeed(charge.subject, on: connection)
        }
    }

    /// Settles an attempt with a wrong secret.
    private func fail(_ counters: Counters) async throws {
        try await database.write { connection in
            try counters.address?.fail(on: connection)
            if let charge = counters.charge { try Attempts.fail(charge.subject, on: connection) }
        }
    }

    /// Refunds the attempt: the provider was unreachable, so there was no guess.
    func refund(_ counters: Counters) async throws {
        try await database.write { connection in
            try counters.address?.refund(on: connection)
            if let charge = counters.charge { try Attempts.refund(charge.subject, on: connection) }
        }
    }
}
