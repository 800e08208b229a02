import Testing
import WalletAuthWire

@Suite("What a person agrees to, byte for byte", .article("5(1)(a) the payer sees"))
struct OperationPayloadTests {
    private func payload(payee: String = "Käsehaus \"Alpenblick\"", details: [String: String] = ["reference": "42"])
        throws
        -> OperationPayload
    {
        OperationPayload(
            eventID: try SCAEventID("0190b3f2-0000-7000-8000-00000000002a"), operationID: try WalletOperationID("op-1"),
            clientID: try ClientID("shop"), account: try AccountID("0190b3f2-0000-7000-8000-000000000001"),
            operation: try WalletOperation(
                type: WalletOperationType("TRANSFER"), amount: Money(minorUnits: 1250, currency: .euro),
                payee: Payee(name: payee, account: "DE02120300000000202051"), details: details),
            expiresAt: NumericDate(clamping: 1_800_000_000))
    }

    @Test("The bytes are canonical JSON (RFC 8785): names in order, no space, letters as they are")
    func canonical() throws {
        let text =
            #"{"account":"0190b3f2-0000-7000-8000-000000000001","amount":{"currency":"EUR","value":"1250"},"#
            + #""clientId":"shop","details":{"reference":"42"},"eventId":"0190b3f2-0000-7000-8000-00000000002a","#
            + #""expiresAt":1800000000,"payee":{"account":"DE02120300000000202051","name":"Käsehaus \"Alpenblick\""},"#
            + #""type":"TRANSFER","ver":1,"walletOperationId":"op-1"}"#
        #expect(String(decoding: try payload().bytes, as: UTF8.self) == text)
    }

    @Test("What is read is what was written, and has the same hash")
    func roundTrip() throws {
        let read = try OperationPayload(parsing: payload().bytes)
        #expect(try read == payload())
        #expect(try read.hash == payload().hash)
    }

    @Test("What was agreed to before stays readable: marks that are refused now, and a currency that has left ISO 4217")
    func recorded() throws {
        let bytes = try payload(payee: "Anna\u{300}\u{301}\u{302}", details: ["note": "a\u{20DD}"]).bytes
        let text = String(decoding: bytes, as: UTF8.self).replacing("EUR", with: "BGN")
        let read = try OperationPayload(parsing: Array(text.utf8))
        #expect(read.operation.amount?.currency.rawValue == "BGN")
        #expect(read.operation.amount?.currency.minorUnitDigits == 2)
        #expect(read.operation.payee?.name == "Anna\u{300}\u{301}\u{302}")
        #expect(throws: MalformedValue.self) { try read.operation.refuseContradictions() }
    }

    @Test(
        "Every byte counts: with any one changed it is refused or says something else",
        arguments: [0x01, 0x20, 0x80] as [UInt8])
    func everyByte(mask: UInt8) throws {
        let bytes = try payload().bytes
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= mask
            guard let read = try? OperationPayload(parsing: changed) else { continue }
            #expect(try read != payload())
            #expect(try read.hash != payload().hash)
        }
    }

    @Test(
        "Doubled, unknown and reordered members, spaces and other versions are refused",
        arguments: [
            ("\"ver\":1", "\"ver\":2"), ("\"ver\":1", "\"ver\":1,\"ver\":1"), ("\"ver\":1", "\"ver\":1,\"x\":1"),
            ("\"ver\":1", "\"ver\": 1"), ("\"type\":\"TRANSFER\",\"ver\":1", "\"ver\":1,\"type\":\"TRANSFER\""),
            ("TRANSFER", "TR\\u0041NSFER"), ("\"1250\"", "\"01250\""), ("\"1250\"", "1250"),
        ])
    func notCanonical(old: String, new: String) throws {
        let text = String(decoding: try payload().bytes, as: UTF8.self)
        let changed = text.split(separator: old, maxSplits: 1).joined(separator: new)
        #expect(changed != text)
        #expect(throws: MalformedValue.self) { try OperationPayload(parsing: Array(changed.utf8)) }
    }

    @Test(
        "A payee whose text is not what it looks like is refused",
        arguments: [
            "Anna\u{202E}anreV", "Anna\u{2066}", "Anna\u{200F}", "An\u{200B}na", "Anna\u{FEFF}", "Anna\nVerna",
            "\u{0}Anna",
            "Anna\u{2028}", "Anna\u{2060}", "Anna\u{E000}", "Anna\u{E0041}", "", "Anna\u{061C}", "Anna\u{115F}",
        ])
    func deceptivePayee(name: String) throws {
        #expect(throws: MalformedValue.self) { try Payee(name: name, account: "1") }
        #expect(throws: MalformedValue.self) {
            try WalletOperation(type: WalletOperationType("A"), details: ["note": name.isEmpty ? "\u{202E}" : name])
        }
    }

    @Test(
        "What was agreed to before text with nothing to see was refused stays readable",
        arguments: [" ", "\u{A0}\u{A0}", "\u{3000}", "\u{2800}", "Anna\u{2800}\u{2800}Verna", "Anna\u{1D159}"])
    func agreedBefore(text: String) throws {
        let agreed = try payload(payee: text, details: ["reference": text])
        let read = try OperationPayload(parsing: agreed.bytes)
        #expect(read == agreed)
        let sample = SampleEvidence()
        var claims = try sample.exempt()
        let own = try OperationPayload(parsing: claims.payload)
        claims.payload =
            OperationPayload(
                eventID: own.eventID, operationID: own.operationID, clientID: own.clientID, account: own.account,
                operation: agreed.operation, expiresAt: own.expiresAt
            ).bytes
        let verified = try sample.sign(claims).verified(by: sample.keys)
        #expect(verified == claims)
    }

    @Test(
        "Names of all scripts, with joiners and emoji, are fine",
        arguments: [
            "Ünal & Söhne", "山田太郎", "עמית", "می‌خواهم", "क्‍ष", "👩‍👩‍👧 Café", "Иван Петров", "O’Neill ❤️",
        ])
    func honestPayee(name: String) throws { _ = try Payee(name: name, account: "1") }

    @Test("At most sixteen details, each with a name and a text of limited length")
    func details() throws {
        let many = Dictionary(uniqueKeysWithValues: (0..<17).map { ("d\($0)", "x") })
        #expect(throws: MalformedValue.self) { try WalletOperation(type: WalletOperationType("A"), details: many) }
        #expect(throws: MalformedValue.self) {
            try WalletOperation(type: WalletOperationType("A"), details: ["a b": "x"])
        }
        #expect(throws: MalformedValue.self) {
            try WalletOperation(type: WalletOperationType("A"), details: ["a": String(repeating: "x", count: 257)])
        }
    }
}
