internal import AuthCore
internal import AuthStore

/// Deactivating an account: by its failures, or by an operator.
struct AccountClosing: Sendable {
    let context: ServerContext

    /// Deactivates, ends every session, and tells the holder.
    /// - Returns: whether it was active.
    @discardableResult
    func deactivate(_ id: UniqueID, origin: RequestOrigin?, now: Timestamp) async throws -> Bool {
        let entry = try Journal(context: context).entry(
            .deactivated, account: id, origin: origin, now: now, message: .deactivated)
        return try await context.database.write { connection in
            guard try Accounts.deactivate(id, on: connection) else { return false }
            try Sessions.endAll(of: id, because: .accountClosed, now: now, on: connection)
            try BrowserSessions.endAll(of: id, on: connection)
            try entry.write(on: connection)
            return true
        }
    }
}
