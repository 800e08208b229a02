import CompatCalls
public import WalletAuth
import WalletAuthTransport

/// The module's entry point: the accounts on this device, and the transactions that they sign.
///
/// Differs from nextAuth: one line configures the server, and ``wallet`` signs in and enrolls the device. A QR code signs a
/// transaction; it neither signs in nor enrolls.
public final class NextAuth: Sendable {
    /// The instance that an app uses.
    public static let `default` = NextAuth()

    fileprivate struct State {
        var wallet: WalletAuth.Wallet?
        var accounts: [Account] = []
        /// Tells whether the accounts changed while they were read.
        var revision = 0
        var delegate = WeakObserver()
        var observers: [WeakObserver] = []
        var flow: RunningFlow?
        var update: FlowUpdate?
    }

    private let state = LockedValue(State())
    private let callbacks = CallOrder()

    package init() {}

    // MARK: Configuration

    /// Configures the server, and waits in place until the accounts on this device are read: for the launch of an app.
    ///
    /// Nothing is sent. Configuring again replaces the wallet and cancels its flow.
    /// - Parameter configuration: the configuration of the wallet.
    /// - Throws: ``NextAuthError``: `invalid_configuration`, or `store_unavailable` if the accounts cannot be read within ten
    ///   seconds.
    public func configure(_ configuration: WalletAuth.Wallet.Configuration) throws {
        let wallet = try Wallet(configuration: configuration)
        guard let accounts = try WaitingInPlace.value({ try await wallet.accounts }) else {
            throw NextAuthError(
                .storeUnavailable, .storeUnavailable(.busy), during: .listAccounts,
                reason: "the accounts could not be read in time; the async configure(_:) has no limit")
        }
        adopt(wallet, accounts)
    }

    /// Configures the server, and reads the accounts on this device.
    ///
    /// Nothing is sent. Configuring again replaces the wallet and cancels its flow.
    /// - Parameter configuration: the configuration of the wallet.
    /// - Throws: ``NextAuthError``: `invalid_configuration`, `store_unavailable`.
    public func configure(_ configuration: WalletAuth.Wallet.Configuration) async throws {
        let wallet = try Wallet(configuration: configuration)
        adopt(wallet, try await wallet.accounts)
    }

    /// The wallet that signs in, enrolls this device and sets its PIN.
    /// - Throws: ``NextAuthError`` `not_configured`.
    public var wallet: WalletAuth.Wallet {
        get throws {
            guard let wallet = state.withLock({ $0.wallet }) else {
                throw NextAuthError(
                    .notConfigured, .misconfigured, during: .configure,
                    reason: "NextAuth.default.configure(_:) comes first")
            }
            return wallet
        }
    }

    private func adopt(_ wallet: WalletAuth.Wallet, _ accounts: [Account]) {
        stop()
        state.withLock { $0.wallet = wallet }
        note(accounts, of: wallet)
        wallet.observeAccounts { [weak self, weak wallet] accounts in
            if let wallet { self?.note(accounts, of: wallet) }
        }
        _ = wallet.addOnTokenChangeCallback { [weak self, weak wallet] _ in
            Task { if let wallet { await self?.rereadAccounts(of: wallet) } }
        }
    }

    // MARK: Accounts

    /// The accounts that this device is enrolled for, the last one signed in first; empty before ``configure(_:)``.
    ///
    /// They are current when an enrollment, a sign-in or a removal returns. They do not depend on who is signed in, and
    /// survive sign-outs.
    public var accounts: [Account] { state.withLock { $0.accounts } }

    /// Reads them again after a sign-in, a sign-out or the end of a session: another process may have changed them.
    private func rereadAccounts(of wallet: WalletAuth.Wallet) async {
        let revision = state.withLock { $0.revision }
        do { note(try await wallet.accounts, of: wallet, ifRevision: revision) } catch let error as NextAuthError {
            callbacks.add({ error }, completion: { error in self.tell { $0.error(error) } })
        } catch {}
    }

