internal import Foundation
internal import WalletAuth
internal import WalletAuthTransport

/// The wallet of one configuration.
final class WalletConnection: Sendable {
    private struct State: Sendable {
        /// The sign-outs that were begun; the last one ends last.
        var signOut: Task<Void, Never>?
        /// Whether the configuration's own token has begun a session.
        var hasBegun = false
    }

    let wallet: WalletAuth.Wallet
    private let configuration: WalletConfiguration
    private let callback: String
    private let state = LockedValue(State())

    /// - Throws: the wallet's error if it refuses the configuration.
    init(_ configuration: WalletConfiguration, callbacks: TokenCallbacks) throws {
        self.configuration = configuration
        wallet = try WalletAuth.Wallet(configuration: configuration.values)
        callback = wallet.addOnTokenChangeCallback { callbacks.tell($0) }
    }

    func isFor(_ other: WalletConfiguration) -> Bool { configuration.isEqual(to: other) }

    /// Another wallet takes the place of this one.
    func end() { wallet.removeOnTokenChangeCallback(identifier: callback) }

    /// Restores the session or signs in.
    /// - Parameter url: a URL that arrived before; it may have the code of a sign-in that an earlier process began.
    func setUp(redeeming url: URL?) async throws {
        await waitForSignOut()
        if let url { try await redeem(url) }
        // Otherwise a callback that calls setup would begin a session with the same useless token forever.
        let isOver = state.withLock { $0.hasBegun } && !wallet.isLoggedIn
        guard !isOver else { throw CloverGenericError.tokenIsOver }
        try await wallet.setUp()
        guard configuration.isExternal else { return }
        state.withLock { $0.hasBegun = true }
        guard wallet.isLoggedIn else { throw CloverGenericError.tokenIsOver }
    }

    /// Redeems the code in a URL. The app passes all its URLs, so one that answers no sign-in is no error here. The server's
    /// refusal is: the person who has just declined is not asked again.
    private func redeem(_ url: URL) async throws {
        do { try await wallet.receivedOAuthCodeOrToken(url) } catch let error as WalletAuth.WalletError
            where !error.reachedServer
        {}
    }

    func receive(_ url: URL) async throws {
        await waitForSignOut()
        try await wallet.receivedOAuthCodeOrToken(url)
    }

    func updateToken(_ token: String) async throws {
        guard configuration.isExternal else { throw CloverGenericError.notNoOAuth }
        await waitForSignOut()
        try await wallet.updateToken(token)
    }

    /// Forgets the session before it returns.
    func logout() {
        let rest = wallet.beginLogout()
        state.withLock { state in
            // If the store fails, the wallet keeps the sign-out in mind and repeats it.
            state.signOut = Task { [previous = state.signOut] in
                await previous?.value
                _ = try? await rest.value
            }
        }
    }

    /// A sign-out that is not in the store yet would end the session that follows it.
    private func waitForSignOut() async { await state.withLock { $0.signOut }?.value }
}
