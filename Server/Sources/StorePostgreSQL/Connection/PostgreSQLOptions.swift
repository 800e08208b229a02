package struct PostgreSQLOptions: Sendable {
    /// The connections, each with its own thread; at least 1.
    package var connections: Int

    /// The calls that may wait for a connection; further ones get the answer that the store is busy. At least 1.
    package var waitingLimit = 16_384

    /// A call that waits longer for a connection is refused, whatever the connections are waiting for.
    package var waitingTime: Duration

    /// The server cancels a longer statement. The engine waits a little longer for the answer, then gives the
    /// connection up.
    package var statementTimeout: Duration

    /// The server cancels a statement that waits longer for a lock, for example behind an operator's open transaction.
    package var lockTimeout: Duration

    /// How long a change of the schema tries to get the locks of its tables, from the first time that it did not.
    package var schemaChangePatience: Duration

    /// The server ends a connection whose transaction waits longer for its next statement.
    package var idleInTransactionTimeout: Duration

    /// The limit of one attempt to connect to one server. A `connect_timeout` in the connection string takes precedence.
    package var connectTimeout: Duration

    /// How long the server of the group's session may take to answer that session, and to prove that a connection is at it.
    package var askLimit: Duration

    /// The time between two questions whether another host of the connection string took over from the group's server.
    package var takeoverInterval = Duration.seconds(60)

    /// The statements that a connection keeps prepared; at least 1.
    package var preparedStatements = 512

    /// Whether a connection pooler may be in between. It has to keep a session for each connection, since locks,
    /// notices and prepared statements belong to sessions.
    package var allowsSessionPooler: Bool

    /// Whether probes of writes have a connection of their own, besides ``connections``.
    package var probes = false

    /// The program's version, which the names of its processes show.
    package var version = ""

    package init(
        connections: Int = 8, waitingTime: Duration = .seconds(10), statementTimeout: Duration = .seconds(10),
        lockTimeout: Duration = .seconds(5), schemaChangePatience: Duration = .seconds(60),
        idleInTransactionTimeout: Duration = .seconds(15), connectTimeout: Duration = .seconds(5),
        askLimit: Duration = .seconds(8), allowsSessionPooler: Bool = false
    ) {
        self.connections = max(1, connections)
        self.waitingTime = waitingTime
        self.statementTimeout = statementTimeout
        self.lockTimeout = lockTimeout
        self.schemaChangePatience = schemaChangePatience
        self.idleInTransactionTimeout = idleInTransactionTimeout
        self.connectTimeout = connectTimeout
        self.askLimit = askLimit
        self.allowsSessionPooler = allowsSessionPooler
    }
}
