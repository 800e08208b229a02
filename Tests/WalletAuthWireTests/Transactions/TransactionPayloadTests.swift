import Testing
import WalletAuthWire

@Suite("What a person signs, byte for byte", .threat("Text that deceives"))
struct TransactionPayloadTests {
    static func payload(
        payee: String = "Café Zürich", lines: [(String, String)] = [("Order", "No. 42"), ("Delivery", "Friday")]
    ) throws -> TransactionPayload {
        TransactionPayload(
            transactionID: try TransactionID("0190b3f2-0000-7000-8000-00000000002a"), clientID: try ClientID("shop"),
            account: try AccountID("0190b3f2-0000-7000-8000-000000000001"),
            content: try TransactionContent(
                type: WalletOperationType("PURCHASE"), amount: Money(minorUnits: 1250, currency: .euro),
                payee: Payee(name: payee, account: "DE02120300000000202051"),
                lines: lines.map { try TransactionLine(label: $0.0, value: $0.1) },
                dataHash: TransactionDataHash(of: [1, 2, 3]), reference: "order-42"),
            requiredSecondFactor: .any, nonce: try Nonce("bm9uY2U"), expiresAt: NumericDate(clamping: 1_800_000_000))
    }

    static func clientPayload() throws -> ClientTransactionPayload {
        ClientTransactionPayload(
            transactionID: try TransactionID("0190b3f2-0000-7000-8000-00000000002b"), clientID: try ClientID("app"),
            account: try AccountID("0190b3f2-0000-7000-8000-000000000001"),
            clientStateHash: TransactionDataHash(of: [1]), clientAdditionalDataHash: TransactionDataHash(of: [2]),
            requiredSecondFactor: .pin, nonce: try Nonce("bm9uY2U"), expiresAt: NumericDate(clamping: 1_800_000_000))
    }

    @Test("The bytes are canonical JSON (RFC 8785), with the lines in the backend's order")
    func canonical() throws {
        let text =
            #"{"account":"0190b3f2-0000-7000-8000-000000000001","amount":{"currency":"EUR","value":"1250"},"#
            + #""clientId":"shop","dataHash":"A5BYxvLAy0ksUzsKTRTvd8wPeKvMztUofYShogEc-4E","expiresAt":1800000000,"#
            + #""id":"0190b3f2-0000-7000-8000-00000000002a","#
            + #""lines":[{"label":"Order","value":"No. 42"},{"label":"Delivery","value":"Friday"}],"nonce":"bm9uY2U","#
            + #""origin":"server","payee":{"account":"DE02120300000000202051","name":"Café Zürich"},"#
            + #""reference":"order-42","requiredSecondFactorType":"ANY","type":"PURCHASE","ver":1}"#
        #expect(String(decoding: try Self.payload().bytes, as: UTF8.self) == text)
    }

    @Test("The bytes of an app's own transaction are canonical JSON without amount and payee")
    func canonicalOfClient() throws {
        let text =
            #"{"account":"0190b3f2-0000-7000-8000-000000000001","#
            + #""clientAdditionalDataHash":"28G0yQD_5I1XW12lxjgEASX2XbD-PiRJS3bqmGRX2YY","clientId":"app","#
            + #""clientStateHash":"S_USLzRFVMU73i67jNK349FgCtYxw4Wl18ziPHeFRZo","expiresAt":1800000000,"#
            + #""id":"0190b3f2-0000-7000-8000-00000000002b","nonce":"bm9uY2U","origin":"client","#
            + #""requiredSecondFactorType":"PIN","ver":2}"#
        #expect(String(decoding: try Self.clientPayload().bytes, as: UTF8.self) == text)
    }

    @Test("Reading the bytes gives what was written, and the same bytes again")
    func roundTrip() throws {
        let read = try TransactionPayload(parsing: Self.payload().bytes)
        #expect(try read == Self.payload())
        #expect(try read.bytes == Self.payload().bytes)
        #expect(try ClientTransactionPayload(parsing: Self.clientPayload().bytes) == Self.clientPayload())
    }

