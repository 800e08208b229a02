/// The numbers of an engine that reaches its database through connections. Totals count from the opening.
package struct ConnectionMetrics: Sendable, Hashable {
    /// The connections that work. One that was lost counts until a call needs it.
    package var connected = 0
    /// Those of them whose call has waited for the server for more than a second: behind a lock, a missing standby or a stalled disk.
    package var stalled = 0
    /// The connections that the settings ask for.
    package var configured = 0
    /// Why the last attempt to connect failed; `nil` if it succeeded.
    package var failure: StoreError?
    /// The calls that wait for a connection.
    package var waiting = 0
    /// Bodies that ran again, because another write had come first.
    package var repeatedWrites = 0
    package var lostConnections = 0
    /// Writes that may have been committed or not.
    package var unknownOutcomes = 0
    /// Calls that were refused after waiting too long for a connection.
    package var expiredCalls = 0

    package init() {}
}
