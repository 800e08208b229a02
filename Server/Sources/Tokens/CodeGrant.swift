internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

/// Redeems an authorization code.
struct CodeGrant: Sendable {
    let codes: AuthorizationCodes
    let clients: ClientDirectory
    let database: any Database
    let opening: SessionOpening
    let stolen: StolenSessions

    func redeem(
        _ code: AuthorizationCode, redirectURI: RedirectURI?, verifier: CodeVerifier?, call: TokenCaller
    ) async throws -> TokenOutcome {
        guard let admitted = try await codes.open(code, now: call.now) else {
            return .failure(.invalidGrant)
        }
        let grant = admitted.grant
        let signedInTo = try await clients.find(grant.client, now: call.now)
        let redemption = AuthorizationGrant.Redemption(
            client: call.client.id, redeemer: signedInTo?.redeemer, verifier: verifier,
            redirectURI: redirectURI?.rawValue,
            keyThumbprint: call.proof?.thumbprint.bytes)
        guard grant.isProved(by: redemption) else { return .failure(.invalidGrant) }
        guard !grant.isExpired(at: call.now) else {
            try await revokeOnReplay(of: grant, code, call: call)
            return .failure(.invalidGrant)
        }
        let digest = AuthorizationCodes.digest(of: code)
        let opened = try await opening.open(admitted, signedInTo: signedInTo, call: call) {
            try RedeemedCodes.redeem(
                grant.id, digest: digest, keepUntil: grant.issuedAt + AuthorizationGrant.memory, opening: $0, on: $1)
        }
        switch opened {
        case .opened(let tokens): return .success(tokens)
        case .refused(let refusal): return .failure(refusal)
        case .replayed(let session):
            try await end(session, of: grant, call: call)
            return .failure(.invalidGrant)
        }
    }

    /// Ends the session of an expired code that comes a second time, which still reveals a thief.
    private func revokeOnReplay(
        of grant: AuthorizationGrant, _ code: AuthorizationCode, call: TokenCaller
    ) async throws {
        let digest = AuthorizationCodes.digest(of: code)
        let found = try await database.read { try RedeemedCodes.find(grant.id, digest: digest, on: $0) }
        guard case .replayed(let session) = found else { return }
        try await end(session, of: grant, call: call)
    }

    /// Ends the session of a replayed code. The client, verifier and key were correct, so someone has a copy of all of them
    /// (RFC 6749 §4.1.2).
    private func end(_ session: UniqueID, of grant: AuthorizationGrant, call: TokenCaller) async throws {
        guard let account = UniqueID(bytes: grant.account.bytes) else { return }
        let scope = try await clients.revocationScope(ofCodeFor: grant.client, now: call.now)
        try await stolen.end(
            session, of: account, at: grant.client.rawValue, by: .code, distrusting: scope, call: call)
    }
}
