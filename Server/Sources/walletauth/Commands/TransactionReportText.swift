import AuthCore
import WalletAuthWire

/// The content of a transaction's proof that holds, in words for the person who has to judge it.
struct TransactionReportText {
    private let claims: TransactionEvidenceClaims

    init(_ claims: TransactionEvidenceClaims) { self.claims = claims }

    var lines: [String] {
        ["The evidence holds, signed by the audit key of \(claims.issuer)."] + content + subject + signature + history
    }

    /// What the person read, parsed from the bytes that were signed.
    private var content: [String] {
        guard let bytes = claims.payload else { return ["What:    no device has claimed it"] }
        guard let payload = try? TransactionPayload(recorded: bytes) else { return clientContent(bytes) }
        var what = "What:    \(payload.content.type.rawValue)"
        if let amount = payload.content.amount { what += ", \(amount.words)" }
        if let payee = payload.content.payee { what += ", to \(payee.name), account \(payee.account)" }
        var lines = [what] + payload.content.lines.map { "         \($0.label): \($0.value)" }
        if let reference = payload.content.reference { lines.append("         reference: \(reference)") }
        if let hash = payload.content.dataHash { lines.append("         data: SHA-256 \(hash)") }
        return lines
    }

    private func clientContent(_ bytes: [UInt8]) -> [String] {
        guard let payload = try? ClientTransactionPayload(parsing: bytes) else { return [] }
        return ["What:    begun by the app, no payment"]
            + [("state", payload.clientStateHash), ("data", payload.clientAdditionalDataHash)].compactMap {
                name, hash in
                hash.map { "         \(name): SHA-256 \($0)" }
            }
    }

    private var subject: [String] {
        let who = claims.account.map { "account \($0)" } ?? "nobody yet"
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
            return [status, "         It may have ended otherwise before the restore: an earlier proof of that holds."]
        }
        if claims.status == .rejected {
            return [status, "         The audit record of the step REJECTED names the device."]
        }
        guard let signature = claims.signature else { return [status] }
        return [
            status,
            "Signed:  by device \(signature.device.id) with key \(signature.device.key.thumbprint) and"
                + " \(signature.secondFactor.rawValue)",
        ]
    }

    private var history: [String] {
        claims.steps.map { step in
            "Step:    \(EvidenceReport.text(step.at))  \(step.status.rawValue),"
                + " audit record \(step.place.partition)/\(step.place.sequence)"
                + EvidenceReport.text(step.circumstances)
        }
    }
}
