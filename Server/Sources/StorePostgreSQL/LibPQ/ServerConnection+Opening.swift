import CLibPQ
import Core
import Foundation
import Store

extension ServerConnection {
    /// Connects to one server.
    /// - Parameter string: the connection string that names it.
    /// - Returns: a handle that the caller owns.
    static func connect(to target: ConnectionString.Target, of string: ConnectionString) throws -> OpaquePointer {
        let deadline = ContinuousClock.now + target.timeout
        let handle = try begin(target, until: deadline)
        var isConnected = false
        defer { if !isConnected { PQfinish(handle) } }
        // libpq would try them by itself: without a limit for each, and without a look at the others.
        let hosts = ["host", "hostaddr"].compactMap { setting($0, of: handle) }
        guard !hosts.contains(where: { $0.contains(",") }) else {
            throw StoreError(.unsuitable, "PGHOST, PGHOSTADDR or a service names several hosts: name them in the URL")
        }
        // The default prints to the error output.
        _ = PQsetNoticeReceiver(handle, { _, _ in }, nil)
        // Errors then name the SQLSTATE, which no setting translates.
        _ = PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
        var status = PQstatus(handle) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING
        while status != PGRES_POLLING_OK {
            guard status != PGRES_POLLING_FAILED else {
                throw refusal(string.withoutPassword(String(cString: PQerrorMessage(handle))), by: target)
            }
            let events = status == PGRES_POLLING_READING ? POLLIN : POLLOUT
            var descriptor = pollfd(fd: PQsocket(handle), events: Int16(events), revents: 0)
            // Also looks after the deadline: this process may have been the slow one.
            let wait = max(0, ContinuousClock.now.duration(to: deadline).wholeMilliseconds)
            let ready = poll(&descriptor, 1, CInt(clamping: wait))
            // A server that sends without end would be read forever.
            guard ready != 0, ContinuousClock.now < deadline + grace else {
                throw StoreError(.unavailable, "\(target.name) did not respond within \(target.timeout)")
            }
            if ready < 0, errno != EINTR { throw StoreError(.unavailable, "\(target.name): the wait failed") }
            status = PQconnectPoll(handle)
        }
        _ = PQsetErrorVerbosity(handle, PQERRORS_DEFAULT)
        isConnected = true
        return handle
    }

    private static func begin(
        _ target: ConnectionString.Target, until deadline: ContinuousClock.Instant
    ) throws -> OpaquePointer {
        let names = target.settings.keys.sorted()
        let values = names.map { target.settings[$0] ?? "" }
        let handle: OpaquePointer?
        if target.isAddress {
            handle = start(names, values)
        } else {
            let lookup = Lookup { start(names, values) }
            guard let found = lookup.result(until: deadline) else {
                throw StoreError(.unavailable, "\(target.name) was not found within \(target.timeout)")
            }
            handle = found
        }
        guard let handle else { throw StoreError(.unavailable, "no memory for a connection to \(target.name)") }
        return handle
    }

    /// Calls libpq with two arrays of C strings, each with a null at its end.
    private static func start(_ names: [String], _ values: [String]) -> OpaquePointer? {
        func withCStrings<Result>(
            _ strings: [String], _ body: ([UnsafePointer<CChar>?]) -> Result
        ) -> Result {
            let copies = strings.map { strdup($0) }
            defer { for copy in copies { free(copy) } }
            return body(copies.map { UnsafePointer($0) } + [nil])
        }
        return withCStrings(names) { names in withCStrings(values) { PQconnectStartParams(names, $0, 0) } }
    }

    /// The error of a server that did not let this program in, in one line.
    private static func refusal(_ message: String, by target: ConnectionString.Target) -> StoreError {
        if message.contains("session is read-only") || message.contains("hot standby mode") {
            return StoreError(.readOnly, "\(target.name) is a standby or read-only")
        }
        let refusal = ConnectionRefusal(message)
        return StoreError(refusal.code, refusal.reason(withoutTLS: target.settings["sslmode"] == "disable"))
    }
}
