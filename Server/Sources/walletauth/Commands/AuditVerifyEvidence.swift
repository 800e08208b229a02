import ArgumentParser
import AuthCore
import OneLineText
import WalletAuthWire

/// Verifies the evidence of an operation and prints its content.
struct AuditVerifyEvidence: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify-evidence",
        abstract: "Verify the proof of a payment consent, and say in words who agreed to what, when and how.",
        discussion: """
            FILE is the response to GET /v1/wallet-operations/{walletOperationId}/evidence. With --keys, neither a \
            server nor a database is needed. The keys show whose document it is: the issuer that it names may be a \
            former one of the same server. Exits with 0 if the document is valid and with 1 if it is not, with the \
            reason.
            """)

    @OptionGroup var evidence: EvidenceOptions

    func run(in invocation: Invocation) async throws {
        let text = try evidence.document(upTo: OperationEvidence.maximumBytes)
        let trusted = try await evidence.trustedKeys(invocation)
        let claims: OperationEvidenceClaims
        do throws(EvidenceFault) {
            claims = try Self.document(text).verified(by: trusted) { try? RS256Verifier($0) }
        } catch {
            throw Refusal(
                "the evidence in \(evidence.file) proves NOTHING: \(Self.anotherKind(text) ?? error.description)")
        }
        if evidence.json {
            try Terminal.say(claims.json.terminalText)
        } else {
            // People and backends choose the names in it, so they may contain anything.
            for line in EvidenceReport(claims).lines { try Terminal.say(line.escapedForOneLine) }
        }
    }

    /// The kind of document, if its header names one. Reporting only an unknown key would send an auditor searching for
    /// keys.
    private static func anotherKind(_ text: String) -> String? {
        guard let other = try? CompactJWS(text, maximumBytes: OperationEvidence.maximumBytes),
            other.header.type == JWSType.walletOperation
        else { return nil }
        return "it is an authentication code, which a published key of the server signs; the evidence contains it"
    }

    private static func document(_ text: String) throws(EvidenceFault) -> OperationEvidence {
        do {
            return try OperationEvidence(text)
        } catch { throw .forged(.malformed) }
    }
}
