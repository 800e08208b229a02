extension Wallet {
    /// All changes of the tokens from now on. Each access creates a new stream. A slow reader loses the oldest of 64
    /// changes.
    public var tokenChanges: AsyncStream<TokenChange> { core.changes.stream() }

    /// Registers a callback for every change of the tokens, called in order, after the change is stored.
    /// - Parameter callback: receives one change at a time. It must not block, but may call the wallet.
    /// - Returns: an identifier for ``removeOnTokenChangeCallback(identifier:)``.
    public func addOnTokenChangeCallback(_ callback: @escaping @Sendable (TokenChange) -> Void) -> String {
        core.changes.add(callback)
    }

    /// Removes a callback of ``addOnTokenChangeCallback(_:)``.
    /// - Parameter identifier: from ``addOnTokenChangeCallback(_:)``.
    /// - Returns: whether the callback existed.
    @discardableResult
    public func removeOnTokenChangeCallback(identifier: String) -> Bool {
        core.changes.remove(identifier)
    }

    /// Registers a hook that ``logout()`` runs before it returns, even if no one is signed in any more: the place to clear
    /// what the app keeps in memory about the person. A ``logout()`` in a hook runs no hooks.
    /// - Parameter hook: awaited by ``logout()``, after the hooks registered before it.
    /// - Returns: an identifier for ``removeOnLogout(identifier:)``.
    public func onLogout(_ hook: @escaping @Sendable () async -> Void) -> String {
        core.logoutHooks.add(hook)
    }

    /// Removes a hook of ``onLogout(_:)``.
    /// - Parameter identifier: from ``onLogout(_:)``.
    /// - Returns: whether the hook existed.
    @discardableResult
    public func removeOnLogout(identifier: String) -> Bool {
        core.logoutHooks.remove(identifier)
    }
}
