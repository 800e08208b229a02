import Foundation
import WalletAuthWire

/// Turns a code into a session, at most once.
struct CodeRedemption: Sendable {
    let keeper: SessionKeeper
    let endpoint: TokenEndpoint
    let grants: SessionGrant
    let revoker: Revoker

    /// What a code needs to be redeemed.
    struct Order: Sendable {
        var code: AuthorizationCode
        var verifier: CodeVerifier
        var redirectURI: RedirectURI?
        var nonce: Nonce?
        var scopes: [String]
        var key: BoundKey?
        /// Pending again when the code could not be sent at all.
        var login: PendingLogin?
        /// Whose session it has to be, where a call asked whoever is signed in to sign in again; nil for anybody's.
        var owner: TokenOwner?
        /// Apple's identifier for the person, where Sign in with Apple led here.
        var appleUser: String?
    }

    /// Redeems and signs in. Once the code is sent this is carried through, also when the calling task is cancelled.
    /// - Throws: ``WalletError``: `code_already_used`, `sign_in_interrupted`, `signed_out` when the person signed out, or
    ///   somebody else in, while the code was under way.
    func redeem(_ order: Order, during operation: WalletError.Operation) async throws {
        try Task.checkCancellation()
        try await Task {
            try await WalletError.during(operation) { try await carryThrough(order, operation) }
        }.value
    }

    private func carryThrough(_ order: Order, _ operation: WalletError.Operation) async throws {
        // Known before it is sent: whoever finds it there after a kill does not send it again.
        let (isNew, generation) = try await keeper.change { ($0.noteSending(order.code), $0.generation) }
        guard isNew else {
            throw WalletError(
                .codeAlreadyUsed, .refused, during: operation, reason: "this code was sent already; sign in again")
        }
        let object: JSONObject
        let answer: ServerAnswer
        do {
            (object, answer) = try await endpoint.redeem(
                order.code, verifier: order.verifier, redirectURI: order.redirectURI, key: order.key,
                during: operation)
        } catch let failure as TransportFailure {
            guard failure.kind == .lost else {
                try await keeper.change { record in
                    record.forgetSending(order.code)
                    if let login = order.login { record.begin(login) }
                }
                throw failure
            }
            throw WalletError(
                .signInInterrupted, .refused, during: operation,
                reason: "the code was sent and its answer was lost; sign in again")
        }
        var session: Session
        do {
            session = try grants.session(
                from: object, at: answer.receivedAt, asked: order.scopes, nonce: order.nonce,
                maximumAge: order.login?.stepUp?.maximumAge, key: order.key, during: operation)
        } catch {
            // The tokens are not used. The server takes them for a session until it hears otherwise.
            await end(grants.revocation(ofRefused: object))
            throw Self.failure(error, answer, operation)
        }
        session.appleUser = order.appleUser
        if let owner = order.owner, !owner.allows(session.owner) {
            // Whoever is signed in stays so; what the other one did not ask for here is ended.
            try await keeper.change { [session] in $0.queueRevocation(of: session) }
            revoker.sendBeside()
            throw WalletError(
                .anotherPerson, .refused, during: operation, reachedServer: true,
                reason: "somebody else signed in than whose call asked for it")
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

    /// Ends tokens that were refused here, and waits a moment for the server: a program may end with the refusal. The refusal is what
    /// matters, also where the store has no room for this.
    private func end(_ revocation: SessionRecord.QueuedRevocation?) async {
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
