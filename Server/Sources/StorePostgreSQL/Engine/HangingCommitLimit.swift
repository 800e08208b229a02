import Store

/// Keeps commits that hang at the server, as they do while a synchronous standby is missing, from using up its connections.
final class HangingCommitLimit: Sendable {
    private let options: PostgreSQLOptions
    /// How many connections this process has for writes.
    private let writers: Int
    /// Whether a commit got no answer in time, and commits may still hang at the server.
    private let isSuspected = LockedValue(false)

    init(options: PostgreSQLOptions, writers: Int) {
        self.options = options
        self.writers = writers
    }

    /// A commit got no answer in time.
    func suspect() { isSuspected.withLock { $0 = true } }

    /// Refuses a write while as many of the login role's commits hang at the server as this process has connections for writes.
    /// Each commit that was given up leaves a backend behind, and more of them would use up the server's connections,
    /// even for reads.
    /// - Returns: `nil` if the write may begin.
    func refusalOfWrites(at connection: ServerConnection) -> StoreError? {
        guard isSuspected.withLock({ $0 }) else { return nil }
        let count = try? connection.hangingCommits(for: options.statementTimeout, within: options.askLimit)
        if count == 0 { isSuspected.withLock { $0 = false } }
        guard count ?? .max >= writers else { return nil }
        return StoreError(
            .unavailable,
            "commits at \(connection.target.name) get no response: `walletauth doctor` shows whether a standby is missing"
        )
    }
}
