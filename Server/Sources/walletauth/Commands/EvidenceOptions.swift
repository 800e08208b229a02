import ArgumentParser
import Operations
import Programs
import WalletAuthWire

/// A signed document, and the keys to verify it with.
struct EvidenceOptions: ParsableArguments {
    @Argument(help: "The document, unchanged.", completion: .file())
    var file: String

    @Option(
        help: ArgumentHelp(
            "The audit keys, as `walletauth audit key` printed them; if omitted, they come from this machine's server.",
            valueName: "file"),
        completion: .file())
    var keys: String?

    @Flag(help: "Print the content of the document as one JSON document.")
    var json = false

    private static let longestKeys = 256 * 1024

    /// The document, without one line feed at the end, which editors and shells may add. Anything else after it, such as
    /// the CR LF of a mail program, means that the file was not kept as it came, and every verifier refuses it.
    /// - Parameter limit: the most bytes of a document.
    func document(upTo limit: Int) throws(Refusal) -> String {
        let text = try Self.text(of: file, upTo: limit + 1)
        guard text.utf8.last == UInt8(ascii: "\n") else { return text }
        return String(decoding: text.utf8.dropLast(), as: UTF8.self)
    }

    /// The audit keys in the option, or those of this machine's server.
    func trustedKeys(_ invocation: Invocation) async throws -> JWKSet {
        let source: String
        let document: String
        if let keys {
            source = keys
            document = try Self.text(of: keys, upTo: Self.longestKeys)
        } else {
            source = "the server's response"
            let configuration = try await ServerConfiguration.read(
                for: .administering, flags: invocation.flags, environment: invocation.environment)
            let channel = AdministrationChannel(configuration: configuration)
            try channel.requireDestination()
            let answer = try await channel.answer(to: ["audit", "key"])
            guard answer.status == .done else { throw Refusal(answer) }
            document = answer.json
        }
        guard
            let object = try? JSONValue.object(
                parsing: Array(document.utf8), limits: JSONLimits(bytes: Self.longestKeys)),
            let set = try? JWKSet(object), !set.keys.isEmpty
        else { throw Refusal("\(source) has no audit keys: it must be the output of `walletauth audit key`") }
        return set
    }

    private static func text(of path: String, upTo limit: Int) throws(Refusal) -> String {
        do {
            return try ReadableFile.text(path, upTo: limit)
        } catch {
            throw Refusal("\(path) \(error.reason)", hint: error.remedy, code: "unreadable_file")
        }
    }
}

extension JSONObject {
    /// JSON for a terminal. Devices and backends put text into a document, so characters that could reverse the text
    /// direction are escaped.
    var terminalText: String { JSONValue.object(self).text.jsonEscapedForTerminal }
}