    private func note(_ accounts: [Account], of wallet: WalletAuth.Wallet, ifRevision revision: Int? = nil) {
        state.withLock { state in
            guard state.wallet === wallet, revision == nil || revision == state.revision else { return }
            let former = state.accounts
            state.accounts = accounts
            state.revision += 1
            let changed = accounts.filter { !former.contains($0) }
            let deleted = former.filter { account in !accounts.contains { $0.id == account.id } }
            guard !changed.isEmpty || !deleted.isEmpty else { return }
            // Under the lock, so that the callbacks have the order of the changes.
            callbacks.add({ (changed, deleted) }, completion: { changed, deleted in self.tell(changed, deleted) })
        }
    }

    // MARK: Transactions and flows

    /// Starts and answers flows.
    public var flowService: FlowService { FlowService(nextAuth: self) }

    /// Begins a transaction of the app, and its flow.
    ///
    /// Differs from nextAuth: without an observer it throws, because the person would never be asked.
    /// - Parameters:
    ///   - transaction: the transaction to sign.
    ///   - account: the account that signs, one of ``accounts``; nil for the one last signed in.
    /// - Throws: ``NextAuthError``: `not_configured`, `no_observer`, `flow_active`, `bad_request` for state or data that is too
    ///   long. Later errors arrive as the flow's.
    public func create(transaction: Transaction, account: Account? = nil) throws {
        try begin { RunningFlow(try $0.transactions.create(transaction.forWallet, account: account?.id)) }
    }

    /// Starts a flow, and keeps it to its end: the app keeps none.
    func begin(_ start: (WalletAuth.Wallet) throws -> RunningFlow) throws {
        let wallet = try wallet
        guard state.withLock({ !$0.all.isEmpty }) else {
            throw NextAuthError(
                .noObserver, .refused, during: .signTransaction,
                reason: "set a delegate or add an observer first, and keep it: nothing was sent")
        }
        // The wallet knows of its own flows only.
        if state.withLock({ $0.flow?.isLogin ?? false }) {
            throw NextAuthError(
                .flowActive, .refused, during: .signTransaction, reason: "another flow is running: finish or cancel it")
        }
        let flow = try start(wallet)
        state.withLock { state in
            state.flow = flow
            state.update = nil
        }
        Task {
            await flow.follow { update in
                await self.callbacks.add({ update }, completion: { self.deliver($0, of: flow) }).value
            }
        }
    }

    /// The last update of the last flow.
    var currentFlow: FlowUpdate? { state.withLock { $0.update } }

    /// Cancels the running flow. Its last update still arrives.
    func stop() { state.withLock { $0.flow }?.cancel() }
}

// MARK: - Observers

extension NextAuth {
    /// Receives the updates, as do all of ``addObserver(_:)``. It is not retained.
    @preconcurrency @MainActor public var delegate: (any NextAuthObserver)? {
        get { state.withLock { $0.delegate }.observer }
        set { state.withLock { $0.delegate = WeakObserver(newValue) } }
    }

    /// Adds an observer. It is not retained; adding it twice changes nothing.
    /// - Parameter observer: receives the updates.
    @preconcurrency @MainActor public func addObserver(_ observer: any NextAuthObserver) {
        removeObserver(observer)
        state.withLock { $0.observers.append(WeakObserver(observer)) }
    }

    /// Removes an observer of ``addObserver(_:)``.
    /// - Parameter observer: the observer.
    @preconcurrency @MainActor public func removeObserver(_ observer: any NextAuthObserver) {
        state.withLock { $0.observers.removeAll { $0.observer == nil || $0.observer === observer } }
    }

    @MainActor private func tell(_ body: (any NextAuthObserver) -> Void) {
        for observer in state.withLock({ $0.all }) { observer.observer.map(body) }
    }

    @MainActor private func tell(_ changed: [Account], _ deleted: [Account]) {
        for account in changed { tell { $0.accountUpdate(account) } }
        for account in deleted { tell { $0.accountDeleted(account) } }
    }

    @MainActor private func deliver(_ update: FlowUpdate, of flow: RunningFlow) {
        state.withLock { state in
            // The next flow may have begun while this one was being cancelled.
            guard state.flow === flow else { return }
            state.update = update
            if update.isLast { state.flow = nil }
        }
        tell { $0.flowUpdate(update) }
    }
}

extension NextAuth.State {
    /// The observers that still exist, the delegate first.
    fileprivate var all: [WeakObserver] { ([delegate] + observers).filter { $0.observer != nil } }
}
