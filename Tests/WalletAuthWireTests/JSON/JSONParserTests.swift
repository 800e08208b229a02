import Testing
import WalletAuthWire

@Suite("JSON parser", .covers("long runs of combining marks are refused before anything compares them"))
struct JSONParserTests {
    private func parse(_ text: String) throws -> JSONValue { try JSONValue(parsing: Array(text.utf8)) }

    @Test(
        "The forms of RFC 8259 are read exactly",
        arguments: [
            ("null", JSONValue.null), (" true\n", true), ("false", false), ("0", 0), ("-0", 0), ("-12", -12),
            ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)), ("1.5", .number(1.5)),
            ("1e2", .number(100)), ("-2.5E-1", .number(-0.25)), (#""""#, ""),
            (#""a\"\\\/\b\f\n\r\t""#, "a\"\\/\u{8}\u{C}\n\r\t"),
            (#""\u00e4\uD83D\uDE00""#, "ä😀"), (#""ä😀""#, "ä😀"), (#""\u0000""#, "\u{0}"), ("[]", []),
            ("[ 1 , [ ] ]", [1, []]),
            ("{}", [:]), (#"{"a":{"b":[null]},"":1}"#, ["a": ["b": [.null]], "": 1]),
        ] as [(String, JSONValue)])
    func accepted(text: String, value: JSONValue) throws {
        #expect(try parse(text) == value)
    }

    @Test(
        "What is not JSON is refused",
        arguments: [
            "", " ", "nul", "True", "NaN", "Infinity", "'a'", "{a:1}", "[1,]", "[,1]", #"{"a":1,}"#, #"{"a"}"#,
            #"{"a":}"#,
            "[1 2]", "[", "]", "{", "}", #""a"#, #""\x""#, #""\u12""#, #""\u12g4""#, "\"a\u{1}\"", "\"a\nb\"", "1 2",
            "1,", "01",
            "-01", "+1", "-", ".5", "1.", "1e", "1e+", "0x10", "--1", "/*c*/1", "\u{FEFF}1", "1\u{0}", "\"\t\"",
            "{1:2}",
        ])
    func refused(text: String) {
        #expect(throws: MalformedValue.self) { try parse(text) }
    }

    @Test(
        "A comma too many is named",
        arguments: [
            ("[1, ]", "a comma after the last element at byte 4"),
            (#"{"a":1, }"#, "a comma after the last member at byte 8"),
        ])
    func trailingComma(text: String, fault: String) {
        #expect { try parse(text) } throws: { "\($0)".contains(fault) }
    }

    @Test(
        "A doubled member is refused, also behind an escape and deep inside",
        arguments: [#"{"alg":1,"alg":1}"#, #"{"alg":1,"\u0061lg":2}"#, #"[{"a":{"b":1,"c":2,"b":3}}]"#])
    func doubledMembers(text: String) {
        #expect(throws: MalformedValue.self) { try parse(text) }
    }

    @Test("A doubled member among a thousand is found")
    func doubledAmongMany() throws {
        let members = (0..<1000).map { "\"m\($0)\":1" }
        #expect(try parse("{" + members.joined(separator: ",") + "}").object?.members.count == 1000)
        #expect(throws: MalformedValue.self) { try parse("{" + (members + ["\"m7\":1"]).joined(separator: ",") + "}") }
    }

    @Test(
        "Lone surrogates are refused",
        arguments: [#""\uD800""#, #""\uDC00""#, #""\uD800\uD800""#, #""\uD800x""#, #""\uDE00\uD83D""#, #""\uD83D\n""#])
    func surrogates(text: String) {
        #expect(throws: MalformedValue.self) { try parse(text) }
    }

    @Test(
        "Overlong, truncated and surrogate UTF-8 is refused",
        arguments: [
            [0xC0, 0xAF], [0xC1, 0xBF], [0xE0, 0x80, 0xAF], [0xE0, 0x9F, 0xBF], [0xF0, 0x80, 0x80, 0xAF],
            [0xED, 0xA0, 0x80],
            [0xF4, 0x90, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xC3], [0xE2, 0x82], [0x80], [0xFF],
        ] as [[UInt8]])
    func malformedUTF8(bytes: [UInt8]) {
        #expect(throws: MalformedValue.self) { try JSONValue(parsing: [0x22] + bytes + [0x22]) }
    }

    @Test(
        "Huge numbers are refused rather than rounded", .threat("Malformed tokens and JSON"),
        arguments: [
            "9223372036854775808", "-9223372036854775809", "1e999", "-1e999", String(repeating: "9", count: 4000),
            "0." + String(repeating: "1", count: 4000), "1e" + String(repeating: "0", count: 4000) + "1",
        ])
    func hugeNumbers(text: String) {
        #expect(throws: MalformedValue.self) { try parse(text) }
    }

    @Test(
        "attack: more combining marks in a row than a language needs are refused before any comparison, in names and texts",
        arguments: ["\u{301}", #"\u0301"#, "\u{F73}"])
    func combiningMarks(mark: String) throws {
        func run(_ count: Int) -> String { String(repeating: mark, count: count) }
        for text in ["{\"a\(run(31))\":1}", "[\"\(run(31))\"]", "{\"\(run(10_000))\":0,\"a\":0,\"b\":0}"] {
            let fault = #expect(throws: MalformedValue.self) { try parse(text) }
            #expect(fault?.reason.contains("combining marks") == true)
        }
        #expect(throws: Never.self) { try parse("{\"\(run(30))a\(run(30))\":\"a\(run(30))\"}") }
    }

    @Test("A text of any length whose letters have marks is read")
    func markedLetters() throws {
        let text = String(repeating: "u\u{308}\u{304}\u{E8}\u{323}", count: 2_000)
        #expect(try parse("\"\(text)\"") == .string(text))
    }

    @Test("Deep JSON is refused before it costs a stack", arguments: ["[", #"{"a":"#, #"[{"a":"#])
    func deep(opening: String) {
        #expect(throws: MalformedValue.self) { try parse(String(repeating: opening, count: 10_000)) }
        #expect(throws: MalformedValue.self) {
            try parse(String(repeating: "[", count: 17) + String(repeating: "]", count: 17))
        }
        #expect(throws: Never.self) { try parse(String(repeating: "[", count: 16) + String(repeating: "]", count: 16)) }
    }

    @Test("A text over the limit is refused unread")
    func tooLong() {
        let limits = JSONLimits(bytes: 10, depth: 2)
        #expect(throws: MalformedValue.self) { try JSONValue(parsing: Array("\"123456789\"".utf8), limits: limits) }
    }

    @Test("Members keep their order and integers their value through writing and reading")
    func roundTrip() throws {
        let text = #"{"z":1,"a":[true,null,-7,9007199254740993],"m":"\u0001\"\\\n/é"}"#
        let value = try parse(text)
        #expect(value.text == text)
        #expect(try JSONValue(parsing: value.bytes) == value)
    }

    @Test("Bytes at random never crash the parser, and what it takes it writes back to the same value")
    func randomBytes() throws {
        let alphabet = Array(#"{}[]",:\u0129eE+-. trfalsn"#.utf8) + [0xC3, 0xA4, 0x00, 0xED]
        var generator = SplitMix64(state: 42)
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...24, using: &generator)).map { _ in
                alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
            }
            guard let value = try? JSONValue(parsing: bytes) else { continue }
            #expect(try JSONValue(parsing: value.bytes) == value)
        }
    }
}

/// A small generator with a fixed seed, so that a failure can be repeated.
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
