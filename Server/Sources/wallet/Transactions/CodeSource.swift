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
        guard (code == nil) != (picture == nil) else { throw ValidationError("use either a code or --picture FILE") }
    }

    /// Starts the flow for the code.
    /// - Parameter account: the signing account; nil for the account of an open transaction, or the person's choice.
    /// - Returns: the flow, and the transaction, as far as the code names one.
    /// - Throws: ``Failure`` if an open transaction belongs to another account.
    func start(_ wallet: Wallet, account: AccountID?) async throws -> (flow: Flow, id: TransactionID?) {
        func start(_ text: String) throws -> (Flow, TransactionID?) {
            (try wallet.flows.start(with: text, account: account), (try? TransactionLink(text))?.transactionID)
        }
        if let picture { return try start(try await CodePicture(path: picture).text()) }
        guard let code else { throw ValidationError("use either a code or --picture FILE") }
        // On the wire an identifier can be any word. The server's are UUIDs, and a list of open transactions needs a
        // session.
        guard UUID(uuidString: code) != nil, let id = try? TransactionID(code.lowercased()) else {
            return try start(code)
        }
        guard let open = try await wallet.transactions.open().first(where: { $0.id == id }) else {
            throw Failure(
                code: "transaction_not_found", message: "this device has no open transaction \(id)",
                advice: "see: wallet transactions list")
        }
        guard account == nil || open.details.account == account else {
            throw Failure(
                code: "wrong_account", message: "the transaction \(id) is not for the account specified with --account",
                advice: "omit --account, or ask for a new code")
        }
        return (try wallet.flows.start(with: open), id)
    }
}

/// A picture of a QR code, read by `zbarimg`.
///
/// `zbarimg` uses ImageMagick, which guesses the format from name and content. Some of its formats read other files,
/// fetch URLs or run programs. This type therefore checks the format itself, names it explicitly, and passes the
/// picture without its name.
struct CodePicture: Sendable {
    /// The largest file in bytes: enough for a photo or a full screenshot.
    static let maximumBytes: UInt64 = 16 << 20

    let path: String
    /// The program and its arguments, without the picture.
    var reader = ["zbarimg", "--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", "--"]
    /// The time limit of the program.
    var limit: Duration = .seconds(10)

    /// The accepted formats, by ImageMagick's names.
    private enum Format: String, CaseIterable {
        case png
        case jpeg

        /// The first bytes of a file of the format.
        var signature: [UInt8] {
            switch self {
            case .png: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            case .jpeg: [0xFF, 0xD8, 0xFF]
            }
        }
    }

    /// The text of the only QR code in the picture.
    /// - Throws: ``Failure``.
    func text() async throws -> String {
        let (file, format) = try open()
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = reader + ["\(format.rawValue):-"]
        process.standardInput = file
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        let (endings, source) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { source.yield($0.terminationStatus) }
        try process.run()
        let identifier = process.processIdentifier
        let deadline = Task { [limit] in
            try await Task.sleep(for: limit)
            source.finish()
            kill(identifier, SIGKILL)
        }
        defer { deadline.cancel() }
        var iterator = endings.makeAsyncIterator()
        guard let status = await iterator.next() else {
            throw Failure(
                code: "picture_timeout",
                message: "no code was found in \(path) within \(limit.components.seconds) seconds",
                advice: "crop the picture to the code, or use its text")
        }
        // `env` exits with 127 if the program does not exist.
        guard status != 127 else {
            throw Failure(
                code: "no_picture_reader", message: "zbarimg, which reads codes from pictures, is not installed",
                advice: "install it (Debian: zbar-tools), or use the code's text")
        }
        // The program has ended, so its output is in the pipe: a code is far smaller than a pipe's capacity.
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        let codes = String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline)
        guard let code = codes.first, codes.count == 1 else {
            throw Failure(
                code: "no_code", message: "\(path) has \(codes.isEmpty ? "no QR code" : "more than one QR code")",
                advice: "take a sharper picture of just one code")
        }
        return String(code)
    }

    /// Opens the file, and detects its format by the first bytes.
    private func open() throws -> (file: FileHandle, format: Format) {
        // Opening a pipe would block until its other end opens.
        let target = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
        let kind = try? FileManager.default.attributesOfItem(atPath: target)[.type] as? FileAttributeType
        guard kind == .typeRegular, let file = FileHandle(forReadingAtPath: target), let size = try? file.seekToEnd()
        else {
            throw Failure(
                code: "unreadable_file", message: "\(path) cannot be read", advice: "use another file with --picture")
        }
        guard size <= Self.maximumBytes else {
            throw Failure(
                code: "picture_too_large", message: "\(path) is larger than \(Self.maximumBytes >> 20) MiB",
                advice: "crop the picture to the code")
        }
        try file.seek(toOffset: 0)
        let start = try file.read(upToCount: 8) ?? Data()
        guard let format = Format.allCases.first(where: { start.starts(with: $0.signature) }) else {
            throw Failure(
                code: "unknown_picture", message: "\(path) is neither a PNG nor a JPEG", advice: "save it as PNG")
        }
        try file.seek(toOffset: 0)
        return (file, format)
    }
}
