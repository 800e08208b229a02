#if os(Linux)
    /// Linux has no common way to ask whether the holder of a device is there, so nothing is offered and nothing confirmed.
    public struct NoUserPresence: UserPresence {
        /// Makes it.
        public init() {}

        /// Always `.none`.
        public func capability() async -> UserPresenceCapability { .none }

        /// Never confirms.
        /// - Throws: ``UserPresenceFailure/unavailable``, always.
        public func confirm(reason: String) async throws { throw UserPresenceFailure.unavailable }
    }
#endif
