internal import AuthCore
internal import AuthFlows
internal import AuthStore
internal import Foundation
internal import WalletAuthWire

/// What is remembered of an enrollment, so that the same request again, its answer lost, gets the same account.
///
/// It is kept under a keyed digest of the client, the integration and the authorization code. A code works once, so at most one
/// account is made by it; what its redemption gave is kept as well, for a request that has to be sent again with another name.
struct EnrollmentMemory: Sendable {
    let context: ServerContext
    let digest: [UInt8]

    /// How long an answer may be asked for again.
    private static let answerLifetime = Duration.hours(1)

    /// What is remembered.
    enum Content: Codable, Sendable {
        /// The code was redeemed.
        case redeemed(Redemption)
        /// An account was made.
        case enrolled(Enrollment)
    }

    /// What the redemption of a code gave.
    struct Redemption: Codable, Sendable {
        /// What was claimed in that request.
        var claim: [UInt8]
        /// What the operator had said of the provider.
        var registration: [UInt8]
        var subject: String
        var email: String?
        var isEmailVerified: Bool
        var grant: VendorGrant?

        var identity: VendorIdentity {
            VendorIdentity(subject: subject, email: email, isEmailVerified: isEmailVerified, grant: grant)
        }
    }

    /// An account that was made.
    struct Enrollment: Codable, Sendable {
        /// Of the request that made it.
        var request: [UInt8]
        /// The account's id.
        var account: [UInt8]
        /// Its security version then: what voids sign-ins voids this one.
        var securityVersion: Int64
        /// The account's number.
        var number: Int64
        /// When the provider vouched.
        var authTime: Timestamp
    }

    init(of request: LoyaltyEnrollmentRequest, by client: ClientID, context: ServerContext) throws {
        self.context = context
        let account = request.externalAccount
        digest = Digests.keyed(
            "loyalty-enrollment",
            [
                client.rawValue, String(request.merchantID), account.integration.rawValue,
                account.accessToken.reveal(),
            ], key: try context.keyRing.active(.attempts))
    }

    /// What is remembered; `nil` where nothing is.
    func content(now: Timestamp) async throws -> Content? {
        let sealed = try await context.database.read { try LoyaltyEnrollments.find(digest, now: now, on: $0) }
        return sealed.flatMap { context.open($0, for: .personal, context: label) }
            .flatMap { try? JSONDecoder().decode(Content.self, from: Data($0)) }
    }

    /// What remembers something, in a write.
    func remembering(
        _ content: Content, of account: UniqueID? = nil, now: Timestamp
    ) throws -> @Sendable (any SQLConnection) throws -> Void {
        let sealed = try context.seal(
            Array(try JSONEncoder().encode(content)), for: .personal, context: label)
        let lifetime =
            switch content {
            case .redeemed: ProvenGuest.lifetime
            case .enrolled: Self.answerLifetime
            }
        return { [digest] connection in
            try LoyaltyEnrollments.remember(
                sealed, under: digest, account: account, until: now + lifetime, on: connection)
        }
    }

    private var label: String { "loyalty_enrollments|sealed|\(Base64URL.encode(digest))" }
}

extension LoyaltyEnrollmentRequest {
    /// What tells the request from any other: not how its JSON was written.
    var digest: [UInt8] { Digests.of("loyalty-request", json.bytes) }
}

extension ExternalAccount {
    /// What tells the claim from any other.
    var claimDigest: [UInt8] { Digests.of("loyalty-claim", Array(code.reveal().utf8)) }
}
