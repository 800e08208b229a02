import ArgumentParser
import Foundation
import WalletAuthVerifier
import WalletAuthWire

/// The proof of a transfer.
struct Evidence: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print what proves that a transfer was authorized.",
        discussion: """
            By default the authorization server's record of it, to the byte, as `walletauth audit verify-evidence` takes \
            it. With --code the authentication code that the ledger keeps with the transfer: a JWS that anybody verifies \
            by the server's published keys.
            """)

    @OptionGroup var server: ServerOptions
    @OptionGroup var money: LedgerOptions

    @Argument(help: ArgumentHelp("The transfer's id.", valueName: "transfer"))
    var transfer: String

    @Flag(help: "Print the authentication code from the ledger, and ask nobody.")
    var code = false

    func run() async throws {
        let ledger = try money.ledger()
        let bytes: [UInt8]
        if code {
            guard let proof = try await ledger.proof(ofTransfer: transfer) else { throw unknown }
            bytes = Array((proof.rawValue + "\n").utf8)
        } else {
            guard let operation = try await ledger.operation(ofTransfer: transfer) else { throw unknown }
            let operations = try server.operations()
            do { bytes = try await operations.evidence(of: operation).bytes } catch {
                throw Unusable(reason: "the authorization server gave no evidence: \(error.reason)")
            }
        }
        FileHandle.standardOutput.write(Data(bytes))
    }

    private var unknown: Unusable {
        Unusable(
            reason:
                "no transfer \(transfer) was authorized in \(money.database); check the id and --database")
    }
}

/// Whether the books are in order.
struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Check the books: every balance is the sum of its entries, and all of them together are nothing."
    )

    @OptionGroup var money: LedgerOptions

    func run() async throws {
        guard try await money.ledger().isInOrder() else {
            throw Unusable(
                reason:
                    "the books of \(money.database) are not in order: restore a backup, and find out why")
        }
        print("The books of \(money.database) are in order.")
    }
}
