import ArgumentParser
import Foundation
import WalletAuth
import WalletAuthWire

/// Where the code of a transaction comes from.
struct CodeSource: ParsableArguments {
    @Argument(help: "The text of the QR code, its link, or the id of a transaction that was scanned before.")
    var code: String?

    @Option(help: ArgumentHelp("Read the code from a picture (PNG, JPEG).", valueName: "file"))
    var picture: String?

    func validate() throws {
        guard (code == nil) != (picture == nil) else { throw ValidationError("give either a code or --picture FILE") }
    }

    /// Starts the flow of the code.
    func start(_ wallet: Wallet, account: AccountID?) async throws -> Flow {
        if let picture { return try wallet.flows.start(with: try await Self.text(in: picture), account: account) }
        guard let code else { throw ValidationError("give either a code or --picture FILE") }
        guard let id = try? TransactionID(code) else { return try wallet.flows.start(with: code, account: account) }
        guard let open = try await wallet.transactions.open().first(where: { $0.id == id }) else {
            throw Failure(
                code: "transaction_not_found", message: "this device has no open transaction \(id)",
                advice: "look at: wallet transactions list")
        }
        return try wallet.flows.start(with: open)
    }

    /// The text of the QR code in a picture, as `zbarimg` reads it.
    private static func text(in picture: String) async throws -> String {
        guard FileManager.default.isReadableFile(atPath: picture) else {
            throw Failure(
                code: "unreadable_file", message: "\(picture) cannot be read", advice: "name another with --picture")
        }
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["zbarimg", "--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", "--", picture]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        // `env` ends with 127 where there is no such program.
        guard process.terminationStatus != 127 else {
            throw Failure(
                code: "no_picture_reader", message: "zbarimg, which reads codes from pictures, is not installed",
                advice: "install it (Debian: zbar-tools), or give the text of the code")
        }
        let codes = String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline)
        guard let code = codes.first, codes.count == 1 else {
            throw Failure(
                code: "no_code", message: "\(picture) has \(codes.isEmpty ? "no QR code" : "more than one QR code")",
                advice: "take a sharper picture of one code alone")
        }
        return String(code)
    }
}
