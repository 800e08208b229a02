import Testing
import WalletAuthWire

@Suite("Messages about a transaction")
struct TransactionMessageTests {
    private func object(_ text: String) throws -> JSONObject { try JSONValue.object(parsing: Array(text.utf8)) }
    private let link = "https://id.example.com/t/tx#AAECAwQFBgcICQoLDA0ODw"
    private let hash = "A5BYxvLAy0ksUzsKTRTvd8wPeKvMztUofYShogEc-4E"

    @Test("A backend's report is read as it was written, with everything in it and with the least")
    func report() throws {
        var report = TransactionReport(
            transactionID: try TransactionID("tx"), origin: .server, clientID: try ClientID("shop"), status: .created,
            createdAt: NumericDate(clamping: 1), expiresAt: NumericDate(clamping: 2))
        #expect(try TransactionReport(report.json) == report)
        report.status = .rejected
        report.reason = .wrongData
        report.cancellation = .deviceRemoved
        report.account = try AccountID("0190b3f2-0000-7000-8000-000000000001")
        report.deviceID = try DeviceID("device")
        report.secondFactor = .pin
        report.reference = "order-42"
        report.payload = [1]
        report.signature = "a.b.c"
        report.data = [2]
        report.clientState = [3]
        report.clientAdditionalData = [4]
        report.endedAt = NumericDate(clamping: 3)
        #expect(try TransactionReport(report.json) == report)
        let page = TransactionPage(transactions: [report], cursor: try TransactionID("next"))
        #expect(try TransactionPage<TransactionReport>(page.json) == page)
    }

    @Test("A device's view is read as it was written, and a factor that came later is passed over")
    func deviceView() throws {
        let transaction = DeviceTransaction(
            transactionID: try TransactionID("tx"), status: .claimed, payload: [1, 2],
            allowedSecondFactors: [.pin, .biometric], expiresAt: NumericDate(clamping: 2))
        #expect(try DeviceTransaction(transaction.json) == transaction)
        var json = transaction.json
        json["allowedSecondFactors"] = .strings(["RETINA", "PIN"])
        #expect(try DeviceTransaction(json).allowedSecondFactors == [.pin])
        let draft = TransactionDraftResponse(draft: try TransactionDraft("sealed"), transaction: transaction)
        #expect(try TransactionDraftResponse(draft.json) == draft)
        let page = TransactionPage(transactions: [transaction], cursor: nil)
        #expect(try TransactionPage<DeviceTransaction>(page.json) == page)
    }

    @Test("What a device sends is read as it was written")
    func deviceRequests() throws {
        let device = try DeviceID("device")
        let claim = TransactionClaim(link: try TransactionLink(link), deviceID: device)
        #expect(try TransactionClaim(claim.json) == claim)
        let confirmation = TransactionConfirmation(deviceID: device, payloadHash: try PayloadHash(hash))
        #expect(try TransactionConfirmation(confirmation.json) == confirmation)
        for reason in RejectionReason.allCases {
            let rejection = TransactionRejection(deviceID: device, payloadHash: try PayloadHash(hash), reason: reason)
            #expect(try TransactionRejection(rejection.json) == rejection)
        }
        let signature = TransactionSignature(assertion: try SignedAssertion("{}"))
        #expect(try TransactionSignature(signature.json) == signature)
        let signed = SignedDraft(draft: try TransactionDraft("sealed"), assertion: try SignedAssertion("{}"))
        #expect(try SignedDraft(signed.json) == signed)
        let begun = try TransactionDraftRequest(
            deviceID: device, clientState: [1], clientAdditionalData: [2], requiredSecondFactor: .biometric)
        #expect(try TransactionDraftRequest(begun.json) == begun)
    }

    @Test(
        "An app can set its state, its data and the factor of its own transaction, and nothing else",
        arguments: [
            #""amount":{"value":"1","currency":"EUR"}"#, #""payee":{"name":"A","account":"1"}"#, #""lines":[]"#,
            #""type":"A""#, #""accountId":"0190b3f2-0000-7000-8000-000000000001""#, #""reference":"r""#,
            #""expiresIn":60"#, #""data":"AQ""#,
        ])
    func draftMembers(member: String) throws {
        _ = try TransactionDraftRequest(object(#"{"deviceId":"d","clientState":"AQ"}"#))
        #expect(throws: MalformedValue.self) {
            try TransactionDraftRequest(object(#"{"deviceId":"d","clientState":"AQ",\#(member)}"#))
        }
    }

    @Test("State and data of an app that are too long are refused by name")
    func draftBounds() throws {
        let device = try DeviceID("d")
        #expect(throws: MalformedValue(field: "clientState", reason: "is longer than 1024 bytes")) {
            try TransactionDraftRequest(deviceID: device, clientState: [UInt8](repeating: 0, count: 1025))
        }
        #expect(throws: MalformedValue(field: "clientAdditionalData", reason: "is longer than 4096 bytes")) {
            try TransactionDraftRequest(deviceID: device, clientAdditionalData: [UInt8](repeating: 0, count: 4097))
        }
    }

    @Test("Empty state and data of an app are none")
    func emptyDraft() throws {
        let none = try TransactionDraftRequest(deviceID: DeviceID("d"))
        let empty = #"{"deviceId":"d","clientState":"","clientAdditionalData":""}"#
        #expect(try TransactionDraftRequest(object(empty)) == none)
        #expect(try TransactionDraftRequest(deviceID: DeviceID("d"), clientState: [], clientAdditionalData: []) == none)
        #expect(none.json.names == ["deviceId", "requiredSecondFactorType"])
    }

    @Test(
        "A request of a device with an unknown, missing or malformed member is refused",
        arguments: [
            #"{"qrData":"https://id.example.com/t/tx","deviceId":"d"}"#, #"{"deviceId":"d"}"#,
            #"{"qrData":"https://id.example.com/t/tx#AAECAwQFBgcICQoLDA0ODw"}"#,
            #"{"qrData":"https://id.example.com/t/tx#AAECAwQFBgcICQoLDA0ODw","deviceId":"d","x":1}"#,
        ])
    func claims(text: String) throws {
        #expect(throws: MalformedValue.self) { try TransactionClaim(object(text)) }
    }

    @Test("A reason that is none of the three is refused")
    func reasons() throws {
        let text = #"{"deviceId":"d","payloadHash":"\#(hash)","reason":"BORED"}"#
        #expect(throws: MalformedValue(field: "reason", reason: "is not one of WRONG_DATA, UNEXPECTED, OTHER")) {
            try TransactionRejection(object(text))
        }
    }

    @Test("Each state is final or not, and each required factor allows its own")
    func states() {
        #expect(TransactionStatus.allCases.filter { !$0.isFinal } == [.created, .claimed, .confirmed])
        #expect(RequiredSecondFactor.pin.allowed == [.pin])
        #expect(RequiredSecondFactor.biometric.allowed == [.biometric])
        #expect(RequiredSecondFactor.any.allowed == [.pin, .biometric])
    }
}