    @Test(
        "With any byte changed, a payload is refused or says something else",
        arguments: [0x01, 0x20, 0x80] as [UInt8])
    func everyByte(mask: UInt8) throws {
        let bytes = try Self.payload().bytes
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= mask
            guard let read = try? TransactionPayload(parsing: changed) else { continue }
            #expect(try read != Self.payload())
            #expect(PayloadHash.transaction(changed) != PayloadHash.transaction(bytes))
        }
    }

    @Test(
        "Unknown versions, doubled, unknown and reordered members, and other spellings are refused",
        arguments: [
            ("\"ver\":1", "\"ver\":2"), ("\"ver\":1", "\"ver\":3"), ("\"ver\":1", "\"ver\":1,\"ver\":1"),
            ("\"ver\":1", "\"ver\":1,\"x\":1"), ("\"ver\":1", "\"ver\": 1"),
            ("\"type\":\"PURCHASE\",\"ver\":1", "\"ver\":1,\"type\":\"PURCHASE\""), ("PURCHASE", "P\\u0055RCHASE"),
            ("\"1250\"", "\"01250\""), ("\"1250\"", "1250"), ("\"origin\":\"server\"", "\"origin\":\"client\""),
            ("\"origin\":\"server\",", ""), ("\"ANY\"", "\"any\""), ("\"label\":\"Delivery\"", "\"label\":\"Order\""),
            ("\"lines\":[{\"label\":\"Order\",", "\"lines\":[{\"label\":\"Order\",\"label\":\"Order\","),
            ("\"reference\":\"order-42\"", "\"reference\":null"),
        ])
    func notCanonical(old: String, new: String) throws {
        let text = String(decoding: try Self.payload().bytes, as: UTF8.self)
        let changed = text.replacing(old, with: new, maxReplacements: 1)
        #expect(changed != text)
        #expect(throws: MalformedValue.self) { try TransactionPayload(parsing: Array(changed.utf8)) }
        #expect(throws: MalformedValue.self) { try TransactionPayload(recorded: Array(changed.utf8)) }
    }

    @Test(
        "Text that is not admitted any more is refused before it is shown, and is read where it was signed before",
        arguments: [
            ("Café Zürich", "Caf\u{202E}é"), ("Café Zürich", String(repeating: "C", count: 500)), ("Café Zürich", ""),
            ("No. 42", "No.\\n42"), ("No. 42", String(repeating: "4", count: 500)),
            ("Delivery", String(repeating: "D", count: 100)), ("order-42", "order\u{200B}42"),
            ("DE02120300000000202051", "DE02\\u0000"), ("Café Zürich", "\u{2800}"), ("No. 42", "\u{A0}"),
            ("Café Zürich", "Cafe\u{301}\u{301}\u{301}"), ("Delivery", "\u{301}"), ("\"EUR\"", "\"XYZ\""),
            ("\"EUR\"", "\"HRK\""), ("Delivery", "Order\u{200D}"), ("Delivery", "Ｏrder"),
        ])
    func recorded(old: String, new: String) throws {
        let text = String(decoding: try Self.payload().bytes, as: UTF8.self)
        let changed = Array(text.replacing(old, with: new, maxReplacements: 1).utf8)
        #expect(changed != Array(text.utf8))
        #expect(throws: MalformedValue.self) { try TransactionPayload(parsing: changed) }
        #expect(try TransactionPayload(recorded: changed).bytes == changed)
    }

    @Test(
        "attack: a server makes a phone show a transaction that could pass for a sign-in",
        arguments: ["LOGIN", "Login", "L0GIN", "LOGIN."])
    func signIns(type: String) throws {
        let text = String(decoding: try Self.payload().bytes, as: UTF8.self)
        let changed = Array(text.replacing("PURCHASE", with: type).utf8)
        #expect(throws: MalformedValue(field: "type", reason: "is LOGIN or looks like it, which is reserved")) {
            try TransactionPayload(parsing: changed)
        }
        #expect(try TransactionPayload(recorded: changed).bytes == changed)
    }

    @Test("A transaction of a backend and one of an app are never read as each other")
    func origins() throws {
        #expect(throws: MalformedValue.self) { try TransactionPayload(parsing: Self.clientPayload().bytes) }
        #expect(throws: MalformedValue.self) { try TransactionPayload(recorded: Self.clientPayload().bytes) }
        #expect(throws: MalformedValue.self) { try ClientTransactionPayload(parsing: Self.payload().bytes) }
        let client = String(decoding: try Self.clientPayload().bytes, as: UTF8.self)
        for addition in [#","amount":{"currency":"EUR","value":"1"}"#, #","payee":{"account":"1","name":"A"}"#] {
            let changed = client.replacing(#","clientAdd"#, with: addition + #","clientAdd"#, maxReplacements: 1)
            #expect(changed != client)
            #expect(throws: MalformedValue.self) { try ClientTransactionPayload(parsing: Array(changed.utf8)) }
        }
    }

    @Test("Sixty-four kibibytes of lines are refused before they are read")
    func tooLong() throws {
        let lines = String(repeating: #"{"label":"a","value":"b"},"#, count: 2_600)
        let text = #"{"account":"a","lines":["# + lines + "]}"
        #expect(text.utf8.count > 65_536)
        #expect(throws: MalformedValue.self) { try TransactionPayload(parsing: Array(text.utf8)) }
    }

    @Test("The largest content that a backend may send fits into a payload that a device reads")
    func largest() throws {
        // Quotes and backslashes take most room: each is written as two bytes.
        func quotes(_ count: Int) -> String { String(repeating: "\"", count: count) }
        let lines = try (0..<TransactionContent.maximumLines).map {
            try TransactionLine(label: quotes($0) + "\\" + quotes(63 - $0), value: quotes(256))
        }
        let payload = TransactionPayload(
            transactionID: try TransactionID("0190b3f2-0000-7000-8000-00000000002a"),
            clientID: try ClientID(String(repeating: "c", count: 255)),
            account: try AccountID("0190b3f2-0000-7000-8000-000000000001"),
            content: try TransactionContent(
                type: WalletOperationType(String(repeating: "T", count: 64)),
                amount: Money(minorUnits: Money.maximumMinorUnits, currency: .euro),
                payee: Payee(name: quotes(140), account: quotes(128)), lines: lines,
                dataHash: TransactionDataHash(of: [0]), reference: quotes(TransactionContent.maximumReferenceBytes)),
            requiredSecondFactor: .biometric, nonce: try Nonce(String(repeating: "n", count: 43)),
            expiresAt: NumericDate(clamping: 1_800_000_000))
        #expect(payload.bytes.count <= TransactionPayload.maximumBytes)
        #expect(try TransactionPayload(parsing: payload.bytes) == payload)
    }
}
