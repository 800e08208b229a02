import Testing
import WalletAuthWire

@Suite("Form parameters", .threat("a duplicated parameter")) struct FormParametersTests {
    @Test("Names and values are decoded: plus is a space, percent escapes are UTF-8")
    func decoding() throws {
        let form = try FormParameters(parsing: "a=1+2&b=%C3%A4%2B&c=x%3Dy&d=x=y")
        #expect(form["a"] == "1 2")
        #expect(form["b"] == "ä+")
        #expect(form["c"] == "x=y")
        #expect(form["d"] == "x=y")
    }

    @Test("A parameter without a value counts as absent (RFC 6749 section 3.1)", arguments: ["a=", "a", "a=&b=1"])
    func empty(text: String) throws {
        #expect(try FormParameters(parsing: text)["a"] == nil)
    }

    @Test("A bare space in a value is a space, as + is", arguments: ["scope=a b", "scope=a+b", "scope=a%20b"])
    func spaces(text: String) throws {
        #expect(try FormParameters(parsing: text)["scope"] == "a b")
    }

    @Test(
        "A duplicated parameter is refused, even if one of the two is empty or hides behind an escape",
        arguments: [
            "client_id=a&client_id=b", "client_id=a&client_id=a", "client_id=&client_id=a", "client_id=a&client%5Fid=b",
        ])
    func doubled(text: String) {
        let fault = MalformedValue(field: "client_id", reason: "appears more than once")
        #expect(throws: fault) { try FormParameters(parsing: text) }
    }

    @Test("resource may repeat (RFC 8707)")
    func repeatable() throws {
        let form = try FormParameters(parsing: "resource=https%3A%2F%2Fa.example&resource=https%3A%2F%2Fb.example")
        #expect(form.values("resource") == ["https://a.example", "https://b.example"])
    }

    @Test(
        "Null bytes, overlong UTF-8, lone surrogates, truncated escapes and bare bytes are refused",
        .threat("Malformed tokens and JSON"),
        arguments: [
            "a=%00", "a=x%00y", "a=%C0%AF", "a=%E0%80%AF", "a=%F0%80%80%AF", "a=%ED%A0%80", "a=%F4%90%80%80", "a=%FF",
            "a=%C3", "a=%", "a=%4", "a=%zz", "a=ä", "a=\u{1}", "a=x\u{9}y", "a=x\r\ny", "=x", "%00=x",
        ])
    func malformed(text: String) {
        #expect(throws: MalformedValue.self) { try FormParameters(parsing: text) }
    }

    @Test("attack: more combining marks in a row than a language needs are refused, in names and values")
    func combiningMarks() throws {
        func run(_ count: Int) -> String { String(repeating: "%CC%81", count: count) }
        for text in ["a=\(run(31))", "a\(run(31))=1", "grant_type=\(run(10_000))"] {
            #expect(throws: MalformedValue.self) { try FormParameters(parsing: text) }
        }
        let form = try FormParameters(parsing: "a=e\(run(30))")
        #expect(form["a"]?.unicodeScalars.count == 31)
    }

    @Test("A form with a thousand parameters, or one that is too long, is refused")
    func limits() {
        let many = (0..<1000).map { "p\($0)=1" }.joined(separator: "&")
        #expect(throws: MalformedValue.self) { try FormParameters(parsing: many) }
        #expect(throws: MalformedValue.self) {
            try FormParameters(parsing: "a=" + String(repeating: "x", count: 70_000))
        }
    }

    @Test("The name of a parameter is repeated in an error only when it is harmless")
    func noReflection() {
        #expect {
            try FormParameters(parsing: "%3Cscript%3E=1&%3Cscript%3E=2")
        } throws: { error in
            (error as? MalformedValue)?.field == "a parameter"
        }
    }

    @Test("What is encoded decodes to the same")
    func roundTrip() throws {
        var form = FormParameters()
        form.append("näme", "a&b=c+d %\u{1F600}~")
        form.append("empty", "")
        #expect(try FormParameters(parsing: form.encoded) == form)
        #expect(form.encoded.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
    }
}
