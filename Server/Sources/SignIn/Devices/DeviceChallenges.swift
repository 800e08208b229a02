package import Core
package import Kernel
package import Store
package import WalletAuthWire

/// Challenges for devices to sign. Creating one stores nothing. Using it does, in the write that it authorizes, so that it
/// serves only once.
package struct DeviceChallenges: Sendable {
    private let sealing: SealingKeys

    package init(sealing: SealingKeys) { self.sealing = sealing }

    /// How long a challenge is valid.
    package static let lifetime = Duration.minutes(5)

    package struct Binding: Sendable, Hashable {
        package var purpose: ChallengeRequest.Purpose
        /// The DPoP key of the request for the challenge.
        package var thumbprint: JWKThumbprint
        /// The account of the requesting session, if there was one.
        package var account: String?
        /// The device that will sign, if it is enrolled.
        package var device: String?
        /// The transaction to sign, if any.
        package var transaction: String?

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

    /// A challenge that was returned and matches.
    package struct Opened: Sendable {
        /// The value to sign.
        package let nonce: Nonce
        let madeAt: Timestamp
        /// Remembered once the challenge is used.
        let digest: [UInt8]

        /// Uses it up.
        /// - Returns: false if it was used before; refuse what it should authorize.
        package func use(now: Timestamp, on connection: any SQLConnection) throws -> Bool {
            try SeenJTIs.remember(digest, until: now + DeviceChallenges.lifetime, on: connection)
        }
    }

    fileprivate struct Content: SealedContent {
        var binding: Binding
        var nonce: Nonce
        var madeAt: Timestamp
    }

    private var states: SealedState<Content> {
        SealedState(sealing, purpose: .signIn, label: "challenge", lifetime: Self.lifetime)
    }

    package func issue(_ binding: Binding, now: Timestamp) throws -> ChallengeResponse {
        let nonce = try Nonce(Base64URL.encode(sealing.random.bytes(32)))
        return ChallengeResponse(
            challengeID: try ChallengeID(states.seal(Content(binding: binding, nonce: nonce, madeAt: now), now: now)),
            nonce: nonce,
            expiresIn: Self.lifetime.wholeSeconds)
    }

    /// Returns a challenge made for exactly this binding and not expired.
    package func open(_ id: ChallengeID, for binding: Binding, now: Timestamp) -> Opened? {
        guard let content = states.open(id.rawValue, now: now), content.binding == binding else { return nil }
        return Opened(nonce: content.nonce, madeAt: content.madeAt, digest: Self.digest(of: id))
    }

    /// The stored form of a challenge.
    package static func digest(of id: ChallengeID) -> [UInt8] { Digests.of("challenge", Array(id.rawValue.utf8)) }
}

extension DeviceChallenges.Binding {
    fileprivate var json: JSONObject {
        var object = JSONObject()
        object.set("purpose", purpose.rawValue)
        object.set("thumbprint", thumbprint)
        object.set("account", account)
        object.set("device", device)
        object.set("transaction", transaction)
        return object
    }

    fileprivate init(_ object: JSONObject) throws(MalformedValue) {
        self.init(
            purpose: try object.required(
                "purpose", object.string("purpose").flatMap(ChallengeRequest.Purpose.init(rawValue:))),
            thumbprint: try object.required("thumbprint", object.value("thumbprint")),
            account: try object.string("account"), device: try object.string("device"),
            transaction: try object.string("transaction"))
    }
}

extension DeviceChallenges.Content {
    var json: JSONObject {
        var object = JSONObject()
        object["binding"] = .object(binding.json)
        object.set("nonce", nonce)
        object.set("madeAt", madeAt.milliseconds)
        return object
    }

    init(_ object: JSONObject) throws {
        binding = try DeviceChallenges.Binding(object.required("binding", object["binding"]?.object))
        nonce = try object.required("nonce", object.value("nonce"))
        madeAt = Timestamp(milliseconds: try object.required("madeAt", object.integer("madeAt")))
    }
}

/// A checked request for a challenge, and the binding of that challenge.
package struct ChallengeCaller: Sendable {
    package let binding: DeviceChallenges.Binding
    package let now: Timestamp
}

extension Callers {
    /// Accepts a request for a challenge: from an app or, before a sign-in, from a key without a session.
    /// - Parameters:
    ///   - request: the purpose of the challenge.
    ///   - presented: as read by the edge. Before a sign-in it has a DPoP proof and no access token.
    /// - Throws: `OAuthRefusal` for a call that is not accepted.
    package func challenge(
        _ request: ChallengeRequest, _ presented: PresentedCredentials
    ) async throws -> ChallengeCaller {
        func caller(_ thumbprint: JWKThumbprint, _ account: String?, _ now: Timestamp) -> ChallengeCaller {
            let binding = DeviceChallenges.Binding(
                purpose: request.purpose, thumbprint: thumbprint, account: account, device: request.deviceID?.rawValue)
            return ChallengeCaller(binding: binding, now: now)
        }
        switch request.purpose {
        // The last two cannot arrive: the wire format refuses them.
        case .enroll, .biometric, .deviceToken, .sca, .transaction:
            let call = try await app(presented)
            return caller(call.thumbprint, call.account.id.uuid, call.now)
        case .login, .federatedIdentity:
            let now = clock.now()
            guard let proof = try proofs.check(presented.proof, now: now).get() else {
                throw OAuthRefusal.invalidDPoPProof("A challenge needs a DPoP proof.")
            }
            return caller(proof.thumbprint, nil, now)
        }
    }
}
