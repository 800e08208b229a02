internal import Consent
internal import Core
internal import Store
internal import WalletAuthWire

/// Cancels operations that must not continue under another issuer.
///
/// A device signs for the issuer by name, a passkey for its site, and the authentication code contains it. An operation that
/// began under one issuer and ended under another would have contradictory evidence.
struct FormerIssuer: Sendable {
    let database: any Database
    let issuer: Issuer

    private static let name = "operations_issuer"

    /// Remembers the issuer of the operations requested so far, in the write that changes it.
    ///
    /// If no server ran since the last change, the issuer before that change remains.
    static func remember(_ former: String, on connection: any SQLConnection) throws {
        _ = try Meta.establish(name, as: former, on: connection)
    }

    /// Cancels operations that could still be agreed to or carried out under a former issuer, in batches. The present issuer is
    /// recorded last, so an interrupted start begins again.
    ///
    /// Does nothing to a database of another issuer: such a start is a mistake and will be refused.
    func voidItsOperations(now: Timestamp) async throws {
        let present = issuer.rawValue
        let (former, own) = try await database.read { connection in
            (try Meta.value(Self.name, on: connection), try PinnedIssuer.value(on: connection))
        }
        guard former != present, own == present else { return }
        if former != nil {
            let voided = OperationEvidenceClaims.Step.Kind.voided.rawValue
            while try await database.write({ connection in
                // Another process that started at the same moment may be done, and serve operations of the present issuer.
                guard try Meta.value(Self.name, on: connection) == former else { return 0 }
                return try WalletOperations.cancelBatch(200, step: voided, now: now, on: connection)
            }) > 0 {}
        }
        try await database.write { try Meta.set(Self.name, to: present, on: $0) }
    }
}
