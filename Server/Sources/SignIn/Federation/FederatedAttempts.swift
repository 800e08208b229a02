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
    let context: ServerContext
    /// The key for the exact name that was typed; `nil` if there is no password to guess.
    private let name: [UInt8]?
    /// The counters of the networks; without a password to guess, that of a known device. `nil` for a known device with
    /// a password.
    private let address: SharedCounters?
    /// Whether `address` is the counter of a known device.
    private let isOwnCounter: Bool
    /// The counter of the name or of the known device; `nil` if there is no password to guess.
    private let charge: Charge?

    private struct Charge: Sendable {
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
    init(
        _ username: RepositoryUsername?, claiming subject: String?, at provider: IdentityProvider,
        thumbprint: JWKThumbprint, of client: ClientID, origin: RequestOrigin, context: ServerContext, now: Timestamp
    ) async throws {
        self.context = context
        let key = try context.keyRing.active(.attempts)
        let name = username.map {
            Digests.keyed("repository-name", [provider.brand.rawValue, provider.namespace, $0.asked], key: key)
        }
        let count = username.map {
            Digests.keyed("repository", [provider.brand.rawValue, provider.namespace, $0.counted], key: key)
        }
        self.name = name
        let brand = provider.brand.rawValue
        let identity = subject.map { provider.digest(of: $0) }
        let isKnown = try await context.database.read { connection in
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
            (address, isOwnCounter) = (nil, true)
            charge = Charge(
                subject: Digests.keyed("repository-device", [Base64URL.encode(name), device], key: key),
                isShared: false)
        } else {
            address = try Self.counters(of: origin, known: isKnown ? device : nil, context: context, now: now)
            isOwnCounter = isKnown
            charge = count.map { Charge(subject: $0, isShared: true) }
        }
    }

    /// An attempt on a hosted page. There is nothing to guess.
    /// - Parameter browser: the browser's cookie.
    init(
        fromPage origin: RequestOrigin, in browser: KnownDeviceCookie?, context: ServerContext, now: Timestamp
    ) throws {
        self.context = context
        name = nil
        charge = nil
        address = try Self.counters(of: origin, known: browser?.device, context: context, now: now)
        isOwnCounter = browser != nil
    }

    /// The counter of a known device, or those of the networks.
    private static func counters(
        of origin: RequestOrigin, known device: String?, context: ServerContext, now: Timestamp
    ) throws -> SharedCounters {
        guard let device else { return try AddressAttempts(context: context).counters(of: origin, now: now) }
        let subject = Digests.keyed("provider-device", [device], key: try context.keyRing.active(.attempts))
        return SharedCounters(subject, under: context.settings.lockout.shared)
    }

    func reserve(now: Timestamp) async throws -> Reservation {
        let policy = context.settings.lockout.unknownDevices
        return try await context.database.write { connection in
            if case .refuse(let until)? = try address?.reserve(now: now, on: connection) {
                let seconds = RetryAfter.seconds(until: until, now: now)
                return isOwnCounter ? .deviceHeld(retryAfter: seconds) : .networkHeld(retryAfter: seconds)
            }
            guard let charge,
                case .refuse = try Attempts.reserve(charge.subject, under: policy, now: now, on: connection)
            else { return .ask }
            // A further attempt at a slowed name counts against its networks.
            try address?.fail(on: connection)
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
        _ outcome: ProviderVerification.Outcome, of provider: IdentityProvider, now: Timestamp
    ) async throws -> Settlement {
        switch outcome {
        case .wrong:
            try await fail()
            return .wrong
        case .unavailable:
            try await refund()
            return .unavailable
        case .proved(var identity):
            identity.nameDigest = name
            let account = try await identity.account(in: context)
            do {
                try await succeed(identity.memory(of: account, at: provider, in: context, now: now))
            } catch is VendorConsentEnded {
                // The provider did vouch, so this was no guess.
                try await refund()
                return .wrong
            }
            guard let account else { return .noAccount(identity) }
            return .linked(account, identity)
        }
    }

    /// Settles a successful attempt.
    /// - Parameter record: runs in the same write.
    private func succeed(_ record: @escaping @Sendable (any SQLConnection) throws -> Void) async throws {
        try await context.database.write { connection in
            try address?.refund(on: connection)
            if let charge {
                if charge.isShared {
                    try Attempts.refund(charge.subject, on: connection)
                } else {
                    try Attempts.succeed(charge.subject, on: connection)
                }
            }
            try record(connection)
        }
    }

    /// Settles an attempt with a wrong secret.
    private func fail() async throws {
        try await context.database.write { connection in
            try address?.fail(on: connection)
            if let charge { try Attempts.fail(charge.subject, on: connection) }
        }
    }

    /// Refunds the attempt: the provider was unreachable, so there was no guess.
    func refund() async throws {
        try await context.database.write { connection in
            try address?.refund(on: connection)
            if let charge { try Attempts.refund(charge.subject, on: connection) }
        }
    }
}
