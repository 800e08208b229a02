import Consent
import Core
import Kernel
import Store
import WalletAuthWire

/// The rows of operations, except that any operation waits for its approval: tests of pushes make none.
struct AnyOperationRows: DependentRows {
    private let rows = ConsentRows()

    func emailChanged(of account: UniqueID, on connection: any SQLConnection) throws {
        try rows.emailChanged(of: account, on: connection)
    }

    func phoneChanged(
        of account: UniqueID, to digest: [UInt8]?, found digests: [[UInt8]], on connection: any SQLConnection
    ) throws -> [UniqueID] {
        try rows.phoneChanged(of: account, to: digest, found: digests, on: connection)
    }

    func openPayments(
        of account: UniqueID, sealing: SealingKeys, limit: Int, now: Timestamp, on connection: any SQLConnection
    ) throws -> [OpenPayment] {
        try rows.openPayments(of: account, sealing: sealing, limit: limit, now: now, on: connection)
    }
}
