internal import AuthCore
internal import AuthCredentials
internal import AuthFoundation
internal import AuthStore
internal import WalletAuthWire

/// The failure counters of provider sign-ins, charged before the provider is asked.
///
/// One counts by network address. If a password is involved, another counts by user name, so that this server cannot be used to
/// guess passwords at a repository.
///
/// A device of the person who last signed in with that name has its own counter instead. Untrusted devices that fail with the
/// holder's name, or from the same address, therefore do not lock the holder out.
struct FederatedAttempts: Sendable {
    let context: ServerContext
    /// The key for the exact name that was typed; `nil` if there is no password to guess.
    let name: [UInt8]?
    /// `nil` for a known device, which has a counter of its own.
    private let address: SharedCounters?
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
        /// Too many failures from the address; in seconds.
        case addressLocked(retryAfter: Int64)
    }

    /// - Parameters:
    ///   - username: the name that the password belongs to; `nil` if there is no password to guess.
    ///   - thumbprint: the DPoP key of the request.
    ///   - client: the client that proved the key.
    init(
        _ username: RepositoryUsername?, at provider: IdentityProvider, thumbprint: JWKThumbprint, of client: ClientID,
        origin: RequestOrigin, context: ServerContext
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
        let isKnown = try await context.database.read { connection in
            guard let name, let holder = try FederatedIdentities.holder(ofName: name, brand: brand, on: connection)
            else { return false }
            return try Devices.links(thumbprint.bytes, by: client, to: holder, on: connection)
        }
        if isKnown, let name {
            let device = Digests.keyed(
                "repository-device", [Base64URL.encode(name), Base64URL.encode(thumbprint.bytes)], key: key)
            address = nil
            charge = Charge(subject: device, isShared: false)
        } else {
            address = try AddressAttempts(context: context).counters(of: origin)
            charge = count.map { Charge(subject: $0, isShared: true) }
        }
    }

    /// An attempt on a hosted page. There is nothing to guess and no key, so it is charged to the network address.
    init(fromPage origin: RequestOrigin, context: ServerContext) throws {
        self.context = context
        name = nil
        address = try AddressAttempts(context: context).counters(of: origin)
        charge = nil
    }

    func reserve(now: Timestamp) async throws -> Reservation {
        let policy = context.settings.lockout.unknownDevices
        return try await context.database.write { connection in
            if case .refuse(let until)? = try address?.reserve(now: now, on: connection) {
                return .addressLocked(retryAfter: RetryAfter.seconds(until: until, now: now))
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
    func settle(_ outcome: ProviderVerification.Outcome, now: Timestamp) async throws -> Settlement {
        switch outcome {
        case .wrong:
            try await fail()
            return .wrong
        case .unavailable:
            try await refund()
            return .unavailable
        case .proved(let identity):
            let account = try await identity.account(in: context)
            do {
                try await succeed(identity.memory(of: account, name: name, in: context, now: now))
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
