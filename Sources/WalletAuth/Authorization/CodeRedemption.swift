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
    ///   another person signed in, while the redemption was under way; for a step-up, also since it began.
    func redeem(_ request: Request, during operation: WalletError.Operation) async throws {
        try Task.checkCancellation()
        try await Task {
            try await WalletError.during(operation) { try await carryThrough(request, operation) }
        }.value
    }

    /// Exchanges another system's refresh token, and signs in. Once it is sent, this runs to the end, even if the calling task is cancelled.
    func adopt(
        _ token: RefreshToken, scopes: [String], key: BoundKey?, during operation: WalletError.Operation
    ) async throws {
        try Task.checkCancellation()
        try await Task {
            try await WalletError.during(operation) {
                let generation = try await keeper.change { record -> SessionGeneration in record.generation }
                let (object, answer) = try await endpoint.adopt(
                    token, scopes: scopes, key: key, during: operation)
                let session: Session
                do {
                    session = try grants.session(
                        from: object, at: answer.receivedAt, asked: scopes, nonce: nil, key: key, during: operation)
                } catch {
                    await end(grants.revocation(ofRefused: object))
                    throw Self.failure(error, answer, operation)
                }
                let superseded = try await keeper.change { record -> WalletError.SignOutReason? in
                    // Where no one has signed in yet, nothing is stored, and each read has a generation of its own.
                    guard record.generation == generation || record.supersededReason == .neverSignedIn else {
                        record.queueRevocation(of: session)
                        return record.supersededReason
                    }
                    record.signIn(session)
                    return nil
                }
                if let superseded { throw WalletError.signedOut(superseded, operation, reachedServer: true) }
            }
        }.value
    }

    private func carryThrough(_ request: Request, _ operation: WalletError.Operation) async throws {
        let generation = try await begin(request, operation)
        let (object, answer) = try await send(request, operation)
        let session = try await session(in: object, of: answer, request, operation)
        if let owner = request.owner, !owner.allows(session.owner) {
            // The signed-in person stays signed in. The session that was not asked for ends.
            try await keeper.change { $0.queueRevocation(of: session) }
            revoker.sendInBackground()
            throw WalletError.anotherPerson(during: operation)
        }
        let superseded = try await keeper.change { record -> WalletError.SignOutReason? in
            guard record.generation == generation else {
                record.queueRevocation(of: session)
                return record.supersededReason
            }
            record.signIn(session)
            return nil
        }
        // Whichever of the two sessions was not kept, and what earlier sign-outs queued.
        revoker.sendInBackground()
        if let superseded { throw WalletError.signedOut(superseded, operation, reachedServer: true) }
    }

    /// Records in the store that the code is about to be sent: after a kill, it is found there and not sent again.
    ///
    /// The code of a step-up whose session the person has ended since is not sent at all, so that no grant comes of it.
    /// - Returns: the generation that the redemption belongs to.
    private func begin(_ request: Request, _ operation: WalletError.Operation) async throws -> SessionGeneration {
        let external = keeper.snapshot.holding.flatMap { $0.origin == .stored ? nil : $0.session.owner }
        let begun = try await keeper.change { record -> SessionGeneration? in
            if let owner = request.owner, let reason = record.reasonAgainstStepUp(of: owner, external: external) {
                throw WalletError.signedOut(reason, operation, reachedServer: true)
            }
            return record.noteSending(request.code) ? record.generation : nil
        }
        guard let begun else {
            throw WalletError(
                .codeAlreadyUsed, .refused, during: operation, reason: "this code was already sent; sign in again")
        }
        return begun
    }

    private func send(
        _ request: Request, _ operation: WalletError.Operation
    ) async throws -> (JSONObject, ServerAnswer) {
        do {
            return try await endpoint.redeem(
                request.code, verifier: request.verifier, redirectURI: request.redirectURI, key: request.key,
                during: operation)
        } catch let failure as TransportFailure where failure.kind == .lost {
            throw WalletError(
                .signInInterrupted, .refused, during: operation,
                reason: "the code was sent but the response was lost; sign in again")
        } catch let failure
            where failure is TransportFailure || failure is DeviceKeyFailure
            || (failure as? WalletError)?.code == .attestationUnavailable
        {
            // It was not sent, or the server wanted another proof or attestation before it looked at the code.
            try await keeper.change { record in
                record.forgetSending(request.code)
                if let login = request.login { record.begin(login) }
            }
            throw failure
        }
    }

    /// The session that the server granted.
    private func session(
        in object: JSONObject, of answer: ServerAnswer, _ request: Request, _ operation: WalletError.Operation
    ) async throws -> Session {
        do {
            var session = try grants.session(
                from: object, at: answer.receivedAt, asked: request.scopes, nonce: request.nonce,
                login: request.login, key: request.key, during: operation)
            session.appleUser = request.appleUser
            return session
        } catch {
            // The tokens are not used, but the server keeps their session until it is revoked.
            await end(grants.revocation(ofRefused: object))
            throw Self.failure(error, answer, operation)
        }
    }

    /// Revokes refused tokens and briefly waits for the server, because a program may exit on the refusal. The refusal
    /// is reported even if the store has no room for the revocation.
    private func end(_ revocation: StoredRecord.QueuedRevocation?) async {
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
