import Foundation
import WalletAuthWire

extension Wallet {
    /// Signs out on this device, whatever the state of the network.
    ///
    /// First the tokens are removed from memory and store, and the ``onLogout(_:)`` hooks run. Then the server is asked
    /// once to revoke the session. Offline, the revocation stays queued in the store, and the next ``restore()`` sends
    /// it, even if another person has signed in since. The device's keys, PIN and device token stay. Harmless if no one
    /// is signed in.
    ///
    /// A session whose token the app supplied ends here as well, and the server is asked to revoke that token. The refresh
    /// token, which the app or its backend has, is theirs to revoke: a server may end the session by either.
    ///
    /// Sessions that step-ups replaced end with it, the newest 16 with the session itself; ``unrevokedSessionCount``
    /// says whether there were more.
    /// - Returns: the server's answer. Only 200 means that it has ended the session.
    /// - Throws: ``WalletError`` `store_unavailable` if the store could not remove the session. Memory has, and this
    ///   process removes the rest the next time it uses the store.
    @discardableResult
    public func logout() async throws -> LogoutOutcome {
        // In memory at once; the rest is carried through even when the caller is cancelled.
        try await completeSignOut(of: keeper.signOutInMemory())
    }

    /// Signs out like ``logout()``, for the modules with the names of other SDKs, whose sign-out is no `async` call: ``isLoggedIn``
    /// is false as soon as this returns.
    /// - Returns: the task that does the rest.
    @discardableResult
    package func beginLogout() -> Task<LogoutOutcome, any Error> {
        let holding = keeper.signOutInMemory()
        return Task { try await completeSignOut(of: holding) }
    }

    private func completeSignOut(of holding: LiveSession.Holding?) async throws -> LogoutOutcome {
        let stored = try await signOutInStore(of: holding)
        await revoker.countDropped()
        switch (stored, holding.flatMap { StoredRecord.QueuedRevocation($0.session) }) {
        case (.queued(let revocation), _): return await revoke(revocation) ?? .queued
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
            await revoker.holding {
                let stored = await Task { try await keeper.signOutInStore(of: holding) }.result
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
    private func outcome(ofEarlierSignOut revocation: StoredRecord.QueuedRevocation) async -> LogoutOutcome {
        if await isQueued(revocation) { return await revoke(revocation) ?? .queued }
        return revoker.answer(to: revocation) ?? .notSignedIn
    }

    /// Sends the revocations that the full store has no room for, each once, within five seconds for the session's own.
    private func revokeUnqueued(
        _ own: StoredRecord.QueuedRevocation?, _ earlier: [StoredRecord.QueuedRevocation]
    ) async -> LogoutOutcome {
        var answer: Revoker.Outcome?
        if let own {
            answer = await time.within(.seconds(5)) { [revoker] in await revoker.sendUnqueued(own) } ?? nil
        }
        await time.within(.seconds(5)) { [revoker] in
            for revocation in earlier { _ = await revoker.sendUnqueued(revocation) }
        }
        return own == nil ? .notSignedIn : answer ?? .queued
    }

    /// Has the server revoke one session, and then the others that wait, within five seconds.
    /// - Returns: the server's answer; nil if the server has yet to learn of this session, or of one that it replaced.
    private func revoke(_ revocation: StoredRecord.QueuedRevocation) async -> Revoker.Outcome? {
        await time.within(.seconds(5)) { [revoker] in await revoker.send(revocation) }
        // The limit may have ended only the wait for the others.
        let answer = revoker.answer(to: revocation)
        guard answer == .revoked else { return answer }
        let isComplete = try? await keeper.change { record in
            !record.revocations.contains { $0.token != revocation.token && $0.mayShareSession(with: revocation) }
        }
        return isComplete ?? true ? answer : nil
    }

    private func isQueued(_ revocation: StoredRecord.QueuedRevocation) async -> Bool {
        let queued = try? await keeper.change { record in record.revocations.contains { $0.token == revocation.token } }
        return queued ?? false
    }

    /// Sends the queued revocations of earlier sign-outs, and waits for the answers for at most five seconds.
    ///
    /// ``restore()`` and every sign-in start this by themselves without waiting. Call it in a program that is about to
    /// end.
    /// - Returns: whether nothing is left to send; false if the server refused one here, or has no revocation endpoint. A
    ///   revocation that might end the current session as well waits for that session's sign-out, and does not count.
    @discardableResult
    public func sendQueuedRevocations() async -> Bool {
        await time.within(.seconds(5)) { [revoker] in (try? await revoker.send()) ?? false } ?? false
    }

    /// The server's last refusal to end a session, in this process; nil if there was none.
    public var revocationRefusal: WalletError? { revoker.refusal }

    /// How many earlier sessions the last ``logout()`` in this process left active at the server, where they end by
    /// their own time. The store keeps the newest 16 revocations, so this takes as many step-ups in one session, or as
    /// many sign-outs without reaching the server.
    public var unrevokedSessionCount: Int { revoker.dropped }
}
