public import Foundation
public import Observation
public import WalletAuth

/// A wallet's session as a screen shows it: who is signed in, or what the person has to do.
///
/// The state follows `Wallet.tokenChanges`, also those of other calls and of the app's extensions. The actions
/// throw nothing: ``lastError`` has the error of the last one, and ``message`` its text for the person.
@Observable @MainActor
public final class WalletSession {
    /// The state of a session.
    public enum State: Sendable, Hashable {
        /// The stored session has not been read yet.
        case restoring
        /// No one is signed in: offer to sign in.
        case signedOut(WalletError.SignOutReason)
        /// The person is signed in, also without a network: the access token is renewed at its next use.
        case signedIn(Wallet.SignedInIdentity)
        /// The person has to do something first. None of these means that they are signed out.
        case needsAction(Action)
    }

    /// What the person has to do before the app can continue.
    public enum Action: Sendable, Hashable {
        /// The secure store cannot be read: unlock the device, free some space, and then ``WalletSession/restore()``. A
        /// damaged store is replaced by ``WalletSession/signOut()``.
        case makeStoreAvailable(WalletError.StoreFailure)
        /// The session's key is gone, for instance after a restore from a backup: ``WalletSession/signIn()`` creates another.
        case replaceKey
        /// The server no longer renews the session, and says nothing that ends it: sign out and in again, unless the person
        /// would rather wait.
        case renewSession(Wallet.SignedInIdentity)
        /// The page is open in another browser. Signing in there returns to the app; ``WalletSession/signIn()`` opens another.
        case finishInBrowser
        /// It is unknown who is signed in, for the reason in ``WalletSession/lastError``: ``WalletSession/restore()`` again.
        case tryAgain
    }

    /// The current state.
    public private(set) var state = State.restoring
    /// The error of the last action; nil if it succeeded, or was cancelled with its task.
    public private(set) var lastError: WalletError?
    /// Whether an action is running: show progress, and disable the button.
    public var isBusy: Bool { running > 0 }
    /// The wallet.
    public let wallet: Wallet

    private var running = 0
    @ObservationIgnored private var isRestored = false
    /// Why it is unknown who is signed in.
    @ObservationIgnored private var hindrance: WalletError?
    @ObservationIgnored private var isAwaitingCallback = false
    @ObservationIgnored private var observation: Task<Void, Never>?
    let texts: ScreenTexts

    /// Creates a session that has not been restored yet.
    /// - Parameters:
    ///   - wallet: the wallet.
    ///   - messages: the texts of the errors and labels.
    ///   - languages: the person's languages in order of preference (BCP 47).
    public init(
        _ wallet: Wallet, messages: UserErrorMessages = .builtIn, languages: [String] = Locale.preferredLanguages
    ) {
        self.wallet = wallet
        texts = ScreenTexts(messages: messages, languages: languages)
        let changes = wallet.tokenChanges
        observation = Task { [weak self] in
            // Of two changes the wallet knows the later one, so it is read, and the change is not.
            for await _ in changes { self?.update() }
        }
    }

    deinit { observation?.cancel() }

    /// Continues with the stored session: call it when the app starts, and again after the person has done what
    /// ``State/needsAction(_:)`` asks for. It opens no page.
    public func restore() async {
        await act { try await wallet.restore() }
    }

    /// Signs the person in, unless someone is signed in: call it from the button. Joins a sign-in under way.
    public func signIn() async {
        let outcome = await act { try await wallet.signIn() }
        guard outcome == .awaitingCallback else { return }
        isAwaitingCallback = true
        update()
    }

    /// Signs out, whatever the state of the network.
    public func signOut() async {
        await act { try await wallet.logout() }
    }

    /// Passes the wallet a URL that opened the app: see `Wallet.handle(_:)`. Any page can open one, so only the answer to a
    /// sign-in of this device changes what is shown.
    /// - Parameter url: the URL from the system.
    /// - Returns: what the URL was for; nil after an error, which is in ``lastError`` if the URL answers a sign-in of this device, or the
    ///   secure store cannot be read.
    @discardableResult
    public func handle(_ url: URL) async -> Wallet.HandledURL? {
        // A store that cannot be read does not say whose the URL is: the person reads that it cannot.
        guard (try? await wallet.isAwaited(url)) != false else {
            defer { update() }
            return try? await wallet.handle(url)
        }
        let purpose = await act(tellsWhoIsSignedIn: false) { try await wallet.handle(url) }
        // The page has answered, with a refusal. An answer that does not fit leaves its sign-in waiting.
        if purpose == nil, (try? await wallet.isAwaited(url)) == false {
            isAwaitingCallback = false
            update()
        }
        return purpose
    }

    /// The text for the person: of the last error, or of why they were signed out. Nil if there is nothing to say.
    public var message: String? {
        if let lastError { return texts.text(of: lastError) }
        switch state {
        case .signedOut(.neverSignedIn), .signedOut(.loggedOut), .restoring, .signedIn, .needsAction(.finishInBrowser):
            return nil
        case .signedOut(let reason): return texts.text(ofSignOut: reason)
        case .needsAction(.replaceKey): return texts.text(ofSignOut: .keyLost)
        case .needsAction: return wallet.renewalFailure.flatMap { texts.text(of: $0) }
        }
    }

    /// - Parameter tellsWhoIsSignedIn: whether the state is known after the work, or unknown for its error.
    @discardableResult
    private func act<Value>(
        tellsWhoIsSignedIn: Bool = true, _ work: () async throws -> Value
    ) async -> Value? {
        running += 1
        defer {
            running -= 1
            update()
        }
        do {
            let value = try await work()
            lastError = nil
            if tellsWhoIsSignedIn { (isRestored, hindrance) = (true, nil) }
            return value
        } catch {
            lastError = error as? WalletError
            if tellsWhoIsSignedIn { hindrance = lastError }
            return nil
        }
    }

    private func update() {
        if wallet.isLoggedIn { isAwaitingCallback = false }
        let current = current
        if current != state { state = current }
    }

    private var current: State {
        if wallet.isLoggedIn, let identity = wallet.identity {
            return switch wallet.renewalFailure?.outcome {
            case .refused, .misconfigured: .needsAction(.renewSession(identity))
            default: .signedIn(identity)
            }
        }
        if isAwaitingCallback { return .needsAction(.finishInBrowser) }
        switch wallet.signOutReason {
        case .keyLost: return .needsAction(.replaceKey)
        case let reason?: return .signedOut(reason)
        case nil: break
        }
        if isRestored { return .signedOut(.neverSignedIn) }
        switch hindrance?.outcome {
        case nil: return .restoring
        case .storeUnavailable(let failure): return .needsAction(.makeStoreAvailable(failure))
        default: return .needsAction(.tryAgain)
        }
    }
}
