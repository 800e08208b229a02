import Testing
import WalletAuthWire

@Suite("A backend's new transaction", .threat("Attacks on transactions", "Text that deceives"))
struct TransactionRequestTests {
    private let body = #"""
        {"accountId":"0190b3f2-0000-7000-8000-000000000001","type":"PURCHASE",
         "amount":{"value":"1250","currency":"EUR"},"payee":{"name":"Café Zürich","account":"DE02120300000000202051"},
         "lines":[{"label":"Order","value":"No. 42"}],"data":"AQID","reference":"order-42",
         "requiredSecondFactorType":"PIN","expiresIn":120}
        """#

    private func read(_ text: String) throws -> TransactionRequest {
        try TransactionRequest(JSONValue.object(parsing: Array(text.utf8)))
    }

    /// The refusal of a body in which one text is replaced by another.
    private func refusal(_ old: String, _ new: String) throws -> MalformedValue? {
        let changed = body.replacing(old, with: new, maxReplacements: 1)
        #expect(changed != body)
        do {
            _ = try read(changed)
            return nil
        } catch let fault as MalformedValue { return fault }
    }

    @Test("It is read as it was sent, and its data goes into the content by its hash")
    func reads() throws {
        let request = try read(body)
        #expect(request.content.amount?.minorUnits == 1250)
        #expect(request.content.payee?.name == "Café Zürich")
        #expect(request.content.lines.map(\.label) == ["Order"])
        #expect(request.data == [1, 2, 3])
        #expect(request.content.dataHash == TransactionDataHash(of: [1, 2, 3]))
        #expect(request.requiredSecondFactor == .pin)
        #expect(request.expiresIn == 120)
        #expect(try TransactionRequest(request.json) == request)
    }

    @Test(
        "attack: a transaction that could pass for a sign-in, by a type that looks like the reserved one",
        arguments: ["LOGIN", "login", "L0GIN", "LOGIN.", "LOG-IN", "log1n", "_LOGIN~", "I0GLN"])
    func signIns(type: String) throws {
        #expect(throws: MalformedValue(field: "type", reason: "is LOGIN or looks like it, which is reserved")) {
            try read(#"{"type":"\#(type)","lines":[{"label":"Contract","value":"Rent"}]}"#)
        }
    }

    @Test(
        "A type that only contains the reserved one is a type of its own", arguments: ["LOGIN_FEE", "LOG", "RELOGIN"])
    func otherTypes(type: String) throws {
        _ = try read(#"{"type":"\#(type)","lines":[{"label":"Contract","value":"Rent"}]}"#)
    }

    @Test("An amount of 0 is refused; a signed one stays readable")
    func nothingToPay() throws {
        #expect(
            try refusal(#""1250""#, #""0""#)
                == MalformedValue(field: "amount.value", reason: "is 0: omit the amount if nothing is to be paid"))
        let signed = String(decoding: try TransactionPayloadTests.payload().bytes, as: UTF8.self)
        let nothing = Array(signed.replacing(#""1250""#, with: #""0""#).utf8)
        #expect(throws: MalformedValue.self) { try TransactionPayload(parsing: nothing) }
        #expect(try TransactionPayload(recorded: nothing).content.amount?.minorUnits == 0)
    }

    @Test(
        "attack: a second line contradicts the first under a label that looks like its label",
        arguments: [
            "Ｏrder", "ORDER", "order", "0rder", "Оrder", "Οrder", "Order:", "Order.", "Order –", "·Order", "𝐎rder",
        ])
    func twins(label: String) throws {
        let line = #"{"label":"Order","value":"No. 42"}"#
        let twin = #"{"label":"\#(label)","value":"No. 43"}"#
        #expect(try refusal(line, line + "," + twin)?.reason == "has two labels that look equal")
    }

    @Test(
        "attack: a letter of a rarer Cyrillic alphabet makes a second label that looks like the first",
        arguments: [
            ("Total", "Tota\u{4CF}"), ("Held", "\u{4BA}eld"), ("Due", "\u{500}ue"), ("Sequence", "Se\u{51B}uence"),
            ("Owed", "O\u{51D}ed"), ("VAT", "\u{474}AT"), ("GROSS", "\u{50C}ROSS"), ("Year", "\u{4AE}ear"),
            ("Fee", "Fe\u{4BD}"), ("Owed", "O\u{461}ed"), ("due in 6", "due in \u{431}"), ("Rate 3", "Rate \u{417}"),
            ("rent", "\u{433}ent"), ("balance", "\u{42C}alance"), ("blue", "\u{42B}ue"), ("Paese", "P\u{4D5}se"),
            ("look", "l\u{A699}k"), ("Line 2", "Line \u{A644}"), ("Total", "Tota\u{A647}"),
        ])
    func rareTwins(label: String, twin: String) throws {
        let lines = [label, twin].map { #"{"label":"\#($0)","value":"1"}"# }.joined(separator: ",")
        #expect(try refusal(#"{"label":"Order","value":"No. 42"}"#, lines)?.reason == "has two labels that look equal")
    }

    @Test(
        "attack: a small Greek letter, or one with an accent, makes a second label that looks like the first",
        arguments: [
            ("Value", "\u{3BD}alue"), ("value", "\u{3BD}alue"), ("NET", "\u{39D}ET"),
            ("Subtotal", "S\u{3C5}bt\u{3C3}tal"), ("Town", "To\u{3C9}n"), ("Tótal", "T\u{3CC}tal"), ("Νόμος", "νόμος"),
            ("Fee", "\u{3DC}ee"), ("Cost", "\u{3F9}ost"), ("cost", "\u{3F2}ost"), ("June", "\u{37F}une"),
            ("Monat", "\u{3FA}onat"), ("rent", "\u{1D26}ent"), ("pay", "pa\u{3B3}"),
        ])
    func greekTwins(label: String, twin: String) throws {
        let lines = [label, twin].map { #"{"label":"\#($0)","value":"1"}"# }.joined(separator: ",")
        #expect(try refusal(#"{"label":"Order","value":"No. 42"}"#, lines)?.reason == "has two labels that look equal")
    }

    @Test(
        "attack: a Cherokee or Lisu letter, a dot, a gap, or rn for m makes a second label that looks like the first",
        arguments: [
            ("Total", "\u{13A2}otal"), ("TOTAL", "\u{13A2}O\u{13A2}A\u{13DE}"), ("SEVERAL", "\u{13DA}EVERAL"),
            ("TOTAL", "\u{A4D4}\u{A4F3}\u{A4D4}\u{A4EE}\u{A4E1}"), ("NET", "\u{A4E0}ET"), ("DUE", "D\u{A4F4}E"),
            ("Total", "T\u{1ECD}tal"), ("Total", "\u{1E6A}otal"), ("TITLE", "T\u{130}TLE"), ("Title", "T\u{131}tle"),
            ("Total", "To tal"), ("Subtotal", "Sub total"), ("Sum", "Su\u{2009}m"), ("Payment", "Payrnent"),
            ("AMOUNT", "A\u{13B7}OUNT"), ("rent", "\u{AB81}ent"), ("Line 4", "Line \u{13CE}"),
            ("Line 6", "Line \u{13EE}"),
            ("Total", "Total\u{A4F8}"), ("Total:", "Total\u{A4FD}"), ("Total", "Total\u{13AE}"), ("1=2", "1\u{A4FF}2"),
        ])
    func otherTwins(label: String, twin: String) throws {
        let lines = [label, twin].map { #"{"label":"\#($0)","value":"1"}"# }.joined(separator: ",")
        #expect(try refusal(#"{"label":"Order","value":"No. 42"}"#, lines)?.reason == "has two labels that look equal")
    }

    @Test(
        "Labels that a reader tells apart may be on one screen",
        arguments: [
            ["VAT", "VAT %", "Line 1", "Line 2", "Line 10", "…", "?"],
            ["Сума", "Дата", "Город", "гора", "Σύνολο", "αγρός", "αυρός"],
        ])
    func distinctLabels(labels: [String]) throws {
        let lines = labels.map { #"{"label":"\#($0)","value":"1"}"# }.joined(separator: ",")
        let request = try read(#"{"type":"CONTRACT","lines":[\#(lines)]}"#)
        #expect(request.content.lines.map(\.label) == labels)
    }

    @Test("Without a factor and a time it asks for any factor within five minutes")
    func defaults() throws {
        let request = try read(#"{"type":"CONTRACT","lines":[{"label":"Contract","value":"Rent"}]}"#)
        #expect(request.account == nil)
        #expect(request.requiredSecondFactor == .any)
        #expect(request.expiresIn == 300)
    }

    @Test(
        "Amounts beyond the minor units of a currency, of no currency, negative or as a number are refused by name",
        arguments: [
            (#""1250""#, #""12.50""#, "amount.value"), (#""1250""#, #""-1""#, "amount.value"),
            (#""1250""#, #""1000000000000001""#, "amount.value"), (#""1250""#, #""01""#, "amount.value"),
            (#""1250""#, "1250", "amount.value"), (#""EUR""#, #""XAU""#, "amount.currency"),
            (#""EUR""#, #""eur""#, "amount.currency"), (#""EUR""#, #""BGN""#, "amount.currency"),
        ])
    func amounts(old: String, new: String, field: String) throws {
        #expect(try refusal(old, new)?.field.hasSuffix(field.split(separator: ".").last.map(String.init) ?? "") == true)
    }

    @Test(
        "Text that is not what it looks like is refused",
        arguments: [
            "Caf\u{202E}é", "Café\u{2066}", "Café\u{200F}", "Ca\u{200B}fé", "Café\\n", "Café\u{2028}", "\\u0000Café",
            "e\u{301}\u{301}\u{301}", " ", "",
        ])
    func deceptive(text: String) throws {
        #expect(try refusal("Café Zürich", text)?.field == "payee.name")
        #expect(try refusal("No. 42", text)?.field == "lines.value")
        #expect(try refusal(#""label":"Order""#, #""label":"\#(text)""#)?.field == "lines.label")
    }

    @Test(
        "attack: gaps in a name or a line push what is signed out of sight, and are refused in new requests alone",
        arguments: [
            "Café Zürich (DE02120300000000202051)" + String(repeating: " ", count: 95) + "x", "Café ", " Café",
            "Ca  fé",
            "Ca\u{00A0}\u{3000}fé", "Ca \u{200D} fé", "Ca \u{FE0F} fé", "Café \u{200C}", "Café\u{2003}",
        ])
    func gaps(text: String) throws {
        #expect(try refusal("Café Zürich", text)?.field == "payee.name")
        #expect(try refusal("No. 42", text)?.field == "lines.value")
        if text.utf8.count <= 64 {
            #expect(try refusal(#""label":"Order""#, #""label":"\#(text)""#)?.field == "lines.label")
        }
        let old = String(decoding: try TransactionPayloadTests.payload().bytes, as: UTF8.self)
        let recorded = try TransactionPayload(recorded: Array(old.replacing("Café Zürich", with: text).utf8))
        #expect(recorded.content.payee?.name == text)
    }

    @Test("An amount without a payee, and nothing to read at all, are refused with what to send")
    func incomplete() throws {
        let payment = #"{"type":"A","amount":{"value":"1","currency":"EUR"}}"#
        #expect(throws: MalformedValue(field: "payee", reason: "is missing: a payment names its payee")) {
            try read(payment)
        }
        #expect(throws: MalformedValue.self) { try read(#"{"type":"A"}"#) }
        #expect(throws: MalformedValue.self) { try read(#"{"type":"A","lines":[]}"#) }
        #expect(throws: MalformedValue.self) { try read(#"{"lines":[{"label":"a","value":"b"}]}"#) }
    }

    @Test("More lines than fit on a screen, a label twice, and unknown members are refused")
    func lines() throws {
        let line = #"{"label":"Order","value":"No. 42"}"#
        let many = (0...TransactionContent.maximumLines).map { #"{"label":"l\#($0)","value":"v"}"# }
        #expect(try refusal(line, many.joined(separator: ","))?.field == "lines")
        #expect(try refusal(line, line + "," + line)?.reason == "has two labels that look equal")
        for other in ["Order ", " Order", "Or\u{200D}der", "Order\u{FE0F}"] {
            let twin = #"{"label":"\#(other)","value":"No. 43"}"#
            #expect(try refusal(line, line + "," + twin)?.reason == "has two labels that look equal", "\(other)")
        }
        let spelled = [#"{"label":"Geb\u00fchr a","value":"1"}"#, #"{"label":"Gebu\u0308hr\u00a0a","value":"2"}"#]
        #expect(try refusal(line, spelled.joined(separator: ","))?.reason == "has two labels that look equal")
        #expect(try refusal(line, #"{"label":"a","value":"b","rank":1}"#) != nil)
        #expect(try refusal(#""expiresIn":120"#, #""expiresIn":120,"clientState":"AQ""#) != nil)
    }

    @Test("Times out of bounds, unknown factors and data that is empty, too long or not base64url are refused")
    func bounds() throws {
        for time in ["29", "901", "0", "-1", "\"300\"", "1e2"] {
            #expect(try refusal(#""expiresIn":120"#, #""expiresIn":"# + time)?.field == "expiresIn")
        }
        #expect(try refusal(#""PIN""#, #""pin""#)?.field == "requiredSecondFactorType")
        for data in ["", "AQ==", "A", String(repeating: "AAAA", count: 1366)] {
            #expect(try refusal("AQID", data)?.field == "data")
        }
        #expect(try refusal("order-42", String(repeating: "r", count: 129))?.field == "reference")
    }

    @Test("A request that was stored is read by its form: rules for new requests are not applied to it")
    func recorded() throws {
        let long = String(repeating: "r", count: 500)
        for (old, new) in [
            ("Café Zürich", "Caf\u{202E}é"), ("No. 42", ""), ("order-42", long),
            (#""expiresIn":120"#, #""expiresIn":7200"#),
        ] {
            #expect(try refusal(old, new) != nil)
            let changed = try JSONValue.object(parsing: Array(body.replacing(old, with: new).utf8))
            let request = try TransactionRequest(recorded: changed)
            #expect(try TransactionRequest(recorded: request.json) == request)
        }
        for (old, new) in [(#""payee":{"#, #""payer":{"#), (#""1250""#, "1250"), (#""label":"Order","#, "")] {
            let changed = try JSONValue.object(parsing: Array(body.replacing(old, with: new).utf8))
            #expect(throws: MalformedValue.self) { try TransactionRequest(recorded: changed) }
        }
    }

    @Test("A content is equal to the byte: spellings that Unicode treats as equivalent differ")
    func equality() throws {
        func content(_ text: String) throws -> TransactionContent {
            try TransactionContent(
                type: WalletOperationType("A"), lines: [TransactionLine(label: "a", value: text)], reference: text)
        }
        #expect(try content("Zu\u{308}rich") != content("Z\u{FC}rich"))
        #expect(try content("Zürich") == content("Zürich"))
    }
}
