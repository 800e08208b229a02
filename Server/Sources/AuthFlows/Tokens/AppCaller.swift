package import AuthCore
package import AuthStore
internal import WalletAuthWire

/// A first-party app that calls on behalf of a person, its token, key and session checked against the database.
package struct AppCaller: Sendable {
    package let account: AccountRecord
    let session: SessionRecord
    /// The enrolled device that the session is opened on.
    package let device: DeviceRecord?
    package let client: RegisteredClient
    /// The key that session, token and proof are bound to.
    let thumbprint: JWKThumbprint
    /// Under which its proof is remembered.
    let proofDigest: [UInt8]
    package let origin: RequestOrigin
    package let now: Timestamp

    /// Until when the identity that the session was opened by counts as new, since a restore brought it back.
    let identityCooling: Timestamp?

    /// The methods by which the session's person signed in.
    var methods: [String] { session.facts.methods }

    /// The methods that count where devices, factors or the password are changed: the key of a device inside its cooling
    /// period does not, nor a restored identity. A thief who got it enrolled for a moment, or lost it before the restore, must not
    /// be able to throw the holder out with it.
    var settledMethods: [String] {
        var unsettled: Set<String> = []
        if let device, now < device.coolingUntil { unsettled = AuthenticationStrength.deviceKeys }
        if identityCooling != nil { unsettled.insert(NativeSignIn.federatedMethod) }
        return unsettled.isEmpty ? methods : methods.filter { !unsettled.contains($0) }
    }
}

extension Callers {
    /// Lets an app's call in to what changes an account's devices and factors: only by a first-party client, with the key that
    /// its session was opened with, while session and account live.
    /// - Parameter presented: as the edge read it.
    /// - Throws: `OAuthRefusal` where token, proof, client or session are not all as they must be; infrastructure errors.
    package func app(_ presented: PresentedCredentials) async throws -> AppCaller {
        let now = context.clock.now()
        guard let authorization = presented.authorization,
            let claims = try await AccessTokenCheck(context: context).claims(of: authorization.token, now: now),
            claims.audience.contains(context.settings.issuer.rawValue), let sessionID = claims.sessionID,
            let id = UniqueID(bytes: sessionID.bytes)
        else { throw OAuthRefusal.invalidToken }
        // What changes devices and factors takes a key, which a bearer token has none of.
        guard
            let proof = try TokenPossession(context: context)
                .check(authorization, claims, proof: presented.proof, now: now).get()
        else { throw OAuthRefusal.invalidToken }
        guard let client = try await context.clients.find(claims.clientID, now: now), client.isFirstParty else {
            throw OAuthRefusal.unauthorizedClient
        }
        let found = try await context.database.lookUp { connection in
            try Sessions.living(id, now: now, on: connection).flatMap { session in
                let device = try session.facts.deviceID.flatMap { try Devices.find($0, on: connection) }
                let cooling =
                    session.facts.methods.contains(NativeSignIn.federatedMethod)
                    ? try FederatedIdentities.cooling(of: session.facts.accountID, now: now, on: connection) : nil
                return try Accounts.find(session.facts.accountID, on: connection)
                    .map { (session, $0, device, cooling) }
            }
        }
        guard let (session, account, device, cooling) = found, session.facts.isBound(to: proof.thumbprint) else {
            throw OAuthRefusal.invalidToken
        }
        return AppCaller(
            account: account, session: session, device: device, client: client, thumbprint: proof.thumbprint,
            proofDigest: proof.digest, origin: presented.origin, now: now, identityCooling: cooling)
    }
}

extension NewSession {
    /// Whether the session was opened with a key. A token's own binding does not answer that: a confidential client's tokens are
    /// bound to keys that its sessions know nothing of.
    func isBound(to key: JWKThumbprint) -> Bool {
        dpopThumbprint.map { ConstantTime.equal($0, key.bytes) } ?? false
    }
}
