import ArgumentParser
import WalletAuth
import WalletAuthWire

/// Where the code of a transaction comes from.
struct CodeSource: ParsableArguments {
    @Argument(help: "The text of the QR code, its link, or the id of a transaction that was scanned before.")
    var code: String?

    @Option(help: ArgumentHelp("Read the code from a picture: PNG or JPEG, at most 16 MiB.", valueName: "file"))
    var picture: String?

    func validate() throws {
        guard (code == nil) != (picture == nil) else { throw ValidationError("give either a code or --picture FILE") }
    }

    /// Starts the flow of the code.
    func start(_ wallet: Wallet, account: AccountID?) async throws -> Flow {
        if let picture {
            return try wallet.flows.start(with: try await CodePicture(path: picture).text(), account: account)
        }
        guard let code else { throw ValidationError("give either a code or --picture FILE") }
        guard let id = try? TransactionID(code) else { return try wallet.flows.start(with: code, account: account) }
        guard let open = try await wallet.transactions.open().first(where: { $0.id == id }) else {
            throw Failure(
                code: "transaction_not_found", message: "this device has no open transaction \(id)",
                advice: "look at: wallet transactions list")
        }
        return try wallet.flows.start(with: open)
    }
}
