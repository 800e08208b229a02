internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

/// What does not go on under another issuer.
///
/// A device signs for the issuer by its name, a passkey for its site, and the authentication code bears it: what began under one
/// issuer and ended under another would have a proof that contradicts itself.
struct FormerIssuer: Sendable {
    let context: ServerContext

    private static let name = "operations_issuer"

    /// Remembers, in the write that changes the issuer, under which one operations were asked for until now.
    ///
    /// Where nobody has served since the last change, that is the one before that change still.
    static func remember(_ former: String, on connection: any SQLConnection) throws {
        _ = try Meta.establish(name, as: former, on: connection)
    }

    /// Takes back what somebody could still agree to or carry out under a former issuer, a batch at a time, and records the
    /// present one last: a start that is interrupted begins again.
    ///
    /// Earlier versions changed the issuer without remembering the former one. So where none is remembered, and the audit log
    /// tells of a change, what is under way may be of another issuer: once, at the first start.
    ///
    /// Nothing happens to a database that belongs to another issuer than this start's: such a start is a mistake, and is refused.
    func voidItsOperations(now: Timestamp) async throws {
        let database = context.database
        let present = context.settings.issuer.rawValue
        let (former, own, wasChanged) = try await database.read { connection in
            let former = try Meta.value(Self.name, on: connection)
            let change =
                try former == nil
                ? SecurityEvents.newest(AuditLog.Event.issuerChanged.rawValue, until: now, on: connection) : nil
            return (former, try PinnedIssuer.value(on: connection), change != nil)
        }
        guard former != present, own == present else { return }
        if former != nil || wasChanged {
            let voided = OperationEvidenceClaims.Step.Kind.voided.rawValue
            while try await database.write({
                try WalletOperations.cancelBatch(200, step: voided, now: now, on: $0)
            }) > 0 {}
        }
        try await database.write { try Meta.set(Self.name, to: present, on: $0) }
    }
}
