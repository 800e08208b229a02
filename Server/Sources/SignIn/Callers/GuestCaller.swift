package import Core
package import Kernel
internal import Store
package import WalletAuthWire

/// A guest of a confidential client, whose backend calls with the guest's access token: a bearer token that proves no key.
package struct GuestCaller: Sendable {
    package let account: AccountRecord
    package let session: SessionRecord
    package let client: RegisteredClient
    /// ``AppCaller/identityCooling``.
    package let identityCooling: Timestamp?
    package let isByNewAccountPIN: Bool
    package let origin: RequestOrigin
    package let now: Timestamp

    /// The methods of the session's sign-in.
    package var methods: [String] { session.facts.methods }

    /// The methods that count for a change. A backend proves no device key, and neither a restored identity nor an account PIN counts
    /// during its cooling period.
    package var settledMethods: [String] {
        guard !AuthenticationStrength.isCrossDevice(methods) else { return [] }
        var unsettled = AuthenticationStrength.deviceKeys
        if identityCooling != nil { unsettled.insert(AuthenticationStrength.provider) }
        if isByNewAccountPIN { unsettled.insert(AuthenticationStrength.pin) }
        return methods.filter { !unsettled.contains($0) }
    }
}

extension Callers {
    /// Authenticates a guest by the access token of a session that the client itself opened, while session and account are active.
    /// - Parameters:
    ///   - token: as the client's backend got it. Its audience may be another server: only its own client can present it here.
    ///   - client: authenticated by its secret.
    /// - Returns: `nil` for a token that is invalid, another client's, or bound to a key, which is not proved here.
    package func guest(
        _ token: AccessToken, of client: RegisteredClient, origin: RequestOrigin, now: Timestamp
    ) async throws -> GuestCaller? {
        guard let claims = try await accessTokens.claims(of: token, now: now),
            claims.clientID == client.id, claims.keyThumbprint == nil, let sessionID = claims.sessionID,
            let id = UniqueID(bytes: sessionID.bytes), let facts = try await facts(of: id, now: now),
            facts.session.facts.belongs(to: claims), facts.session.facts.clientID == client.id.rawValue
        else { return nil }
        return GuestCaller(
            account: facts.account, session: facts.session, client: client, identityCooling: facts.identityCooling,
            isByNewAccountPIN: facts.isByNewAccountPIN, origin: origin, now: now)
    }
}
