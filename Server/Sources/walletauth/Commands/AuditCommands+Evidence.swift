import ArgumentParser
import Core
import Kernel
import Programs
import WalletAuthWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Verifies the evidence of an operation and prints its content.
struct AuditVerifyEvidence: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify-evidence",
        abstract: "Verify the proof of a payment consent, and describe who agreed to what, when and how.",
        discussion: """
            FILE is the response to GET /v1/wallet-operations/{walletOperationId}/evidence. With --keys, neither a \
            server nor a database is needed. The keys show which server issued the document: it may name a \
            former issuer of that server. Exits with 0 if the document is valid and the operation is EXEMPT, VERIFIED or \
            AUTHORIZED, with 3 if the document is valid and the operation is in any other state, and with 1 if the \
            document is not valid, with the reason.
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
        switch claims.status {
        case .exempt, .verified, .authorized: break
        case .scaRequired, .failed, .cancelled, .expired: throw ExitCode(ExitStatus.notAgreed)
        }
    }

    /// The kind of document, if its header names one. Reporting only an unknown key would send an auditor searching for
    /// keys.
    private static func anotherKind(_ text: String) -> String? {
        switch (try? CompactJWS(text, maximumBytes: OperationEvidence.maximumBytes))?.header.type {
        case JWSType.walletOperation:
            "it is an authentication code, signed by one of the server's published keys; the evidence contains it"
        case JWSType.walletTransactionEvidence:
            "it is the proof of a transaction, and not of an operation: use `walletauth transaction verify`"
        default: nil
        }
    }

    private static func document(_ text: String) throws(EvidenceFault) -> OperationEvidence {
        do {
            return try OperationEvidence(text)
        } catch { throw .forged(.malformed) }
    }
}

/// The content of a valid document, in words for the person who reviews it.
struct EvidenceReport {
    private let claims: OperationEvidenceClaims

    init(_ claims: OperationEvidenceClaims) { self.claims = claims }

    var lines: [String] {
        ["The evidence is valid, signed by the audit key of \(claims.issuer)."] + subject + verdict + history
            + comparisons
    }

    private var subject: [String] {
        let operation = (try? OperationPayload(parsing: claims.payload))?.operation
        var what = "What:    \(operation?.type.rawValue ?? "?")"
        if let amount = operation?.amount { what += ", \(amount.words)" }
        if let payee = operation?.payee { what += ", to \(payee.name), account \(payee.account)" }
        let details = (operation?.details ?? [:]).sorted { $0.key < $1.key }.map { "         \($0.key): \($0.value)" }
        return [what] + details + [
            "Who:     account \(claims.account), in session \(claims.session)",
            "Asked:   \(Self.text(claims.requestedAt)) by client \(claims.clientID), as \(claims.operationID)",
        ]
    }

    private var verdict: [String] {
        var lines: [String]
        switch claims.decision {
        case .exempt(let exemption):
            let ground =
                exemption.map { "article \($0.article) of the RTS (\($0.rawValue))" } ?? "the operator's own rule"
            let reason = claims.findings.first { $0.isGranted }?.reason ?? ""
            lines = ["Consent: not needed under \(ground): \(reason)"]
        case .required:
            if let verified = claims.step(.verified) {
                let categories = FactorCategory.allCases.filter { claims.factors.map(\.category).contains($0) }
                lines = [
                    "Consent: given at \(Self.text(verified.at)) by \(categories.count) categories:"
                        + " \(categories.map(\.rawValue).joined(separator: " and "))"
                ]
                lines += claims.factors.map { factor in
                    "         \(factor.method) (\(factor.category?.rawValue ?? "no category")), \(Self.text(factor))"
                }
            } else {
                lines = ["Consent: needed, but not given"]
            }
        }
        lines += claims.findings.filter { !$0.isGranted }.map { finding in
            "         not exempt under \(finding.exemption.map { "article \($0.article)" } ?? "the operator's rule"): \(finding.reason)"
        }
        var status = "Status:  \(claims.status.rawValue)"
        if let step = claims.step(.authorized) { status += ", carried out at \(Self.text(step.at))" }
        return lines + [status]
    }

    private var history: [String] {
        claims.steps.map { step in
            var line = "Step:    \(Self.text(step.at))  \(step.kind.rawValue)"
            if let way = step.verification { line += " \(Self.text(way))" }
            if let destination = step.destination { line += " to \(destination)" }
            if step.isWithdrawal { line += ", withdrawn in the session that asked" }
            if let place = step.place { line += ", audit log \(place.partition)/\(place.sequence)" }
            return line + Self.text(step.circumstances)
        }
    }

    private var comparisons: [String] {
        claims.attempts.map { attempt in
            var line = "Attempt: \(Self.text(attempt.at))  \(Self.text(attempt.verification))"
            line += attempt.isRight ? " right" : " WRONG"
            if let device = attempt.device {
                line += ", signed by device \(device.id) with key \(device.key.thumbprint)"
                if let session = attempt.session { line += " in session \(session)" }
                line += device.vouchersInWords.map { ", \($0)" }.joined()
            }
            if let passkey = attempt.passkey {
                line += ", signed by passkey \(Base64URL.encode(passkey.credentialID)) at \(passkey.origin)"
            } else if attempt.isRight, attempt.verification == .passkey {
                line += ", whose signature is not in this document: the server vouches for it"
            }
            return line + Self.text(attempt.circumstances)
        }
    }

    private static func text(_ factor: OperationEvidenceClaims.ProvedFactor) -> String {
        switch factor.origin {
        case .signIn: "at the sign-in of \(text(factor.at))"
        case .event(let way): "for this operation by \(text(way)) at \(text(factor.at))"
        }
    }

    private static func text(_ way: SCAVerification) -> String { "\(way.method.rawValue)/\(way.channel.rawValue)" }

    static func text(_ circumstances: OperationEvidenceClaims.Circumstances?) -> String {
        guard let circumstances else { return "" }
        let parts = [circumstances.address.map { "from \($0)" }, circumstances.userAgent.map { "by \($0)" }]
        return parts.compactMap { $0.map { ", \($0)" } }.joined()
    }

    /// ISO 8601 in UTC, to the millisecond.
    static func text(_ milliseconds: Int64) -> String {
        let date = Date(timeIntervalSince1970: Double(milliseconds / 1000))
        let whole = date.formatted(.iso8601).dropLast()
        let rest = String(milliseconds % 1000)
        return "\(whole).\(String(repeating: "0", count: max(0, 3 - rest.count)))\(rest)Z"
    }
}

extension OperationEvidenceClaims.Device {
    /// On whose word its app and its biometric key counted when it signed.
    var vouchersInWords: [String] {
        let app = attestation.map { app in
            let name = JSONValue.string(app.app).text.jsonEscapedForTerminal
            let build = app.environment == .development ? " as a development build" : ""
            let level = app.keyLevel.map { ", which puts the key in its \($0.rawValue)" } ?? ""
            let time = EvidenceReport.text(app.attestedAt.secondsSince1970 * 1000)
            return "its app \(name) was attested by \(app.platform.rawValue) at \(time)\(build)\(level)"
        }
        return [app, biometricKey.map { "its biometric key counted on the word of the \($0.rawValue)" }].compactMap(
            \.self)
    }
}
