package import Core
package import Kernel
internal import Store
package import WalletAuthWire
package import Web

/// A first-party app that calls for a person, with token, key and session checked against the database.
package struct AppCaller: Sendable {
    package let account: AccountRecord
    package let session: SessionRecord
    /// The enrolled device of the session.
    package let device: DeviceRecord?
    package let client: RegisteredClient
    /// The key that session, token and proof are bound to.
    package let thumbprint: JWKThumbprint
    /// Identifies the proof, to detect a replay.
    package let proofDigest: [UInt8]
    package let origin: RequestOrigin
    package let now: Timestamp

    /// The end of the cooling period of the identity that opened the session, after a restore brought it back.
    package let identityCooling: Timestamp?

    /// Whether the sign-in used an account PIN that is still in its cooling period. A thief with a moment at a signed-in browser can
    /// set one.
    package let isByNewAccountPIN: Bool

    /// The methods of the session's sign-in.
    package var methods: [String] { session.facts.methods }

    /// The methods that count for a new PIN of the device: also the key of a device in its cooling period, which has no PIN yet. After a
    /// scan, none do: the person may not be the one at the browser.
    package var methodsForDevicePIN: [String] {
        guard !AuthenticationStrength.isCrossDevice(methods) else { return [] }
        return isByNewAccountPIN ? methods.filter { $0 != AuthenticationStrength.pin } : methods
    }

    /// The methods that count for changes of devices, factors or the password. The key of a device in its cooling period does not
    /// count, nor does a restored identity or a new account PIN. A thief who had any of them briefly must not lock the holder out
    /// with it.
    package var settledMethods: [String] {
        var unsettled: Set<String> = []
        if let device, now < device.coolingUntil { unsettled = AuthenticationStrength.deviceKeys }
        if identityCooling != nil { unsettled.insert(AuthenticationStrength.provider) }
        return unsettled.isEmpty ? methodsForDevicePIN : methodsForDevicePIN.filter { !unsettled.contains($0) }
    }
}

extension Callers {
    /// Authenticates an app's call about its account: a first-party client with the key that its session was opened with, while session
    /// and account are active.
    /// - Throws: `OAuthRefusal` for an invalid token, proof, client or session.
    package func app(_ presented: PresentedCredentials) async throws -> AppCaller {
        let now = clock.now()
        guard let authorization = presented.authorization else { throw OAuthRefusal.invalidToken }
        let claims = try await accessTokens.claimsForThisServer(of: authorization.token, now: now)
        guard let sessionID = claims.sessionID, let id = UniqueID(bytes: sessionID.bytes) else {
            throw OAuthRefusal.unusableToken(.ofClient)
        }
        // Such calls may change devices and factors, so they need a key, which a bearer token does not have.
        guard
            let proof = try await accessTokens.possession(
                of: authorization, claims, proof: presented.proof, now: now
            ).get()
        else { throw OAuthRefusal.unusableToken(.bindingRequired) }
        guard let client = try await clients.find(claims.clientID, now: now), client.isFirstParty else {
            throw OAuthRefusal.unauthorizedClient
        }
        guard let facts = try await facts(of: id, now: now) else { throw OAuthRefusal.unusableToken(.ended) }
        guard facts.session.facts.belongs(to: claims) else { throw OAuthRefusal.invalidToken }
        guard facts.session.facts.isBound(to: proof.thumbprint) else {
            throw OAuthRefusal.unusableToken(.otherSessionKey)
        }
        return AppCaller(
            account: facts.account, session: facts.session, device: facts.device, client: client,
            thumbprint: proof.thumbprint, proofDigest: proof.digest, origin: presented.origin, now: now,
            identityCooling: facts.identityCooling, isByNewAccountPIN: facts.isByNewAccountPIN)
    }

    /// What the database says about a session. The members are those of ``AppCaller``.
    struct SessionFacts: Sendable {
        var session: SessionRecord
        var account: AccountRecord
        var device: DeviceRecord?
        var identityCooling: Timestamp?
        var isByNewAccountPIN: Bool
    }

    /// - Returns: `nil` if session or account is no longer active.
    func facts(of id: UniqueID, now: Timestamp) async throws -> SessionFacts? {
        try await database.read { connection in
            guard let session = try Sessions.living(id, now: now, on: connection),
                let account = try Accounts.find(session.facts.accountID, on: connection)
            else { return nil }
            let methods = session.facts.methods
            return SessionFacts(
                session: session, account: account,
                device: try session.facts.deviceID.flatMap { try Devices.find($0, on: connection) },
                identityCooling: methods.contains(AuthenticationStrength.provider)
                    ? try FederatedIdentities.cooling(of: account.id, now: now, on: connection) : nil,
                isByNewAccountPIN: try AuthenticationStrength.includeAccountPIN(methods)
                    && !AccountPINs.isSettled(of: account.id, now: now, on: connection))
        }
    }
}

extension NewSession {
    /// Whether the session is still of the account that the token was signed for. Only someone who can write to the
    /// database can give it to another.
    package func belongs(to claims: AccessTokenClaims) -> Bool { claims.subject == accountID.uuid }

    /// Whether the session was opened with a key. A token's own binding does not tell: a confidential client's tokens are bound to keys
    /// that its sessions do not know.
    package func isBound(to key: JWKThumbprint) -> Bool {
        dpopThumbprint.map { ConstantTime.equal($0, key.bytes) } ?? false
    }
}

extension CallerRequirement where Admitted == AppCaller {
    /// The operator's own app, on behalf of the person signed in to it.
    package static var app: Self {
        Self(callers: [.app]) { request, callers in try await callers.app(request.credentials()) }
    }
}
