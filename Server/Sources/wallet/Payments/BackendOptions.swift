import ArgumentParser
import Foundation

/// The wallet's backend, which holds the money. It is not the server that signs people in.
struct BackendOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The wallet's backend (or WALLET_BACKEND). Remembered.", valueName: "url"))
    var backend: String?

    @Flag(
        name: .customLong("send-token"),
        help: ArgumentHelp(
            """
            Send the backend a token that any server could use, although another server issued it. Remembered for one issuer \
            at a time.
            """))
    var sendToken = false

    /// The backend: from the option, the environment, or the remembered profile.
    /// - Throws: ``Failure`` if there is none, or if a token must not be sent to it.
    func url(rememberedIn folder: URL) throws -> URL {
        let environment = ProcessInfo.processInfo.environment["WALLET_BACKEND"].flatMap { $0.isEmpty ? nil : $0 }
        guard let text = try backend ?? environment ?? Self.remembered(in: folder) else {
            throw Failure(
                code: "no_backend", message: "the wallet's backend is not known yet",
                advice: "use --backend URL, which is remembered, or set the variable WALLET_BACKEND")
        }
        guard let url = URL(string: text), let scheme = url.scheme?.lowercased(),
            scheme == "https" || scheme == "http", url.host(percentEncoded: true)?.isEmpty == false
        else {
            throw Failure(
                code: "invalid_configuration", message: "\"\(text)\" is not a URL",
                advice: "use --backend with a full URL, such as https://wallet.example.com")
        }
        guard scheme == "https" || url.isOnThisMachine else {
            throw Failure(
                code: "invalid_configuration",
                message: "\(text) is plain http, so anyone on the network could steal the token",
                advice: "use https; plain http is only for a server on this machine")
        }
        return url
    }

    /// Remembers a backend that an option names, once a token may be sent to it.
    func remember(in folder: URL) throws {
        if let backend { try Self.saved(in: folder).write(Data((backend + "\n").utf8)) }
    }

    private static func remembered(in folder: URL) throws -> String? {
        try saved(in: folder).read { data in
            guard let text = String(data: data, encoding: .utf8) else { throw CocoaError(.fileReadCorruptFile) }
            return text.trimmingCharacters(in: .whitespacesAndNewlines)
        }
    }

    /// A separate file, because a sign-in replaces the profile.
    private static func saved(in folder: URL) -> SavedFile {
        SavedFile(folder: folder, name: "backend", recovery: "set the backend again with --backend")
    }
}
