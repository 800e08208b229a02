internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

/// Redeems an authorization code.
struct CodeGrant: Sendable {
    let context: ServerContext

    func redeem(
        _ code: AuthorizationCode, redirectURI: RedirectURI?, verifier: CodeVerifier, call: TokenCaller
    ) async throws -> TokenOutcome {
        guard let grant = try await AuthorizationCodes(context: context).open(code, now: call.now) else {
            return .failure(.invalidGrant)
        }
        let signedInTo = try await context.clients.find(grant.client, now: call.now)
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
        let opening = try await SessionOpening(context: context).open(grant, signedInTo: signedInTo, call: call) {
            try RedeemedCodes.redeem(
                grant.id, digest: digest, keepUntil: grant.issuedAt + AuthorizationGrant.memory, opening: $0, on: $1)
        }
        switch opening {
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
        let found = try await context.database.read { try RedeemedCodes.find(grant.id, digest: digest, on: $0) }
        guard case .replayed(let session) = found else { return }
        try await end(session, of: grant, call: call)
    }

    /// Ends the session of a replayed code. The client, verifier and key were correct, so someone has a copy of all of them
    /// (RFC 6749 §4.1.2).
    private func end(_ session: UniqueID, of grant: AuthorizationGrant, call: TokenCaller) async throws {
        guard let account = UniqueID(bytes: grant.account.bytes) else { return }
        let entry = try context.auditLog.entry(
            SessionEvent.codeReuse, account: account, client: grant.client.rawValue, origin: call.origin, now: call.now,
            message: SessionMessage.codeReuse)
        let revocationScope = try await context.clients.revocationScope(ofCodeFor: grant.client, now: call.now)
        try await context.database.write { connection in
            guard
                try Sessions.end(
                    session, because: .codeReuse, distrusting: revocationScope,
                    now: context.writeTime(since: call.now), on: connection)
            else { return }
            try entry.write(on: connection)
        }
    }
}
