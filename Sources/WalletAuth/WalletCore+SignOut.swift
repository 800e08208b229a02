import Foundation
import WalletAuthWire

extension WalletCore {
    /// Signs out here first, then tells the server, once.
    func logout() async throws -> Wallet.LogoutOutcome {
        // In memory at once; the rest is carried through even when the caller is cancelled.
        try await completeSignOut(of: keeper.signOutInMemory())
    }

    /// Signs out in memory before it returns; the task does the rest.
    func beginLogout() -> Task<Wallet.LogoutOutcome, any Error> {
        let holding = keeper.signOutInMemory()
        return Task { try await completeSignOut(of: holding) }
    }

    private func completeSignOut(of holding: LiveSession.Holding?) async throws -> Wallet.LogoutOutcome {
        let stored = try await signOutInStore(of: holding)
        await revoker.countDropped()
        switch (stored, holding.flatMap { StoredSessions.QueuedRevocation($0.session) }) {
        case (.queued(let revocation), _): return Wallet.LogoutOutcome(await revoke(revocation))
        case (.alreadySignedOut, let revocation?): return await outcome(ofEarlierSignOut: revocation)
        case (.full(let own, let earlier), _): return await revokeUnqueued(own, earlier)
        case (.alreadySignedOut, nil):
            _ = await sendQueuedRevocations()
            return .notSignedIn
        }
    }

    /// Removes the session from the store, and what belongs to it, before anything is sent.
    /// - Throws: ``WalletError`` with code `store_unavailable`.
    private func signOutInStore(of holding: LiveSession.Holding?) async throws -> SessionKeeper.StoredSignOut {
        let stored = await Task { [self] in
            await revoker.holding { () -> Result<SessionKeeper.StoredSignOut, any Error> in
                let stored: Result<SessionKeeper.StoredSignOut, any Error>
                do { stored = .success(try await keeper.signOutInStore(of: holding)) } catch {
                    stored = .failure(error)
                }
                // A consent that cannot be removed belongs to no session any more, so no other session sees it.
                try? await consents.removeAll()
                await logoutHooks.run()
                return stored
            }
        }.value
        do { return try stored.get() } catch {
            log.note(.logout, WalletError.Code.storeUnavailable.rawValue)
            throw WalletError.wrap(error, .logout)
        }
    }

    /// The outcome if another call, or another process, has signed out meanwhile: its revocation may be answered or wait.
    private func outcome(ofEarlierSignOut revocation: StoredSessions.QueuedRevocation) async -> Wallet.LogoutOutcome {
        if await isQueued(revocation) { return Wallet.LogoutOutcome(await revoke(revocation)) }
        return revoker.answer(to: revocation).map { Wallet.LogoutOutcome($0) } ?? .notSignedIn
    }

    /// Sends the revocations that the full store has no room for, each once, within five seconds for the session's own.
    private func revokeUnqueued(
        _ own: StoredSessions.QueuedRevocation?, _ earlier: [StoredSessions.QueuedRevocation]
    ) async -> Wallet.LogoutOutcome {
        var answer: Revoker.Outcome?
        if let own {
            answer = await time.within(.seconds(5)) { [revoker] in await revoker.sendUnqueued(own) } ?? nil
        }
        await time.within(.seconds(5)) { [revoker] in
            for revocation in earlier { _ = await revoker.sendUnqueued(revocation) }
        }
        return own == nil ? .notSignedIn : Wallet.LogoutOutcome(answer)
    }

    /// Has the server revoke one session, and then the others that wait, within five seconds.
    /// - Returns: the server's answer; nil if the server has yet to learn of this session, or of one that it replaced.
    private func revoke(_ revocation: StoredSessions.QueuedRevocation) async -> Revoker.Outcome? {
        await time.within(.seconds(5)) { [revoker] in await revoker.send(revocation) }
        // The limit may have ended only the wait for the others.
        let answer = revoker.answer(to: revocation)
        guard answer == .revoked else { return answer }
        let isComplete = try? await keeper.change { record in
            !record.revocations.contains { $0.token != revocation.token && $0.mayShareSession(with: revocation) }
        }
        return isComplete ?? true ? answer : nil
    }

    private func isQueued(_ revocation: StoredSessions.QueuedRevocation) async -> Bool {
        let queued = try? await keeper.change { record in record.revocations.contains { $0.token == revocation.token } }
        return queued ?? false
    }

    /// Tells the server what earlier sign-outs left to be told.
    func sendQueuedRevocations() async -> Bool {
        await time.within(.seconds(5)) { [revoker] in (try? await revoker.send()) ?? false } ?? false
    }
}

extension Wallet.LogoutOutcome {
    /// - Parameter answer: the server's; nil if it has yet to learn of the sign-out.
    fileprivate init(_ answer: Revoker.Outcome?) {
        self =
            switch answer {
            case .revoked: .revoked
            case .refused: .refused
            case .notOffered: .notOffered
            case nil: .queued
            }
    }
}
