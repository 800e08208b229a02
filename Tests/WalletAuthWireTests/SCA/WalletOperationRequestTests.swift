import Testing
import WalletAuthWire

@Suite("What a backend asks for", .article("5(1)(a) the payer sees"), .threat("Text that deceives"))
struct WalletOperationRequestTests {
    private func request(_ members: String) throws -> WalletOperationRequest {
        let names =
            #""walletOperationId":"op-1","accountId":"0190b3f2-0000-7000-8000-000000000001","#
            + #""sessionId":"0190b3f2-0000-7000-8000-000000000002""#
        let json = "{\(names),\(members)}"
        return try WalletOperationRequest(JSONValue.object(parsing: Array(json.utf8)))
    }

    private static let payee = #""payee":{"name":"Anna","account":"DE02"}"#

    @Test(
        "attack: a payee becomes trusted by a consent that reads as one small payment",
        arguments: ["TRUST_PAYEE", "DISTRUST_PAYEE"])
    func amountOfTrust(type: String) throws {
        let amount = #""amount":{"value":"100","currency":"EUR"}"#
        #expect(throws: MalformedValue.self) { try request(#""type":"\#(type)",\#(amount),\#(Self.payee)"#) }
        _ = try request(#""type":"\#(type)",\#(Self.payee)"#)
        _ = try request(#""type":"TRANSFER",\#(amount),\#(Self.payee)"#)
    }

    @Test(
        "What would change nothing is refused: trust without a payee, a series without amount or payee",
        arguments: [
            #""type":"TRUST_PAYEE""#, #""type":"DISTRUST_PAYEE""#,
            #""type":"BEGIN_SERIES","amount":{"value":"100","currency":"EUR"}"#, #""type":"BEGIN_SERIES",\#(payee)"#,
        ])
    func missingMembers(members: String) {
        #expect(throws: MalformedValue.self) { try request(members) }
    }

    @Test("A payment to no one is refused, unless details say whom it pays", arguments: ["TRANSFER", "PAYMENT"])
    func paymentWithoutPayee(type: String) throws {
        let payment = #""type":"\#(type)","amount":{"value":"100","currency":"EUR"}"#
        for members in [payment, #"\#(payment),"payee":null"#, #"\#(payment),"details":{}"#] {
            let refused = #expect(throws: MalformedValue.self) { try request(members) }
            #expect(refused?.field == "payee")
            #expect(refused?.reason == "is missing: a payment names its payee, or says in details whom it pays")
        }
        _ = try request(#"\#(payment),\#(Self.payee)"#)
        _ = try request(#"\#(payment),"details":{"batch":"2026-11, 42 salaries"}"#)
        _ = try request(#""type":"\#(type)""#)
    }

    @Test("An amount that is not paid to someone needs no payee", arguments: ["WITHDRAWAL", "TOP_UP", "LIMIT"])
    func amountWithoutPayee(type: String) throws {
        _ = try request(#""type":"\#(type)","amount":{"value":"100","currency":"EUR"}"#)
    }

    @Test(
        "An amount of 0 is refused by name: an operation without a payment has no amount",
        arguments: ["TRANSFER", "BEGIN_SERIES"])
    func nothingToPay(type: String) {
        let amount = #""amount":{"value":"0","currency":"EUR"}"#
        let refused = #expect(throws: MalformedValue.self) {
            try request(#""type":"\#(type)",\#(amount),\#(Self.payee)"#)
        }
        #expect(refused?.field == "amount.value")
    }

    @Test(
        "attack: a second detail contradicts the first under a name that looks like its name",
        arguments: ["TOTAL", "t0tal", "tota1", "total.", "_total"])
    func similarDetails(name: String) throws {
        let refused = #expect(throws: MalformedValue.self) {
            try request(#""type":"TRANSFER",\#(Self.payee),"details":{"total":"1","\#(name)":"2"}"#)
        }
        #expect(refused?.field == "details")
        _ = try request(#""type":"TRANSFER",\#(Self.payee),"details":{"total":"1","total2":"2"}"#)
    }

    @Test(
        "attack: a payee or a detail with nothing visible is requested",
        arguments: [
            " ", "\u{A0}\u{A0}", "\u{3000}", "\u{200D}", "\u{2800}", "Anna\u{2800}\u{2800}Verna", "Anna\u{1D159}",
        ])
    func nothingToSee(text: String) throws {
        for members in [
            #""payee":{"name":"\#(text)","account":"DE02"}"#, #""payee":{"name":"Anna","account":"\#(text)"}"#,
            #"\#(Self.payee),"details":{"reference":"\#(text)"}"#,
        ] {
            #expect(throws: MalformedValue.self) { try request(#""type":"TRANSFER",\#(members)"#) }
        }
        _ = try request(#""type":"TRANSFER",\#(Self.payee),"details":{"reference":""}"#)
    }

    @Test(
        "attack: marks on a payee or a detail are drawn over the rows above and below it",
        arguments: [
            "Anna\u{300}\u{301}\u{302}", "A" + String(repeating: "\u{36F}", count: 30) + "nna", "\u{301}Anna",
            "Anna\u{20DD}", "Anna\u{20E0}", "Anna\u{488}", "An\u{300}\u{301}\u{200D}\u{302}na", "\u{903}Anna",
            "A\u{E31}\u{E49}\u{E4D}", "1\u{FE0F}\u{20E3}",
        ])
    func marks(text: String) throws {
        for (members, field) in [
            (#""payee":{"name":"\#(text)","account":"DE02"}"#, "payee.name"),
            (#""payee":{"name":"Anna","account":"\#(text)"}"#, "payee.account"),
            (#"\#(Self.payee),"details":{"reference":"\#(text)"}"#, "details.reference"),
        ] {
            let refused = #expect(throws: MalformedValue.self) { try request(#""type":"TRANSFER",\#(members)"#) }
            #expect(refused?.field == field)
            #expect(refused?.reason.contains("mark") == true)
        }
    }

    @Test(
        "Names of many languages keep their marks",
        arguments: [
            "Zoë", "Zoe\u{308}", "Nguye\u{302}\u{303}n", "Ngu\u{1ec5}n", "Анна", "สมชาย ผู้ใหญ่", "हिन्दी कों", "שָׁלוֹם", "مُحَمَّد",
            "👩‍👧 ❤️‍🔥", "\u{1FA7}", "ខ្មែរ", "தமிழ்", "한국어", "e\u{301}e\u{301}e\u{301}e\u{301}",
        ])
    func languages(text: String) throws {
        let read = try request(#""type":"TRANSFER","payee":{"name":"\#(text)","account":"DE02"}"#)
        #expect(read.operation.payee?.name == text)
    }

    @Test(
        "attack: an amount is requested in something that is not a currency",
        arguments: ["ZZZ", "XXX", "XTS", "XAU", "BGN"])
    func currencies(code: String) throws {
        let refused = #expect(throws: MalformedValue.self) {
            try request(#""type":"TRANSFER","amount":{"value":"1","currency":"\#(code)"},\#(Self.payee)"#)
        }
        #expect(refused?.field == "amount.currency")
        #expect(refused?.reason.contains("ISO 4217") == true)
    }

    @Test(
        "A kind that looks like one with an effect, or is one letter off it, is refused with the list of those",
        arguments: [
            "trust_payee", "TRUST-PAYEE", "TRUSTPAYEE", "D1STRUST_PAYEE", "Begin_Series", "END.SERIES",
            "TRUST_PAYE", "TRUST_PAYEES", "trust-payer", "RUST_PAYEE", "DISTRUST_PAYYEE", "BEGIN_SEREIS", "EDN_SERIES",
        ])
    func misspelledKind(type: String) throws {
        let refused = #expect(throws: MalformedValue.self) { try request(#""type":"\#(type)",\#(Self.payee)"#) }
        #expect(refused?.field == "type")
        #expect(refused?.reason.contains("BEGIN_SERIES, DISTRUST_PAYEE, END_SERIES, TRUST_PAYEE") == true)
    }

    @Test(
        "A kind that is two letters off one with an effect is the backend's own",
        arguments: ["TRUST_PAYERS", "TRUST_PAY", "UNTRUST_PAYEE", "SEND_SERIE", "SERIES"])
    func ownKind(type: String) throws {
        #expect(try request(#""type":"\#(type)",\#(Self.payee)"#).operation.type.rawValue == type)
    }

    @Test(
        "A series is ended by its name, and by nothing else",
        arguments: [
            (#""type":"END_SERIES""#, "details.series is missing"),
            (#""type":"END_SERIES","details":{"series":"a b"}"#, "details.series is not the walletOperationId"),
            (#""type":"END_SERIES","details":{"serie":"rent"}"#, "details.serie is not known"),
            (
                #""type":"END_SERIES","details":{"series":"rent"},"amount":{"value":"1","currency":"EUR"}"#,
                "amount does not go with END_SERIES"
            ),
            (
                #""type":"END_SERIES","details":{"series":"rent"},"payee":{"name":"Anna","account":"DE02"}"#,
                "payee does not go with END_SERIES"
            ),
        ])
    func endOfSeries(members: String, fault: String) throws {
        let refused = #expect(throws: MalformedValue.self) { try request(members) }
        #expect(refused?.description.hasPrefix(fault) == true, "\(String(describing: refused))")
        let ended = try request(#""type":"END_SERIES","details":{"series":"rent"}"#).operation
        #expect(try ended.endedSeries == WalletOperationID("rent"))
        #expect(try ended == WalletOperation(endingSeries: WalletOperationID("rent")))
    }
}
