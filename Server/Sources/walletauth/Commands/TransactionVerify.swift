import ArgumentParser
import OneLineText
import WalletAuthWire

/// Transactions that people sign.
struct TransactionCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transaction", abstract: "Transactions that people sign on their phones.",
        discussion: LocatingSettings.discussion, subcommands: [TransactionVerify.self])
}

/// Verifies the evidence of a transaction and prints its content.
struct TransactionVerify: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verify the proof of a transaction, and say in words what was signed, by whom and when.",
        discussion: """
            FILE is the response to GET /v1/transactions/{transactionId}/evidence. With --keys, neither a server nor a \
            database is needed. Exits with 0 if the document is valid and the transaction is signed, with 3 if the document \
            is valid and the transaction is in any other state, and with 1 if the document is not valid. The reason names \
            the members that contradict each other, with times in milliseconds since 1970, as in the document. No status \
            says whose order it is: compare the client, the id, the amount and the payee with your own.
            """)

    @OptionGroup var evidence: EvidenceOptions

    func run(in invocation: Invocation) async throws {
        let text = try evidence.document(upTo: TransactionEvidence.maximumBytes)
        let trusted = try await evidence.trustedKeys(invocation)
        let claims: TransactionEvidenceClaims
        do throws(EvidenceFault) {
            claims = try Self.document(text).verified(by: trusted)
        } catch {
            throw Refusal("the evidence in \(evidence.file) proves NOTHING: \(Self.refusal(error))")
        }
        if evidence.json {
            try Terminal.say(claims.json.terminalText)
        } else {
            for line in TransactionReportText(claims).lines { try Terminal.say(line.escapedForOneLine) }
        }
        guard claims.status == .signed else { throw ExitCode(ExitStatus.notSigned) }
    }

    /// Why a document is not valid, and the auditor's next step.
    static func refusal(_ fault: EvidenceFault) -> String {
        let advice =
            switch fault {
            case .forged(.unknownKey):
                "give --keys everything that `walletauth audit key` prints on the server of this document"
            case .forged(.wrongType):
                "`walletauth audit verify-evidence` verifies the proof of an operation"
            case .forged:
                "get it again from GET /v1/transactions/{transactionId}/evidence, and keep every byte"
            case .malformed:
                "verify it with the newest walletauth, which reads older documents as well"
            case .contradiction, .unverifiable:
                """
                keep it, and ask the operator to compare it with the audit log, which `walletauth audit verify` \
                verifies
                """
            }
        return "\(fault.description); \(advice)"
    }

    private static func document(_ text: String) throws(EvidenceFault) -> TransactionEvidence {
        do { return try TransactionEvidence(text) } catch { throw .forged(.malformed) }
    }
}
