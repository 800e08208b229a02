#if os(Linux)
    /// The adapter for Linux, which has no common way to check for a device's owner: it offers and confirms nothing.
    public struct NoUserPresence: UserPresence {
        /// Creates the adapter.
        public init() {}

        /// Always `.none`.
        public func capability() async -> UserPresenceCapability { .none }

        /// Never confirms.
        /// - Parameter reason: what the person is asked to confirm.
        /// - Throws: ``UserPresenceFailure/unavailable``, always.
        public func confirm(reason: String) async throws { throw UserPresenceFailure.unavailable }
    }
#endif
