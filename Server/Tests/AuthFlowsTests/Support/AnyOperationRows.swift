import Consent
import Core
import Kernel
import Store

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

    func hasOpenPayments(of account: UniqueID, now: Timestamp, on connection: any SQLConnection) throws -> Bool {
        try rows.hasOpenPayments(of: account, now: now, on: connection)
    }
}
