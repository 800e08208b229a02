import AuthStore

/// Of several hosts, one at most may accept writes. After a failover, an old primary that runs again accepts them too, and loses them.
extension Connecting {
    /// How long another host may take to connect. One that is gone would otherwise delay every start and every command.
    private static let patience = Duration.seconds(2)

    /// Makes sure that no other host of the connection string accepts writes. Hosts that do not answer soon are passed over.
    /// - Parameters:
    ///   - connection: to the server that is to be used.
    ///   - name: the host of that server.
    ///   - key: of an advisory lock that a session at that server holds exclusively. Several hosts may lead to one server, for
    ///     example poolers, and then the lock is taken there as well. `nil` to take one for the time of the check.
    /// - Throws: ``StoreError`` with code `otherPrimary`.
    func requireNoOtherPrimary(besides connection: ServerConnection, at name: String, key: Int64? = nil) throws {
        guard string.targets.count > 1 else { return }
        let lock = key ?? Int64.random(in: .min ... .max)
        if key == nil { _ = try call("pg_try_advisory_lock", lock, on: connection) }
        defer { if key == nil { _ = try? call("pg_advisory_unlock", lock, on: connection) } }
        for target in string.targets where target.name != name {
            guard let other = try? established(target.answering(within: Self.patience)),
                (try? call("pg_try_advisory_xact_lock_shared", lock, on: other)) == true
            else { continue }
            throw StoreError(
                .otherPrimary,
                "two servers accept writes, \(name) and \(target.name): one of them is an old primary that runs again after a "
                    + "failover")
        }
    }

    private func call(_ function: String, _ key: Int64, on connection: ServerConnection) throws -> Bool {
        let row = try connection.row(
            "SELECT pg_catalog.\(function)($1) AS done", [.integer(key)], within: options.connectTimeout)
        return try row?.integer("done") == 1
    }
}
