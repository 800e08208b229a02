extension Wallet {
    /// Every change of the tokens from now on; each access makes a stream of its own. A reader that falls behind loses
    /// the oldest of 64 changes.
    public var tokenChanges: AsyncStream<TokenChange> { core.changes.stream() }

    /// Has `callback` called at every change of the tokens, in order, after the change is in the store.
    /// - Parameter callback: told each change, one at a time. It must not block; it may call the wallet.
    /// - Returns: an identifier for ``removeOnTokenChangeCallback(identifier:)``.
    public func addOnTokenChangeCallback(_ callback: @escaping @Sendable (TokenChange) -> Void) -> String {
        core.changes.add(callback)
    }

    /// Ends what ``addOnTokenChangeCallback(_:)`` began.
    /// - Parameter identifier: what ``addOnTokenChangeCallback(_:)`` returned.
    /// - Returns: whether there was such a callback.
    @discardableResult
    public func removeOnTokenChangeCallback(identifier: String) -> Bool {
        core.changes.remove(identifier)
    }

    /// Has `hook` called when somebody is signed out by ``logout()``, before it returns: the place to clear what the app
    /// keeps in memory about the person.
    /// - Parameter hook: awaited by ``logout()``, after the hooks that were registered before it.
    /// - Returns: an identifier for ``removeOnLogout(identifier:)``.
    public func onLogout(_ hook: @escaping @Sendable () async -> Void) -> String {
        core.logoutHooks.add(hook)
    }

    /// Ends what ``onLogout(_:)`` began.
    /// - Parameter identifier: what ``onLogout(_:)`` returned.
    /// - Returns: whether there was such a hook.
    @discardableResult
    public func removeOnLogout(identifier: String) -> Bool {
        core.logoutHooks.remove(identifier)
    }
}
