internal import Core
internal import Foundation
internal import Kernel
internal import Store
internal import WalletAuthWire

/// Remembers an enrollment, so that a client that lost the response and repeats the request gets the same account.
///
/// The key is a keyed digest of client, integration and authorization code. A code works once, so it creates at most one account.
/// The result of its redemption is stored too, because a request whose name was taken comes again with another one.
struct EnrollmentMemory: Sendable {
    private let database: any Database
    private let sealing: SealingKeys
    let digest: [UInt8]

    /// How long a request may be repeated.
    private static let answerLifetime = Duration.hours(1)

    enum Content: Codable, Sendable {
        /// The code was redeemed.
        case redeemed(Redemption)
        case enrolled(Enrollment)
    }

    struct Redemption: Codable, Sendable {
        /// A digest of the claim in that request.
        var claim: [UInt8]
        var identity: ProvenIdentity
    }

    struct Enrollment: Codable, Sendable {
        /// A digest of the request that created it.
        var request: [UInt8]
        /// The provider's settings at that time.
        var registration: [UInt8]
        var account: [UInt8]
        /// Its security version at that time, so that an event that voids sign-ins also voids a repetition.
        var securityVersion: Int64
        var number: Int64
        /// When the provider vouched for the guest.
        var authTime: Timestamp
        /// When the guest signed in at the provider; `nil` if it does not say.
        var providerAuthTime: Timestamp?
    }

    init(of request: LoyaltyEnrollmentRequest, by client: ClientID, database: any Database, sealing: SealingKeys) throws
    {
        self.database = database
        self.sealing = sealing
        let account = request.externalAccount
        digest = Digests.keyed(
            "loyalty-enrollment",
            [
                client.rawValue, String(request.merchantID), account.integration.rawValue,
                account.accessToken.reveal(),
            ], key: try sealing.keyRing.active(.attempts))
    }

    /// `nil` if nothing is stored, or it can no longer be read.
    func content(now: Timestamp) async throws -> Content? {
        let sealed = try await database.read { try LoyaltyEnrollments.find(digest, now: now, on: $0) }
        return sealed.flatMap { sealing.open($0, for: .personal, context: label) }
            .flatMap { try? JSONDecoder().decode(Content.self, from: Data($0)) }
    }

    func remember(
        _ content: Content, of account: UniqueID? = nil, now: Timestamp, on connection: any SQLConnection
    ) throws {
        let sealed = try sealing.seal(
            Array(try JSONEncoder().encode(content)), for: .personal, context: label)
        let lifetime =
            switch content {
            case .redeemed: ProvenIdentity.guestLifetime
            case .enrolled: Self.answerLifetime
            }
        try LoyaltyEnrollments.remember(
            sealed, under: digest, account: account, until: now + lifetime, on: connection)
    }

    private var label: String { "loyalty_enrollments|sealed|\(Base64URL.encode(digest))" }
}

extension EnrollmentMemory.Redemption: CustomStringConvertible {
    var description: String { "<redacted>" }
}

extension LoyaltyEnrollmentRequest {
    /// Equal for equal requests, independent of their JSON formatting.
    var digest: [UInt8] { Digests.of("loyalty-request", json.bytes) }
}

extension ExternalAccount {
    /// Equal for equal claims.
    var claimDigest: [UInt8] { Digests.of("loyalty-claim", Array(code.reveal().utf8)) }
}
