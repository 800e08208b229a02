import ArgumentParser
import Foundation
import WalletAuthVerifier
import WalletAuthWire

/// The shop's purchases, for the operator.
struct PurchaseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "purchase", abstract: "Look at the shop's purchases.", subcommands: [PurchaseProof.self])
}

/// The proof of a purchase. It is personal data of the person who signed: the purchase's page shows a receipt instead.
struct PurchaseProof: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "proof",
        abstract: "Print the proof that a purchase was signed.",
        discussion: """
            The proof that the ledger keeps, verified once more by the server's audit keys and held against the order. \
            It names the account, the device and its network addresses, so pass it on with care. `walletauth \
            transaction verify` says in words what is in it.
            """)

    @OptionGroup var money: LedgerOptions

    @Argument(help: ArgumentHelp("The order's number, as its receipt shows it.", valueName: "number"))
    var number: String

    @Option(
        help: ArgumentHelp("The server's audit keys, as `walletauth audit key` printed them.", valueName: "file"))
    var auditKeys: String

    func run() async throws {
        let keys = try Evidence.keys(in: auditKeys)
        let purchase = try await money.ledger().purchase(numbered: number)
        let kept: TransactionEvidence?
        do { kept = try purchase?.proof(verifiedBy: keys) } catch {
            throw Unusable(
                reason: "the proof kept with the order \(number) does not verify (\(error)); check \(auditKeys)")
        }
        guard let proof = kept else {
            throw Unusable(
                reason: "no order \(number) was paid in \(money.database); check the number and --database")
        }
        FileHandle.standardOutput.write(Data((proof.rawValue + "\n").utf8))
    }
}

extension Purchase {
    /// The proof of the signature, verified once more and held against the request; nil unless the purchase is paid.
    /// - Parameter keys: the server's audit keys.
    func proof(verifiedBy keys: JWKSet) throws -> TransactionEvidence? {
        guard case .paid(let id, let proof, at: _) = state else { return nil }
        let claims = try proof.verified(by: keys)
        // The ledger took no proof of another client's or server's: those two were held against the shop's own at that time.
        try claims.requireSigned(request, transactionID: id, clientID: claims.clientID, issuer: claims.issuer)
        return proof
    }
}
