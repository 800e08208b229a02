import AuthStore

/// Of several hosts, one at most may accept writes. After a failover, an old primary that runs again accepts them too, and loses them.
extension Connecting {
    /// Makes sure that no other host of the connection string accepts writes. Hosts that do not answer soon are passed over.
    /// - Parameters:
    ///   - connection: to the server that is to be used.
    ///   - key: of an advisory lock that a session at that server holds exclusively. Several hosts may lead to one server, for
    ///     example poolers, and then the lock is taken there as well. `nil` to take one for the time of the check.
    /// - Throws: ``StoreError`` with code `otherPrimary`.
    func requireNoOtherPrimary(besides connection: ServerConnection, key: Int64? = nil) throws {
        let others = string.targets.filter { $0.settings != connection.target.settings }
        guard !others.isEmpty else { return }
        let lock = key ?? Int64.random(in: .min ... .max)
        if key == nil { _ = try call("pg_try_advisory_lock", lock, on: connection) }
        defer { if key == nil { _ = try? call("pg_advisory_unlock", lock, on: connection) } }
        // What it learns of those hosts says nothing of the connections that are used.
        let probe = Connecting(string: string, options: options.probing)
        for target in others {
            guard let other = try? probe.established(target.answering(within: probe.options.connectTimeout)),
                (try? probe.call("pg_try_advisory_xact_lock_shared", lock, on: other)) == true
            else { continue }
            throw StoreError(
                .otherPrimary,
                "two servers accept writes, \(connection.target.name) and \(target.name): one of them is an old primary "
                    + "that runs again after a failover")
        }
    }

    private func call(_ function: String, _ key: Int64, on connection: ServerConnection) throws -> Bool {
        let row = try connection.row(
            "SELECT pg_catalog.\(function)($1) AS done", [.integer(key)], within: options.connectTimeout)
        return try row?.integer("done") == 1
    }
}

extension PostgreSQLOptions {
    /// For a host that is only asked what it is. One that is gone would otherwise delay every start and every command.
    fileprivate var probing: PostgreSQLOptions {
        var options = self
        options.connectTimeout = .seconds(2)
        options.statementTimeout = .seconds(1)
        return options
    }
}
