/// What one password hash costs, and how many may be computed at once.
package struct PasswordHashing: Sendable, Hashable {
    /// Argon2id's memory in KiB (RFC 9106's `m`). Default and least in production: 19 MiB (OWASP's first choice of
    /// its Password Storage Cheat Sheet).
    package var memoryKiB: UInt32
    /// Argon2id's passes over the memory (`t`). Default 2.
    package var passes: UInt32
    /// Argon2id's lanes (`p`). Default 1: parallelism comes from hashing several passwords at once.
    package var lanes: UInt32
    /// How many hashes are computed at once: what bounds memory, at `memoryKiB` each. Default 2.
    package var concurrency: Int
    /// How many sign-ins may wait for their turn before further ones are told to come back. Default 64.
    package var queueLimit: Int

    /// - Parameters:
    ///   - memoryKiB: Argon2id's memory in KiB.
    ///   - passes: Argon2id's passes.
    ///   - lanes: Argon2id's lanes.
    ///   - concurrency: hashes computed at once.
    ///   - queueLimit: sign-ins that may wait.
    package init(
        memoryKiB: UInt32 = 19 * 1024, passes: UInt32 = 2, lanes: UInt32 = 1, concurrency: Int = 2,
        queueLimit: Int = 64
    ) {
        self.memoryKiB = memoryKiB
        self.passes = passes
        self.lanes = lanes
        self.concurrency = concurrency
        self.queueLimit = queueLimit
    }
}
