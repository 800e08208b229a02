import ArgumentParser
import Crypto
import Testing
import WalletAuthWire

@testable import walletauth

@Suite("What an auditor reads of the proof of a transaction")
struct TransactionVerifyTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

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

    /// The payload of a shop's transaction. Text that no request may have is put in by `change`, as an older payload may have it.
    private func payload(
        payee: String = "Café Zürich", lines: [(String, String)] = [("Order", "No. 42")],
        change: (String) -> String = { $0 }
    ) throws -> [UInt8] {
        let payload = TransactionPayload(
            transactionID: try TransactionID("tx-1"), clientID: try ClientID("shop"),
            account: try AccountID("0190b3f2-0000-7000-8000-000000000001"),
            content: try TransactionContent(
                type: WalletOperationType("PURCHASE"), amount: Money(minorUnits: 1250, currency: Currency("EUR")),
                payee: Payee(name: payee, account: "DE02120300000000202051"),
                lines: lines.map { try TransactionLine(label: $0.0, value: $0.1) },
                dataHash: TransactionDataHash(of: [1, 2, 3]), reference: "order-42"),
            requiredSecondFactor: .any, nonce: try Nonce("bm9uY2U"), expiresAt: NumericDate(clamping: 1_800_000_300))
        return Array(change(String(decoding: payload.bytes, as: UTF8.self)).utf8)
    }

    @Test(
        "A proof is read without one line feed at its end; any other ending is part of it, and no verifier accepts it",
        arguments: [
            ("", ""), ("\n", ""), ("\r\n", "\r"), ("\n\n", "\n"), ("\r", "\r"), (" ", " "), ("\u{2028}", "\u{2028}"),
        ])
    func lineBreaks(ending: String, kept: String) throws {
        let options = try EvidenceOptions.parse([try folder.write("header.payload.signature" + ending, to: "proof")])
        let document = try options.document(upTo: 27)
        #expect(Array(document.utf8) == Array("header.payload.signature\(kept)".utf8))
        guard !kept.isEmpty else { return }
        #expect(throws: MalformedValue.self) { try TransactionEvidence(document) }
        #expect(throws: MalformedValue.self) { try OperationEvidence(document) }
    }

    @Test("attack: a device's program name turns no text around, in words or as JSON")
    func turnedText() throws {
        var claims = try claims(.claimed, [.created, .claimed])
        claims.steps[1].circumstances = OperationEvidenceClaims.Circumstances(userAgent: "\u{202E}gnihton\u{2066}")
        for text in [claims.json.terminalText, report(claims)] {
            #expect(!text.unicodeScalars.contains { $0 == "\u{202E}" || $0 == "\u{2066}" })
            #expect(text.contains(#"\u202egnihton"#) || text.contains(#"\u202Egnihton"#), "\(text)")
        }
        #expect(try JSONValue.object(parsing: Array(claims.json.terminalText.utf8)) == claims.json)
    }

    @Test("For an unsigned transaction without an account, the report says that its signer is withheld")
    func withheld() throws {
        var claims = try claims(.rejected, [.created, .claimed, .rejected])
        for index in 1...2 { claims.steps[index].place = nil }
        let text = report(claims)
        let shown = [
            "What:    withheld until it is signed", "Who:     withheld until it is signed", "CLAIMED",
        ]
        for told in shown {
            #expect(text.contains(told), "\(text)")
        }
        #expect(!text.contains("no device has claimed it"))
    }

    @Test("What the wallet showed and what was signed without being shown are listed apart")
    func sections() throws {
        var signed = try claims(.signed, [.created, .claimed, .confirmed, .signed])
        signed.payload = try payload()
        let expected = """
            What:    PURCHASE
            Shown:
                     amount: 12.50 EUR
                     payee: "Café Zürich"
                     account: "DE02120300000000202051"
                     "Order": "No. 42"
            Signed, not shown:
                     reference: "order-42"
                     data: SHA-256 A5BYxvLAy0ksUzsKTRTvd8wPeKvMztUofYShogEc-4E
            Who:
            """
        #expect(report(signed).contains(expected), "\(report(signed))")
        var rejected = try claims(.rejected, [.created, .claimed, .rejected])
        rejected.payload = signed.payload
        #expect(report(rejected).contains("\nNot shown:\n         reference: \"order-42\""))
    }

    @Test("An app's own transaction has shown nothing that its proof could name")
    func ownOfApp() throws {
        var signed = try claims(.signed, [.signed])
        signed.origin = .client
        signed.payload =
            ClientTransactionPayload(
                transactionID: try TransactionID("tx-1"), clientID: try ClientID("app"),
                account: try AccountID("0190b3f2-0000-7000-8000-000000000001"),
                clientStateHash: TransactionDataHash(of: [1, 2, 3]), clientAdditionalDataHash: nil,
                requiredSecondFactor: .pin, nonce: try Nonce("bm9uY2U"),
                expiresAt: NumericDate(clamping: 1_800_000_300)
            ).bytes
        let text = report(signed)
        #expect(text.contains("Signed, not shown:\n         state: SHA-256 A5BYxvLA"), "\(text)")
        #expect(!text.contains("\nShown:"))
    }

    @Test(
        "attack: a backend's text passes for no other part of the report",
        arguments: [
            ("X, account DE00", "No. 42", #"payee: "X, account DE00""#),
            (#"X" account: "DE00"#, "No. 42", #"payee: "X\" account: \"DE00""#),
            (#"X\"#, "No. 42", #"payee: "X\\""#),
            ("Café Zürich", "order-43", #""reference": "order-43""#),
        ])
    func deceitfulText(payee: String, value: String, line: String) throws {
        var signed = try claims(.signed, [.created, .claimed, .confirmed, .signed])
        signed.payload = try payload(payee: payee, lines: [("reference", value), ("data", "SHA-256 0000")])
        let lines = TransactionReportText(signed).lines
        for line in [
            line, #"account: "DE02120300000000202051""#, #""data": "SHA-256 0000""#, #"reference: "order-42""#,
        ] {
            #expect(lines.contains("         " + line), "\(line) is no line of \(lines)")
        }
    }

    @Test(
        "attack: what is not seen, breaks a line or turns it around is printed as an escape",
        arguments: [
            ("Café Zürich", "X\\n         account: ", #"payee: "X\n         account: ""#),
            ("Café Zürich", "Caf\u{202E}é", #"payee: "Caf\u202eé""#),
            ("No. 42", "No.\u{200B}42", #""Order": "No.\u200b42""#),
            ("order-42", "order\u{2028}42", #"reference: "order\u202842""#),
        ])
    func steeringText(old: String, new: String, line: String) throws {
        var signed = try claims(.signed, [.created, .claimed, .confirmed, .signed])
        signed.payload = try payload { $0.replacing(old, with: new, maxReplacements: 1) }
        let lines = TransactionReportText(signed).lines
        #expect(lines.contains("         " + line), "\(line) is no line of \(lines)")
    }

    @Test("attack: a device's name for itself passes for no audit log")
    func deceitfulProgram() throws {
        var signed = try claims(.signed, [.created, .claimed, .confirmed, .signed])
        signed.steps[3].circumstances = OperationEvidenceClaims.Circumstances(
            address: "192.0.2.7", userAgent: #"Wallet", audit log 9/9"#)
        #expect(report(signed).contains(#"audit log 3/3, from 192.0.2.7, by "Wallet\", audit log 9/9""#))
    }

    @Test("Of a signature, the report says which app enrolled the device, and on whose word the biometric key counted")
    func vouchers() throws {
        var signed = try claims(.signed, [.created, .claimed, .confirmed, .signed])
        signed.endedAt = signed.steps[3].at
        signed.signature = TransactionEvidenceClaims.Signature(
            secondFactor: .biometric,
            device: OperationEvidenceClaims.Device(
                id: try DeviceID("device-1"), key: try #require(P256Signer(P256.Signing.PrivateKey()).publicJWK),
                signature: "a.b.c"))
        #expect(!report(signed).contains("attested"))
        signed.signature?.device.attestation = AppAttestation(
            platform: .android, environment: .production, app: #"com.example"wallet"#, keyLevel: .strongBox,
            attestedAt: NumericDate(clamping: 1_800_000_000))
        signed.signature?.device.biometricKey = .key
        let text = report(signed)
        #expect(
            text.contains(
                #"its app "com.example\"wallet" was attested by android at 2027-01-15T08:00:00.000Z"#
                    + ", which puts the key in its strongbox"), "\(text)")
        #expect(text.contains("its biometric key counted on the word of the key"), "\(text)")
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
        #expect(text.contains("The audit log entry of the step REJECTED names the device"))
        #expect(text.contains("REJECTED, audit log 3/2"))
        var restored = try claims(.cancelled, [.created])
        restored.cancellation = .restore
        restored.endedAt = restored.expiresAt
        #expect(report(restored).contains("may have ended differently"))
    }

    @Test(
        "Each refusal says what is wrong and what to do",
        arguments: [
            (.forged(.unknownKey), "not one of those given", "walletauth audit key"),
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
