package struct PostgreSQLOptions: Sendable {
    /// The connections, each with its own thread; at least 1.
    package var connections: Int

    /// The calls that may wait for a connection; further ones get the answer that the store is busy. At least 1.
    package var waitingLimit: Int

    /// The server cancels a longer statement. The engine waits a little longer for the answer, then gives the
    /// connection up.
    package var statementTimeout: Duration

    /// The server cancels a statement that waits longer for a lock, for example behind an operator's open transaction.
    package var lockTimeout: Duration

    /// The server ends a connection whose transaction waits longer for its next statement.
    package var idleInTransactionTimeout: Duration

    /// The limit of one attempt to connect to one server. A `connect_timeout` in the connection string takes precedence.
    package var connectTimeout: Duration

    /// The statements that a connection keeps prepared; at least 1.
    package var preparedStatements: Int

    package init(
        connections: Int = 8, waitingLimit: Int = 16_384, statementTimeout: Duration = .seconds(10),
        lockTimeout: Duration = .seconds(5), idleInTransactionTimeout: Duration = .seconds(15),
        connectTimeout: Duration = .seconds(5), preparedStatements: Int = 512
    ) {
        self.connections = max(1, connections)
        self.waitingLimit = max(1, waitingLimit)
        self.statementTimeout = statementTimeout
        self.lockTimeout = lockTimeout
        self.idleInTransactionTimeout = idleInTransactionTimeout
        self.connectTimeout = connectTimeout
        self.preparedStatements = max(1, preparedStatements)
    }
}

extension Duration {
    var wholeMilliseconds: Int64 {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }
}
