package import AuthCore
package import AuthStore
internal import WalletAuthWire

/// A guest whom a vendor's provider vouches for.
package struct ProvenGuest: Sendable {
    /// How long an account may be made for a person, or joined, by what they proved.
    package static let lifetime = PendingSignIn.lifetime

    let identity: ProvenIdentity

    /// Who the guest is at the provider.
    package var subject: String { identity.subject }

    /// Takes a person in a vendor's words.
    package init(_ told: VendorIdentity, at provider: IdentityProvider) {
        var identity = ProvenIdentity(
            ProviderPerson(subject: told.subject, email: told.email, isEmailVerified: told.isEmailVerified),
            at: provider)
        identity.grant = told.grant
        self.identity = identity
    }

    /// The account that the guest's identity is linked to.
    package func account(in context: ServerContext) async throws -> AccountRecord? {
        try await identity.account(in: context)
    }
}

/// A guest's attempts at proving who they are, counted before the provider is asked: by the guest, since the network address is
/// that of the client's backend, which all its guests share.
package struct GuestAttempts: Sendable {
    let context: ServerContext
    private let subject: [UInt8]
    private let policy: AttemptPolicy

    private static let longestWait = Duration.minutes(1)

    /// What an attempt brought to show who it is about.
    package enum Claim: String, Sendable {
        /// The provider's own identity token.
        case token
        /// An identifier, which anybody could have sent: its failures do not count against who brings a token.
        case subject
    }

    /// What is tried.
    package enum Matter: String, Sendable {
        /// Authorization codes of the provider.
        case codes
        /// User names: a taken one shows that an account has it.
        case names
        /// Codes of people whom an identifier alone names, by the client that sends it. A right one begins a clean count, since
        /// one client speaks for all its guests.
        case claimedIdentities = "strangers"
    }

    /// - Parameters:
    ///   - matter: what is tried.
    ///   - guest: the digest of the guest's identity, or the client's id.
    ///   - claim: how the guest was named.
    ///   - provider: the provider.
    ///   - context: what the flows share.
    package init(
        at matter: Matter, by guest: [UInt8], _ claim: Claim, provider: IdentityProvider, context: ServerContext
    ) throws {
        self.context = context
        subject = Digests.keyed(
            "guest", [matter.rawValue, provider.brand.rawValue, claim.rawValue, Base64URL.encode(guest)],
            key: try context.keyRing.active(.attempts))
        let lockout = context.settings.lockout
        policy =
            switch matter {
            case .codes:
                AttemptPolicy(
                    free: lockout.unknownDeviceFailures,
                    afterwards: .delay(first: lockout.firstDelay, longest: lockout.longestDelay),
                    forgottenAfter: lockout.unknownDeviceMemory)
            // Who looks for a free name tries more of them than who brings codes.
            case .names: AddressAttempts(context: context).policy
            // A client's guests who are new wait for a stranger's guesses; so they wait a minute at most.
            case .claimedIdentities:
                AttemptPolicy(
                    free: lockout.addressFailures,
                    afterwards: .delay(
                        first: min(lockout.firstDelay, Self.longestWait),
                        longest: min(lockout.longestDelay, Self.longestWait)),
                    forgottenAfter: lockout.addressMemory)
            }
    }

    /// Charges an attempt.
    /// - Returns: the seconds to wait where too many failed; `nil` where the provider may be asked.
    package func reserve(now: Timestamp) async throws -> Int64? {
        try await context.database.write { [subject, policy] connection in
            guard
                case .refuse(let until) = try Attempts.reserve(subject, under: policy, now: now, on: connection)
            else { return nil }
            return RetryAfter.seconds(until: until, now: now)
        }
    }

    /// The guest was who they said.
    /// - Parameters:
    ///   - guest: what the provider said, of which some is remembered with the account's link.
    ///   - account: the guest's account, where there is one.
    ///   - now: the present.
    ///   - more: what else is remembered in the same write.
    package func succeed(
        as guest: ProvenGuest, of account: AccountRecord?, now: Timestamp,
        remembering more: @escaping @Sendable (any SQLConnection) throws -> Void = { _ in }
    ) async throws {
        let memory = guest.identity.memory(of: account, name: nil, in: context, now: now)
        try await context.database.write { [subject] connection in
            try Attempts.succeed(subject, on: connection)
            try memory(connection)
            try more(connection)
        }
    }

    /// What was brought was right.
    package func succeed() async throws {
        try await context.database.write { [subject] in try Attempts.succeed(subject, on: $0) }
    }

    /// What was brought was wrong.
    package func fail() async throws {
        _ = try await context.database.write { [subject] in try Attempts.fail(subject, on: $0) }
    }

    /// Nothing was found out.
    package func takeBack() async throws {
        try await context.database.write { [subject] in try Attempts.refund(subject, on: $0) }
    }
}
