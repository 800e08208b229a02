import ArgumentParser
import Kernel
import Programs
import WalletAuthWire

/// Transactions that people sign.
struct TransactionCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transaction", abstract: "Verify the proof of what people signed on their phones.",
        discussion: LocatingSettings.discussion, subcommands: [TransactionVerify.self])
}

/// Verifies the evidence of a transaction and prints its content.
struct TransactionVerify: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verify the proof of a transaction, and describe what was signed, by whom and when.",
        discussion: """
            FILE is the response to GET /v1/transactions/{transactionId}/evidence. With --keys, neither a server nor a \
            database is needed. Exits with 0 if the document is valid and the transaction is signed, with 3 if the \
            document is valid and the transaction is in any other state, and with 1 if the document is not valid. The \
            reason names the members that contradict each other, with times in milliseconds since 1970, as in the \
            document. The exit status does not tell you whose order it is: compare the client, the id, the amount and \
            the payee with your own.
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
        guard claims.status == .signed else { throw ExitCode(ExitStatus.notAgreed) }
    }

    /// Why a document is not valid, and the auditor's next step.
    static func refusal(_ fault: EvidenceFault) -> String {
        let advice =
            switch fault {
            case .forged(.unknownKey):
                "then use --keys with everything that it printed"
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

/// The content of a valid transaction document, in words for the person who reviews it. Text in quotation marks comes
/// from outside; all other text is this program's.
struct TransactionReportText {
    private let claims: TransactionEvidenceClaims

    init(_ claims: TransactionEvidenceClaims) { self.claims = claims }

    var lines: [String] {
        ["The evidence is valid, signed by the audit key of \(claims.issuer)."] + content + subject + signature
            + history
    }

    /// The content that the wallet showed, and the content that was signed without being shown, parsed from the signed
    /// bytes.
    private var content: [String] {
        guard let bytes = claims.payload else {
            return ["What:    \(isClaimed ? "withheld until it is signed" : "no device has claimed it")"]
        }
        guard let payload = try? TransactionPayload(recorded: bytes) else { return clientContent(bytes) }
        let content = payload.content
        var shown: [String] = []
        if let amount = content.amount { shown.append("amount: \(amount.words)") }
        if let payee = content.payee {
            shown += ["payee: \(Self.quoted(payee.name))", "account: \(Self.quoted(payee.account))"]
        }
        shown += content.lines.map { "\(Self.quoted($0.label)): \(Self.quoted($0.value))" }
        var hidden: [String] = []
        if let reference = content.reference { hidden.append("reference: \(Self.quoted(reference))") }
        if let hash = content.dataHash { hidden.append("data: SHA-256 \(hash)") }
        return ["What:    \(content.type.rawValue)"] + Self.section("Shown:", shown)
            + Self.section(titleOfHidden, hidden)
    }

    private var isClaimed: Bool { claims.steps.contains { $0.status == .claimed } }

    private func clientContent(_ bytes: [UInt8]) -> [String] {
        guard let payload = try? ClientTransactionPayload(parsing: bytes) else { return [] }
        var hidden: [String] = []
        if let hash = payload.clientStateHash { hidden.append("state: SHA-256 \(hash)") }
        if let hash = payload.clientAdditionalDataHash { hidden.append("data: SHA-256 \(hash)") }
        return ["What:    started by the app, not a payment"] + Self.section(titleOfHidden, hidden)
    }

    private var titleOfHidden: String { claims.status == .signed ? "Signed, not shown:" : "Not shown:" }

    private static func section(_ title: String, _ lines: [String]) -> [String] {
        lines.isEmpty ? [] : [title] + lines.map { "         \($0)" }
    }

    /// Text from a backend or a device as a JSON string. It may imitate anything, so quotation marks show where it
    /// ends.
    private static func quoted(_ text: String) -> String { JSONValue.string(text).text.jsonEscapedForTerminal }

    private var subject: [String] {
        let who = claims.account.map { "account \($0)" } ?? (isClaimed ? "withheld until it is signed" : "none yet")
        return [
            "Who:     \(who)",
            "Asked:   \(EvidenceReport.text(claims.createdAt)) by client \(claims.clientID), as \(claims.transactionID)",
        ]
    }

    private var signature: [String] {
        var status = "Status:  \(claims.status.rawValue)"
        if let reason = claims.reason?.rawValue ?? claims.cancellation?.rawValue { status += " (\(reason))" }
        if let ended = claims.endedAt {
            status += " at \(EvidenceReport.text(ended))"
        } else {
            status += claims.status.isFinal ? " at " : ", open until "
            status += EvidenceReport.text(claims.expiresAt)
        }
        if claims.cancellation == .restore {
            return [
                status,
                "         It may have ended differently before the restore; an earlier proof of that remains valid.",
            ]
        }
        if claims.status == .rejected {
            return [status, "         The audit log entry of the step REJECTED names the device."]
        }
        guard let signature = claims.signature else { return [status] }
        return [
            status,
            "Signed:  by device \(signature.device.id) with key \(signature.device.key.thumbprint) and"
                + " \(signature.secondFactor.rawValue)",
        ] + signature.device.vouchersInWords.map { "         \($0)" }
    }

    private var history: [String] {
        claims.steps.map { step in
            "Step:    \(EvidenceReport.text(step.at))  \(step.status.rawValue)"
                + (step.place.map { ", audit log \($0.partition)/\($0.sequence)" } ?? "")
                + Self.text(step.circumstances)
        }
    }

    private static func text(_ circumstances: OperationEvidenceClaims.Circumstances?) -> String {
        var text = ""
        if let address = circumstances?.address { text += ", from \(address)" }
        if let program = circumstances?.userAgent { text += ", by \(quoted(program))" }
        return text
    }
}
