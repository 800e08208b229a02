import ArgumentParser
import Foundation
import WalletAuthVerifier
import WalletAuthWire

/// The evidence of a transfer.
struct Evidence: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the evidence that a transfer was authorized.",
        discussion: """
            By default this is the authorization server's document, byte for byte, verified with its audit keys: \
            `walletauth audit verify-evidence` shows its content in words. With --code it is the authentication code that \
            the ledger keeps with the transfer: a JWS that the server's published keys verify.
            """)

    @OptionGroup var server: ServerOptions
    @OptionGroup var money: LedgerOptions

    @Argument(help: ArgumentHelp("The transfer's id.", valueName: "transfer"))
    var transfer: String

    @Option(
        help: ArgumentHelp("The server's audit keys, the output of `walletauth audit key`.", valueName: "file"))
    var auditKeys: String?

    @Flag(help: "Print the authentication code from the ledger, without asking the server.")
    var code = false

    func run() async throws {
        // Not in `validate`, which would print the usage for this error instead of one line.
        guard code == (auditKeys == nil) else {
            throw Unusable(
                reason: "use either --audit-keys FILE, with the output of `walletauth audit key`, or --code")
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
                throw Unusable(reason: "the authorization server returned no evidence: \(error.reason)")
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
        else {
            throw Unusable(reason: "\(file) has no audit keys: it must contain the output of `walletauth audit key`")
        }
        return set
    }

    private var unknown: Unusable {
        Unusable(
            reason:
                "no transfer \(transfer) was authorized in \(money.database); check the id and --database")
    }
}

/// Whether the books balance.
struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Check the books: every balance is the sum of its entries, and their total is zero."
    )

    @OptionGroup var money: LedgerOptions

    func run() async throws {
        // Fail if the file is missing: a mistyped path must not look like a check that passed.
        guard FileManager.default.fileExists(atPath: money.database) else {
            throw Unusable(reason: "there are no books at \(money.database); check --database")
        }
        guard try await money.ledger().isInOrder() else {
            throw Unusable(
                reason:
                    "the books of \(money.database) do not balance: restore a backup, and find out why")
        }
        print("The books of \(money.database) balance.")
    }
}
