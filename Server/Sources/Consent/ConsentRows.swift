package import Core
package import Kernel
internal import SignIn
package import Store
package import WalletAuthWire

/// Operations, whose consent a push may ask for. What was sent to an old address or number proves no consent.
package struct ConsentRows: DependentRows {
    package init() {}

    package func emailChanged(of account: UniqueID, on connection: any SQLConnection) throws {
        try WalletOperations.voidCodes(of: account, sentBy: .email, on: connection)
    }

    package func phoneChanged(
        of account: UniqueID, to digest: [UInt8]?, found digests: [[UInt8]], on connection: any SQLConnection
    ) throws -> [UniqueID] {
        try WalletOperations.voidCodes(of: account, sentBy: .sms, on: connection)
        return []
    }

    package func openPayments(
        of account: UniqueID, sealing: SealingKeys, limit: Int, now: Timestamp, on connection: any SQLConnection
    ) throws -> [OpenPayment] {
        try WalletOperations.open(of: account, limit: limit, now: now, on: connection).map { record in
            // One whose row is damaged keeps the account open as well.
            let operation = (try? OperationVault(sealing).open(record))?.payload.operation
            return OpenPayment(
                kind: .operation, id: try TransactionID(record.id.uuid), payee: operation?.payee?.name,
                amount: operation?.amount, begunAt: NumericDate(clamping: record.createdAt.seconds),
                expiresAt: NumericDate(clamping: record.event.expiresAt.seconds))
        }
    }

    package func payment(
        _ details: JSONObject, of account: UniqueID, in language: Language, sealing: SealingKeys,
        on connection: any SQLConnection
    ) throws -> String? {
        guard let id = details["event_id"]?.string.flatMap(UniqueID.init(uuid:)),
            let record = try WalletOperations.find(event: id, on: connection), record.accountID == account,
            let operation = (try? OperationVault(sealing).open(record))?.payload.operation,
            // An amount would pass the others for a payment.
            ConsentText.heading(asking: operation) == .paymentHeading
        else { return nil }
        return PaymentLine.text(operation.amount, to: operation.payee, in: language)
    }

    package func waits(
        _ kind: String, _ id: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool? {
        guard kind == ApprovalSubject.Kind.operation.rawValue else { return nil }
        guard let operation = try WalletOperations.find(event: id, on: connection) else { return false }
        guard case .pending = operation.event.status(at: now), case .challenged(let challenge) = operation.event.state
        else { return false }
        // Once another way is challenged, the device lists it no longer.
        return challenge.verification == .push
    }
}
