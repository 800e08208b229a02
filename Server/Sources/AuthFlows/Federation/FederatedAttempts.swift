internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

/// Failures of sign-ins by another provider's word, charged before the provider is asked: by network address, and where a
/// password is asked for by the name that was typed, so that this server is no way to try passwords at a repository.
///
/// A device of the person whom the name belonged to at the last right password has a count of its own: untrusted devices at its
/// holder's name, or behind the same address, do not stand in its way.
struct FederatedAttempts: Sendable {
    let context: ServerContext
    /// Under which the name that was typed is remembered, to the letter; `nil` where nothing can be guessed.
    let name: [UInt8]?
    /// What is charged, in this order: the address first, where it is charged at all.
    private let charges: [Charge]

    private struct Charge: Sendable {
        var subject: [UInt8]
        var isAddress = false
        /// Whether it is counted by others too: names that only some repositories tell apart share a count, and the owner of one
        /// must not wash away the guesses at the other.
        var isShared = false
    }

    /// What a charge came to.
    enum Reservation: Sendable {
        /// The provider may be asked.
        case ask
        /// It is not asked: too many wrong passwords for the name. Answered like a wrong one.
        case slowed
        /// Too many failures from the address; seconds.
        case addressLocked(retryAfter: Int64)
    }

    /// - Parameters:
    ///   - username: the name that a password was typed for; `nil` where nothing can be guessed.
    ///   - provider: whom it is said to.
    ///   - thumbprint: the DPoP key of the request.
    ///   - client: the client that proved it.
    ///   - origin: where it came from.
    ///   - context: the server's.
    init(
        _ username: RepositoryUsername?, at provider: IdentityProvider, thumbprint: JWKThumbprint, of client: ClientID,
        origin: RequestOrigin, context: ServerContext
    ) async throws {
        self.context = context
        let key = try context.keyRing.active(.attempts)
        let name = username.map {
            Digests.keyed("repository-name", [provider.brand.rawValue, provider.own, $0.asked], key: key)
        }
        let count = username.map {
            Digests.keyed("repository", [provider.brand.rawValue, provider.own, $0.counted], key: key)
        }
        self.name = name
        let brand = provider.brand.rawValue
        let isKnown = try await context.database.read { connection in
            guard let name, let holder = try FederatedIdentities.holder(ofName: name, brand: brand, on: connection)
            else { return false }
            return try Self.knows(thumbprint.bytes, by: client, of: holder, on: connection)
        }
        if isKnown, let name {
            let device = Digests.keyed(
                "repository-device", [Base64URL.encode(name), Base64URL.encode(thumbprint.bytes)], key: key)
            charges = [Charge(subject: device)]
        } else {
            let address = try AddressAttempts(context: context).subject(origin.address)
            charges =
                [Charge(subject: address, isAddress: true, isShared: true)]
                + [count].compactMap { $0.map { Charge(subject: $0, isShared: true) } }
        }
    }

    /// An attempt on a hosted page. Nothing can be guessed there, and the browser proves no key: it is charged to its network.
    init(fromPage origin: RequestOrigin, context: ServerContext) throws {
        self.context = context
        name = nil
        let address = try AddressAttempts(context: context).subject(origin.address)
        charges = [Charge(subject: address, isAddress: true, isShared: true)]
    }

    /// Charges an attempt.
    func reserve(now: Timestamp) async throws -> Reservation {
        let lockout = context.settings.lockout
        let policy = AttemptPolicy(
            free: lockout.unknownDeviceFailures,
            afterwards: .delay(first: lockout.firstDelay, longest: lockout.longestDelay),
            forgottenAfter: lockout.unknownDeviceMemory)
        let ofAddress = AddressAttempts(context: context).policy
        return try await context.database.write { connection in
            for charge in charges {
                let limits = charge.isAddress ? ofAddress : policy
                guard
                    case .refuse(let until) =
                        try Attempts.reserve(charge.subject, under: limits, now: now, on: connection)
                else { continue }
                if charge.isAddress {
                    return .addressLocked(retryAfter: RetryAfter.seconds(until: until, now: now))
                }
                // A try at a name that is slowed counts for the network that it came from.
                for former in charges where former.isAddress { try Attempts.fail(former.subject, on: connection) }
                return .slowed
            }
            return .ask
        }
    }

    /// The person was who they said.
    /// - Parameter record: what is remembered of that, in the same write.
    func succeed(_ record: @escaping @Sendable (any SQLConnection) throws -> Void) async throws {
        try await context.database.write { connection in
            for charge in charges {
                if charge.isShared {
                    try Attempts.refund(charge.subject, on: connection)
                } else {
                    try Attempts.succeed(charge.subject, on: connection)
                }
            }
            try record(connection)
        }
    }

    /// The provider says that the secret was wrong.
    func fail() async throws {
        try await context.database.write { connection in
            for charge in charges { try Attempts.fail(charge.subject, on: connection) }
        }
    }

    /// Nobody could be asked: that was no guess.
    func takeBack() async throws {
        try await context.database.write { connection in
            for charge in charges { try Attempts.refund(charge.subject, on: connection) }
        }
    }

    /// Whether a key is one of a person's devices: of one that is enrolled, or one with a session that nobody took away.
    private static func knows(
        _ thumbprint: [UInt8], by client: ClientID, of account: UniqueID, on connection: any SQLConnection
    ) throws -> Bool {
        if let device = try Devices.find(dpopKey: thumbprint, of: account, on: connection) {
            return device.state != .removed
        }
        return try Sessions.links(thumbprint, by: client.rawValue, to: account, on: connection)
    }
}
