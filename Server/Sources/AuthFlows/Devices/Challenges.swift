internal import AuthCore
internal import AuthStore
internal import Crypto
internal import WalletAuthWire

/// Something fresh to sign. Nothing is stored when it is made; it is remembered when it is used, in the write of what it
/// was used for, so that it serves once.
struct Challenges: Sendable {
    let context: ServerContext

    /// How long one serves.
    static let lifetime = Duration.minutes(5)

    /// What a challenge is bound to.
    struct Binding: Codable, Sendable, Hashable {
        var purpose: ChallengeRequest.Purpose
        /// The DPoP key of the request that asked for it.
        var thumbprint: JWKThumbprint
        /// Whose session asked for it, where one did.
        var account: String?
        /// The device that will sign, where it is enrolled.
        var device: String?
    }

    /// A challenge that came back and fits.
    struct Opened: Sendable {
        /// What was to be signed.
        let nonce: Nonce
        /// When it was made.
        let madeAt: Timestamp
        /// Under which it is remembered.
        let digest: [UInt8]

        /// Uses it up.
        /// - Returns: whether nobody used it before; `false` refuses what it was for.
        func use(now: Timestamp, on connection: any SQLConnection) throws -> Bool {
            try SeenJTIs.remember(digest, until: now + Challenges.lifetime, on: connection)
        }
    }

    private struct Content: Codable, Sendable {
        var binding: Binding
        var nonce: Nonce
        var madeAt: Timestamp
    }

    private var parcel: Parcel<Content> {
        Parcel(context: context, purpose: .signIn, label: "challenge", lifetime: Self.lifetime)
    }

    /// Makes a challenge.
    func issue(_ binding: Binding, now: Timestamp) throws -> ChallengeResponse {
        let nonce = try Nonce(Base64URL.encode(context.random.bytes(32)))
        return ChallengeResponse(
            challengeID: try ChallengeID(parcel.seal(Content(binding: binding, nonce: nonce, madeAt: now), now: now)),
            nonce: nonce,
            expiresIn: Self.lifetime.wholeSeconds)
    }

    /// A challenge that was made for exactly this, and not too long ago.
    func open(_ id: ChallengeID, for binding: Binding, now: Timestamp) -> Opened? {
        guard let content = parcel.open(id.rawValue, now: now), content.binding == binding else { return nil }
        return Opened(
            nonce: content.nonce, madeAt: content.madeAt, digest: Digests.of("challenge", Array(id.rawValue.utf8)))
    }
}
