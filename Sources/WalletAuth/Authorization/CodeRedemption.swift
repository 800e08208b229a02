import Foundation
import WalletAuthWire

/// Exchanges a code for a session, at most once.
struct CodeRedemption: Sendable {
    let keeper: SessionKeeper
    let endpoint: TokenEndpointClient
    let grants: SessionGrant
    let revoker: Revoker

    /// The inputs of a redemption.
    struct Request: Sendable {
        var code: AuthorizationCode
        var verifier: CodeVerifier
        var redirectURI: RedirectURI?
        var nonce: Nonce?
        var scopes: [String]
        var key: BoundKey?
        /// Made pending again if the code could not be sent at all.
        var login: PendingLogin?
        /// The account the session must belong to, if a call required a fresh sign-in; nil for any account.
        var owner: TokenOwner?
        /// Apple's identifier for the person, after Sign in with Apple.
        var appleUser: String?
    }

    /// Redeems the code and signs in. Once the code is sent, this runs to the end, even if the calling task is
    /// cancelled.
    /// - Throws: ``WalletError``: `code_already_used`, `sign_in_interrupted`, `signed_out` if the person signed out, or
    ///   another person signed in, while the redemption was under way.
    func redeem(_ request: Request, during operation: WalletError.Operation) async throws {
        try Task.checkCancellation()
        try await Task {
            try await WalletError.during(operation) { try await carryThrough(request, operation) }
        }.value
    }

    private func carryThrough(_ request: Request, _ operation: WalletError.Operation) async throws {
        // Stored before sending: after a kill, the code is found here and not sent again.
        let (isNew, generation) = try await keeper.change { ($0.noteSending(request.code), $0.generation) }
        guard isNew else {
            throw WalletError(
                .codeAlreadyUsed, .refused, during: operation, reason: "this code was already sent; sign in again")
        }
        let object: JSONObject
        let answer: ServerAnswer
        do {
            (object, answer) = try await endpoint.redeem(
                request.code, verifier: request.verifier, redirectURI: request.redirectURI, key: request.key,
                during: operation)
        } catch let failure as TransportFailure {
            guard failure.kind == .lost else {
                try await keeper.change { record in
                    record.forgetSending(request.code)
                    if let login = request.login { record.begin(login) }
                }
                throw failure
            }
            throw WalletError(
                .signInInterrupted, .refused, during: operation,
                reason: "the code was sent but the response was lost; sign in again")
        }
        var session: Session
        do {
            session = try grants.session(
                from: object, at: answer.receivedAt, asked: request.scopes, nonce: request.nonce,
                login: request.login, key: request.key, during: operation)
        } catch {
            // The tokens are not used, but the server keeps their session until it is revoked.
            await end(grants.revocation(ofRefused: object))
            throw Self.failure(error, answer, operation)
        }
        session.appleUser = request.appleUser
        if let owner = request.owner, !owner.allows(session.owner) {
            // The signed-in person stays signed in. The session that was not asked for ends.
            try await keeper.change { [session] in $0.queueRevocation(of: session) }
            revoker.sendBeside()
            throw WalletError(
                .anotherPerson, .refused, during: operation, reachedServer: true,
                reason: "the person who signed in is not the one the call was made for")
        }
        let superseded = try await keeper.change { [session] record -> WalletError.SignOutReason? in
            guard record.generation == generation else {
                record.queueRevocation(of: session)
                return record.supersededReason
            }
            record.signIn(session)
            return nil
        }
        if let superseded {
            revoker.sendBeside()
            throw WalletError.signedOut(superseded, operation, reachedServer: true)
        }
    }

    /// Revokes refused tokens and briefly waits for the server, because a program may exit on the refusal. The refusal
    /// is reported even if the store has no room for the revocation.
    private func end(_ revocation: StoredSessions.QueuedRevocation?) async {
        guard let revocation else { return }
        _ = try? await keeper.change { $0.queue(revocation) }
        _ = await keeper.time.within(.seconds(5)) { [revoker] in await revoker.send(revocation) }
    }

    private static func failure(
        _ error: any Error, _ answer: ServerAnswer, _ operation: WalletError.Operation
    ) -> any Error {
        guard var known = WalletError.wrap(error, operation) as? WalletError else { return error }
        known.answeredBy = answer.url
        known.isFromWalletAuth = answer.isOwnKind
        return known
    }
}
