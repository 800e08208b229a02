import ArgumentParser
import OneLineText
import WalletAuthWire

/// Transactions that people sign.
struct TransactionCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transaction", abstract: "Transactions that people sign on their phones.",
        discussion: LocatingSettings.discussion, subcommands: [TransactionVerify.self])
}

/// Says what the proof of a transaction says, and whether it holds.
struct TransactionVerify: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verify the proof of a transaction, and say in words what was signed, by whom and when.",
        discussion: """
            FILE is what GET /v1/transactions/{transactionId}/evidence answered. With --keys neither a server nor a database \
            is needed. Exits with 0 where the document holds, and with 1 where it does not, with the reason.
            """)

    @OptionGroup var evidence: EvidenceOptions

    func run(in invocation: Invocation) async throws {
        let text = try evidence.document(upTo: TransactionEvidence.maximumBytes)
        let trusted = try await evidence.trustedKeys(invocation)
        let claims: TransactionEvidenceClaims
        do throws(EvidenceFault) {
            claims = try Self.document(text).verified(by: trusted)
        } catch {
            throw Refusal("the evidence in \(evidence.file) proves NOTHING: \(error.description)")
        }
        if evidence.json {
            try Terminal.say(JSONValue.object(claims.json).text)
        } else {
            for line in TransactionReportText(claims).lines { try Terminal.say(line.escapedForOneLine) }
        }
    }

    private static func document(_ text: String) throws(EvidenceFault) -> TransactionEvidence {
        do { return try TransactionEvidence(text) } catch { throw .forged(.malformed) }
    }
}
