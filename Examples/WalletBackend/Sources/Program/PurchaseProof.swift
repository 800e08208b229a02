import ArgumentParser
import Foundation
import WalletAuthVerifier
import WalletAuthWire

/// The shop's purchases, for the operator.
struct PurchaseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "purchase", abstract: "Inspect the shop's purchases.", subcommands: [PurchaseProof.self])
}

/// The evidence of a purchase. It contains personal data of the person who signed, so the purchase's page shows a
/// receipt instead.
struct PurchaseProof: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "proof",
        abstract: "Print the proof that a purchase was signed.",
        discussion: """
            This is the proof in the ledger, verified again with the server's audit keys and compared with the order. \
            It contains the account, the device and its network addresses, so be careful whom you share it with. \
            `walletauth transaction verify` shows its content in words.
            """)

    @OptionGroup var money: LedgerOptions

    @Argument(help: ArgumentHelp("The order number on the receipt.", valueName: "number"))
    var number: String

    @Option(
        help: ArgumentHelp("The server's audit keys, the output of `walletauth audit key`.", valueName: "file"))
    var auditKeys: String

    func run() async throws {
        let keys = try Evidence.keys(in: auditKeys)
        let purchase = try await money.ledger().purchase(numbered: number)
        let kept: TransactionEvidence?
        do { kept = try purchase?.proof(verifiedBy: keys) } catch {
            throw Unusable(
                reason: "the proof stored with the order \(number) does not verify (\(error)); check \(auditKeys)")
        }
        guard let proof = kept else {
            throw Unusable(
                reason: "no order \(number) was paid in \(money.database); check the number and --database")
        }
        FileHandle.standardOutput.write(Data((proof.rawValue + "\n").utf8))
    }
}

extension Purchase {
    /// The proof of the signature, verified again and compared with the request; nil unless the purchase is paid.
    ///
    /// - Parameter keys: the server's audit keys.
    func proof(verifiedBy keys: JWKSet) throws -> TransactionEvidence? {
        guard case .paid(let id, let proof, at: _) = state else { return nil }
        let claims = try proof.verified(by: keys)
        // Client and server were compared with the shop's own when the ledger accepted the proof.
        try claims.requireSigned(request, transactionID: id, clientID: claims.clientID, issuer: claims.issuer)
        return proof
    }
}
