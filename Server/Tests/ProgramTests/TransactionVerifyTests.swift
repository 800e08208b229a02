import Testing
import WalletAuthWire

@testable import walletauth

@Suite("What an auditor reads of the proof of a transaction")
struct TransactionVerifyTests {
    private func claims(_ status: TransactionStatus, _ steps: [TransactionStatus]) throws -> TransactionEvidenceClaims {
        TransactionEvidenceClaims(
            issuer: try Issuer("https://auth.example"), transactionID: try TransactionID("tx-1"), origin: .server,
            clientID: try ClientID("shop"), status: status, createdAt: 1_800_000_000_000, expiresAt: 1_800_000_300_000,
            steps: steps.enumerated().map { number, status in
                TransactionEvidenceClaims.Step(
                    status: status, at: 1_800_000_000_000 + Int64(number) * 1000, circumstances: nil,
                    place: OperationEvidenceClaims.Place(
                        partition: 3, sequence: Int64(number), link: Array(repeating: 1, count: 32)))
            })
    }

    private func report(_ claims: TransactionEvidenceClaims) -> String {
        TransactionReportText(claims).lines.joined(separator: "\n")
    }

    @Test("The state comes with its time: of the end, of the expiry, or until when it is open")
    func times() throws {
        #expect(try report(claims(.created, [.created])).contains("CREATED, open until 2027-01-15T08:05:00.000Z"))
        #expect(try report(claims(.expired, [.created])).contains("EXPIRED at 2027-01-15T08:05:00.000Z"))
        var cancelled = try claims(.cancelled, [.created, .cancelled])
        cancelled.cancellation = .backend
        cancelled.endedAt = cancelled.steps[1].at
        #expect(report(cancelled).contains("CANCELLED (BACKEND) at 2027-01-15T08:00:01.000Z"))
    }

    @Test("A rejection says where the device is named, and a restore that the end may have been another")
    func unsigned() throws {
        var rejected = try claims(.rejected, [.created, .claimed, .rejected])
        rejected.reason = .unexpected
        rejected.endedAt = rejected.steps[2].at
        let text = report(rejected)
        #expect(text.contains("REJECTED (UNEXPECTED) at"))
        #expect(text.contains("The audit record of the step REJECTED names the device"))
        #expect(text.contains("REJECTED, audit record 3/2"))
        var restored = try claims(.cancelled, [.created])
        restored.cancellation = .restore
        restored.endedAt = restored.expiresAt
        #expect(report(restored).contains("may have ended otherwise"))
    }

    @Test(
        "Each refusal says what is wrong and what to do",
        arguments: [
            (.forged(.unknownKey), "none of those given", "walletauth audit key"),
            (.forged(.wrongType), "of another kind", "audit verify-evidence"),
            (.forged(.invalidSignature), "its signature is wrong", "get it again"),
            (.malformed(MalformedValue(field: "ver", reason: "is 2")), "ver is 2", "newest walletauth"),
            (.contradiction("endedAt is 1"), "endedAt is 1", "audit log"),
        ] as [(EvidenceFault, String, String)])
    func refusals(fault: EvidenceFault, what: String, advice: String) {
        let refusal = TransactionVerify.refusal(fault)
        #expect(refusal.contains(what) && refusal.contains(advice), "\(refusal)")
    }
}
