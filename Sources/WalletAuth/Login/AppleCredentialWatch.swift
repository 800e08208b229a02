import WalletAuthWire

/// Signs a session out that came by Sign in with Apple, once Apple says that the person revoked the credential.
///
/// Nothing else ends a session here: not that Apple cannot be asked, not that the device has another Apple Account. The server
/// learns of a revocation by itself, from Apple.
final class AppleCredentialWatch: Sendable {
    /// How long ``check()`` waits. A later answer still counts.
    static let patience = Duration.seconds(2)

    private let states: (any AppleCredentialStates)?
    private let keeper: SessionKeeper
    private let revoker: Revoker
    private let time: any TimeSource
    private let journal: Journal
    private let flight = SingleFlight<Void>(.outlivesItsCallers)
    private let observation = Protected<Task<Void, Never>?>(nil)

    init(
        states: (any AppleCredentialStates)?, keeper: SessionKeeper, revoker: Revoker, time: any TimeSource,
        journal: Journal
    ) {
        self.states = states
        self.keeper = keeper
        self.revoker = revoker
        self.time = time
        self.journal = journal
    }

    deinit { observation.withLock { $0?.cancel() } }

    /// Listens to what Apple says from now on. Once is enough.
    func begin() {
        guard let states else { return }
        observation.withLock { task in
            guard task == nil else { return }
            let revocations = states.revocations
            task = Task { [weak self] in
                for await _ in revocations { await self?.ask() }
            }
        }
    }

    /// Asks Apple about the session that is kept, and waits for the answer as long as a person waits for an app to start.
    func check() async {
        guard states != nil, keeper.snapshot.holding?.session.appleUser != nil else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [self] in try? await flight.run { [self] in await ask() } }
            group.addTask { [time] in try? await time.sleep(for: Self.patience) }
            await group.next()
            group.cancelAll()
        }
    }

    private func ask() async {
        guard let states, let holding = keeper.snapshot.holding, let user = holding.session.appleUser else { return }
        guard let state = try? await states.state(ofUser: user) else {
            return journal.note(.appleCredential, "unknown")
        }
        journal.note(.appleCredential, state.rawValue)
        guard state == .revoked else { return }
        let isOver = try? await keeper.change { record in
            // Another session may have begun while Apple was asked.
            guard record.generation == holding.generation, record.session?.appleUser == user else { return false }
            record.signOut(.appleCredentialRevoked)
            return true
        }
        switch isOver {
        case true?: revoker.sendBeside()
        case false?: break
        // The session is still in the store, and Apple is asked again at the next start.
        case nil: journal.note(.appleCredential, WalletError.Code.storeUnavailable.rawValue)
        }
    }
}
