import ArgumentParser
import Foundation
import WalletAuthVerifier
import WalletAuthWire

/// The proof of a transfer.
struct Evidence: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print what proves that a transfer was authorized.",
        discussion: """
            By default the authorization server's record of it, verified by its audit keys, to the byte: `walletauth audit \
            verify-evidence` says in words what is in it. With --code the authentication code that the ledger keeps with the \
            transfer: a JWS that anybody verifies by the server's published keys.
            """)

    @OptionGroup var server: ServerOptions
    @OptionGroup var money: LedgerOptions

    @Argument(help: ArgumentHelp("The transfer's id.", valueName: "transfer"))
    var transfer: String

    @Option(
        help: ArgumentHelp("The server's audit keys, as `walletauth audit key` printed them.", valueName: "file"))
    var auditKeys: String?

    @Flag(help: "Print the authentication code from the ledger, and ask nobody.")
    var code = false

    func run() async throws {
        // Not in `validate`, which would answer with a page of usage where everything else is one line.
        guard code == (auditKeys == nil) else {
            throw Unusable(
                reason: "give either --audit-keys FILE, of what `walletauth audit key` printed, or --code")
        }
        let ledger = try money.ledger()
        let text: String
        if let auditKeys {
            guard let operation = try await ledger.operation(ofTransfer: transfer) else { throw unknown }
            let keys = try Self.keys(in: auditKeys)
            let operations = try server.operations()
            do {
                text = try await operations.evidence(of: operation, verifiedBy: keys).document.rawValue
            } catch {
                throw Unusable(reason: "the authorization server gave no evidence: \(error.reason)")
            }
        } else {
            guard let proof = try await ledger.proof(ofTransfer: transfer) else { throw unknown }
            text = proof.rawValue
        }
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }

    static func keys(in file: String) throws -> JWKSet {
        guard let data = FileManager.default.contents(atPath: file),
            let set = try? JWKSet(JSONValue.object(parsing: Array(data), limits: JSONLimits(bytes: 1 << 18)))
        else { throw Unusable(reason: "\(file) has no audit keys: it has to be what `walletauth audit key` printed") }
        return set
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
        // Books that are not there are in no order: a mistyped path must not read as a check that was passed.
        guard FileManager.default.fileExists(atPath: money.database) else {
            throw Unusable(reason: "there are no books at \(money.database); check --database")
        }
        guard try await money.ledger().isInOrder() else {
            throw Unusable(
                reason:
                    "the books of \(money.database) are not in order: restore a backup, and find out why")
        }
        print("The books of \(money.database) are in order.")
    }
}
