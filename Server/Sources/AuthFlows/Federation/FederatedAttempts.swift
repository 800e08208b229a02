internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

/// Failures of sign-ins by another provider's word, charged before the provider is asked: by network address, and where a
/// password is asked for by the name that was typed, so that this server is no way to try passwords at a repository.
struct FederatedAttempts: Sendable {
    let context: ServerContext
    private let address: [UInt8]
    /// `nil` where nothing can be guessed.
    private let name: [UInt8]?

    /// What a charge came to.
    enum Reservation: Sendable {
        /// The provider may be asked.
        case ask
        /// It is not asked: too many wrong passwords for the name. Answered like a wrong one.
        case slowed
        /// Too many failures from the address; seconds.
        case addressLocked(retryAfter: Int64)
    }

    init(_ login: FederatedLogin, at provider: IdentityProvider, origin: RequestOrigin, context: ServerContext) throws {
        self.context = context
        address = try AddressAttempts(context: context).subject(origin.address)
        guard case .password(let username, _) = login.credential else {
            name = nil
            return
        }
        // The repository may take capitals for what they are and may not: for counting they are the same.
        name = Digests.keyed(
            "repository", [provider.brand.rawValue, provider.id.rawValue, username.lowercased()],
            key: try context.keyRing.active(.attempts))
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
            if case .refuse(let until) = try Attempts.reserve(address, under: ofAddress, now: now, on: connection) {
                return .addressLocked(retryAfter: AddressAttempts.wait(until: until, now: now))
            }
            if let name, case .refuse = try Attempts.reserve(name, under: policy, now: now, on: connection) {
                return .slowed
            }
            return .ask
        }
    }

    /// The person was who they said.
    func succeed() async throws {
        try await context.database.write { connection in
            try Attempts.refund(address, on: connection)
            if let name { try Attempts.clear(name, on: connection) }
        }
    }

    /// Nobody could be asked: that was no guess.
    func takeBack() async throws {
        try await context.database.write { connection in
            try Attempts.refund(address, on: connection)
            if let name { try Attempts.refund(name, on: connection) }
        }
    }
}
