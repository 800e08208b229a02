import ArgumentParser
import Foundation
import WalletAuth
import WalletAuthWire

/// The source of a transaction's code.
struct CodeSource: ParsableArguments {
    @Argument(help: "The QR code's text, its link, or the id of a transaction that you scanned earlier.")
    var code: String?

    @Option(help: ArgumentHelp("Read the code from a picture: PNG or JPEG, at most 16 MiB.", valueName: "file"))
    var picture: String?

    func validate() throws {
        guard (code == nil) != (picture == nil) else { throw ValidationError("give either a code or --picture FILE") }
    }

    /// Starts the flow for the code.
    /// - Parameter account: the signing account; nil for the account of an open transaction, or the person's choice.
    /// - Throws: ``Failure`` if an open transaction belongs to another account.
    func start(_ wallet: Wallet, account: AccountID?) async throws -> Flow {
        if let picture {
            return try wallet.flows.start(with: try await CodePicture(path: picture).text(), account: account)
        }
        guard let code else { throw ValidationError("give either a code or --picture FILE") }
        // On the wire an identifier can be any word. The server's are UUIDs, and a list of open transactions needs a
        // session.
        guard UUID(uuidString: code) != nil, let id = try? TransactionID(code.lowercased()) else {
            return try wallet.flows.start(with: code, account: account)
        }
        guard let open = try await wallet.transactions.open().first(where: { $0.id == id }) else {
            throw Failure(
                code: "transaction_not_found", message: "this device has no open transaction \(id)",
                advice: "see: wallet transactions list")
        }
        guard account == nil || open.details.account == account else {
            throw Failure(
                code: "wrong_account", message: "the transaction \(id) is not for the account given with --account",
                advice: "omit --account, or ask for a new code")
        }
        return try wallet.flows.start(with: open)
    }
}
