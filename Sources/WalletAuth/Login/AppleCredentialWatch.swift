import WalletAuthTransport

/// Signs out a session opened with Sign in with Apple once Apple says that the person revoked the credential.
///
/// Nothing else ends a session here: neither a failed query to Apple nor a different Apple Account on the device. The
/// server learns of a revocation directly from Apple.
final class AppleCredentialWatch: Sendable {
    /// How long ``check()`` waits. A later answer still counts.
    static let patience = Duration.seconds(2)

    private let states: (any AppleCredentialStates)?
    private let keeper: SessionKeeper
    private let revoker: Revoker
    private let time: any TimeSource
    private let log: DiagnosticsLog
    private let flight = SingleFlight<Void>(.outlivesItsCallers)
    private let observation = LockedValue<Task<Void, Never>?>(nil)

    init(
        states: (any AppleCredentialStates)?, keeper: SessionKeeper, revoker: Revoker, time: any TimeSource,
        log: DiagnosticsLog
    ) {
        self.states = states
        self.keeper = keeper
        self.revoker = revoker
        self.time = time
        self.log = log
    }

    deinit { observation.withLock { $0?.cancel() } }

    /// Starts listening to Apple's notifications. Call it once.
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

    /// Asks Apple about the stored session. Waits no longer than a person waits for an app to start.
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
            return log.note(.appleCredential, "unknown")
        }
        log.note(.appleCredential, state.rawValue)
        guard state == .revoked else { return }
        let isOver = try? await keeper.change { record in
            // Another session may have begun meanwhile.
            guard record.generation == holding.generation, record.session?.appleUser == user else { return false }
            record.signOut(.appleCredentialRevoked)
            return true
        }
        switch isOver {
        case true?: revoker.sendInBackground()
        case false?: break
        // The session is still stored, and Apple is asked again at the next start.
        case nil: log.note(.appleCredential, WalletError.Code.storeUnavailable.rawValue)
        }
    }
}
