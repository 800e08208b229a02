/// The cost of one password hash, and the limit of concurrent ones.
package struct PasswordHashing: Sendable, Hashable {
    /// Argon2id's memory in KiB (RFC 9106's `m`). Default, and minimum in production: 19 MiB (first choice of OWASP's
    /// Password Storage Cheat Sheet).
    package var memoryKiB: UInt32
    /// Argon2id's passes over the memory (`t`). Default 2.
    package var passes: UInt32
    /// Argon2id's lanes (`p`). Default 1: parallelism comes from hashing several passwords at once.
    package var lanes: UInt32 = 1
    /// Hashes computed at once. This limits memory, at `memoryKiB` each. Default 2.
    package var concurrency: Int
    /// Sign-ins that may wait for their turn; further ones are asked to come back. Default 64.
    package var queueLimit: Int

    package init(
        memoryKiB: UInt32 = 19 * 1024, passes: UInt32 = 2, concurrency: Int = 2, queueLimit: Int = 64
    ) {
        self.memoryKiB = memoryKiB
        self.passes = passes
        self.concurrency = concurrency
        self.queueLimit = queueLimit
    }
}
