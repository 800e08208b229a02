import ArgumentParser
import AuthCore
import AuthFlows
import OneLineText
import WalletAuthWire

/// Says what the proof of an operation says, and whether it holds.
struct AuditVerifyEvidence: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify-evidence",
        abstract: "Verify the proof of a payment consent, and say in words who agreed to what, when and how.",
        discussion: """
            FILE is what GET /v1/wallet-operations/{walletOperationId}/evidence answered. With --keys neither a server nor a \
            database is needed. Whose the document is, the keys say: it names the issuer that the operation was asked for \
            under, which may be a former one of the same server. Exits with 0 where the document holds, and with 1 where it \
            does not, with the reason.
            """)

    @Argument(help: "The document, as it came.", completion: .file())
    var file: String

    @Option(
        help:
            "The audit keys, as `walletauth audit key` printed them; this machine's server is asked where it is left out.",
        completion: .file())
    var keys: String?

    @Flag(help: "Print what the document says as it says it, one JSON document.")
    var json = false

    private static let longestKeys = 256 * 1024

    func run(in invocation: Invocation) async throws {
        let text = try Self.text(of: file, upTo: OperationEvidence.maximumBytes + 2)
        let trusted = try await trustedKeys(invocation)
        let claims: OperationEvidenceClaims
        do throws(EvidenceFault) {
            claims = try Self.document(text).verified(by: trusted) { try? RS256Verifier($0) }
        } catch {
            throw Refusal("the evidence in \(file) proves NOTHING: \(Self.anotherKind(text) ?? error.description)")
        }
        if json {
            try Terminal.say(JSONValue.object(claims.json).text)
        } else {
            // What a person or a backend called something may be anything.
            for line in EvidenceReport(claims).lines { try Terminal.say(line.escapedForOneLine) }
        }
    }

    /// What it is instead, where its header says so: an unknown key alone would send an auditor to look for keys.
    private static func anotherKind(_ text: String) -> String? {
        let line = text.hasSuffix("\n") ? String(text.dropLast()) : text
        guard let other = try? CompactJWS(line, maximumBytes: OperationEvidence.maximumBytes),
            other.header.type == JWSType.walletOperation
        else { return nil }
        return "it is an authentication code, which one of the server's published keys signs; the evidence has it in it"
    }

    private static func document(_ text: String) throws(EvidenceFault) -> OperationEvidence {
        do {
            // An editor, or a shell, may have ended the line.
            return try OperationEvidence(text.hasSuffix("\n") ? String(text.dropLast()) : text)
        } catch { throw .forged(.malformed) }
    }

    private static func text(of path: String, upTo limit: Int) throws(Refusal) -> String {
        do { return try ReadableFile.text(path, upTo: limit) } catch { throw Refusal("\(path) \(error.reason)") }
    }

    private func trustedKeys(_ invocation: Invocation) async throws -> JWKSet {
        let source: String
        let document: String
        if let keys {
            source = keys
            document = try Self.text(of: keys, upTo: Self.longestKeys)
        } else {
            source = "the server's answer"
            let configuration = try await ServerConfiguration.read(
                for: .administering, flags: invocation.flags, environment: invocation.environment)
            let channel = AdministrationChannel(configuration: configuration)
            try channel.requireDestination()
            let answer = try await channel.answer(to: .audit(.key))
            guard answer.status == .done else { throw Refusal(answer.lines.joined(separator: " ")) }
            document = answer.json
        }
        guard
            let object = try? JSONValue.object(
                parsing: Array(document.utf8), limits: JSONLimits(bytes: Self.longestKeys)),
            let set = try? JWKSet(object), !set.keys.isEmpty
        else { throw Refusal("\(source) has no audit keys: it has to be what `walletauth audit key` printed") }
        return set
    }
}
