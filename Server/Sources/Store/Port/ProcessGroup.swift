/// The processes that use one database, as an engine for several of them offers it.
///
/// What a process remembers between requests is a copy of rows. A notice tells the others that their copy is out of
/// date. It may get lost, so a copy also expires by time: within a minute, a change applies in every process.
package protocol ProcessGroup: Sendable {
    /// This process's, with its machine and its number. No other process has the same.
    var name: String { get }

    /// Sends a notice to the other processes. Call this after the commit. It neither waits nor fails.
    func announce(_ notice: ChangeNotice)

    /// The notices of other processes from now on. The stream ends when the database is closed.
    ///
    /// After a lost connection it yields ``ChangeNotice/everything``, because notices may have been missed.
    func notices() -> AsyncStream<ChangeNotice>

    /// Whether this process does the periodic work that one process does for all, such as the sweep.
    ///
    /// One process leads at a time. When it ends or loses its connection, the next one to ask takes its place.
    func leads() async -> Bool

    /// Whether no other process has opened the database.
    func isAlone() async throws -> Bool
}

/// What a process has changed.
package enum ChangeNotice: Sendable, Hashable {
    /// A row that others may wait for: a transaction, a device, an account.
    case row(UniqueID)
    /// A registered client.
    case client(String)
    /// Data keys or signing keys.
    case keys
    /// An identity provider's settings.
    case provider
    /// The outbox has a new message.
    case outbox
    /// Anything.
    case everything
}
