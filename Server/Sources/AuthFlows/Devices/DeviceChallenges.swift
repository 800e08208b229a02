package import AuthCore
internal import AuthStore
internal import Crypto
package import WalletAuthWire

/// Something fresh to sign. Nothing is stored when it is made; it is remembered when it is used, in the write of what it
/// was used for, so that it serves once.
package struct DeviceChallenges: Sendable {
    let context: ServerContext

    /// Each parameter is the property of its name.
    package init(context: ServerContext) { self.context = context }

    /// How long one serves.
    package static let lifetime = Duration.minutes(5)

    /// What a challenge is bound to.
    package struct Binding: Codable, Sendable, Hashable {
        package var purpose: ChallengeRequest.Purpose
        /// The DPoP key of the request that asked for it.
        package var thumbprint: JWKThumbprint
        /// Whose session asked for it, where one did.
        package var account: String?
        /// The device that will sign, where it is enrolled.
        package var device: String?
        /// The transaction that is to be signed, where it is one.
        package var transaction: String?

        /// Each parameter is the property of its name.
        package init(
            purpose: ChallengeRequest.Purpose, thumbprint: JWKThumbprint, account: String?, device: String?,
            transaction: String? = nil
        ) {
            self.purpose = purpose
            self.thumbprint = thumbprint
            self.account = account
            self.device = device
            self.transaction = transaction
        }
    }

    /// A challenge that came back and fits.
    package struct Opened: Sendable {
        /// What was to be signed.
        let nonce: Nonce
        /// When it was made.
        let madeAt: Timestamp
        /// Under which it is remembered.
        let digest: [UInt8]

        /// Uses it up.
        /// - Returns: whether nobody used it before; `false` refuses what it was for.
        func use(now: Timestamp, on connection: any SQLConnection) throws -> Bool {
            try SeenJTIs.remember(digest, until: now + DeviceChallenges.lifetime, on: connection)
        }
    }

    private struct Content: Codable, Sendable {
        var binding: Binding
        var nonce: Nonce
        var madeAt: Timestamp
    }

    private var states: SealedState<Content> {
        SealedState(context: context, purpose: .signIn, label: "challenge", lifetime: Self.lifetime)
    }

    /// Makes a challenge.
    package func issue(_ binding: Binding, now: Timestamp) throws -> ChallengeResponse {
        let nonce = try Nonce(Base64URL.encode(context.random.bytes(32)))
        return ChallengeResponse(
            challengeID: try ChallengeID(states.seal(Content(binding: binding, nonce: nonce, madeAt: now), now: now)),
            nonce: nonce,
            expiresIn: Self.lifetime.wholeSeconds)
    }

    /// A challenge that was made for exactly this, and not too long ago.
    package func open(_ id: ChallengeID, for binding: Binding, now: Timestamp) -> Opened? {
        guard let content = states.open(id.rawValue, now: now), content.binding == binding else { return nil }
        return Opened(
            nonce: content.nonce, madeAt: content.madeAt, digest: Digests.of("challenge", Array(id.rawValue.utf8)))
    }
}
