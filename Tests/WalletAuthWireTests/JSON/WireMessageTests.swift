import Testing
import WalletAuthWire

@Suite("Declared messages") struct WireMessageTests {
    @Test("Members are written in the order of their declaration, bytes as base64url, and absent ones not at all")
    func order() throws {
        let order = Order(
            device: try DeviceID("d-1"), nonce: try Nonce("n-0123456789"), lines: [Line(text: "b"), Line(text: "a")],
            data: [1, 2, 255], color: .darkGreen, placedAt: NumericDate(clamping: 60), isPaid: false)
        let text = """
            {"deviceId":"d-1","nonce":"n-0123456789","lines":[{"text":"b"},{"text":"a"}],"data":"AQL_",\
            "color":"dark-green","placedAt":60,"isPaid":false}
            """
        #expect(JSONValue.object(order.json).text == text)
        #expect(try Order(Sample.json(text)) == order)
    }

    @Test("An empty array is written, and not taken for bytes")
    func emptyArray() throws {
        #expect(JSONValue.object(Answer(colors: []).json).text == #"{"colors":[]}"#)
        #expect(try Answer(Sample.json(#"{"colors":[]}"#)) == Answer(colors: []))
    }

    @Test("null counts as absent: for an optional member as nil, for any other as missing")
    func null() throws {
        var object = try Sample.order()
        object["count"] = .null
        #expect(try Order(object).count == nil)
        object["nonce"] = .null
        #expect(throws: MalformedValue(field: "nonce", reason: "is missing")) { try Order(object) }
    }

    @Test("A request refuses unknown members, in nested values too, and an answer ignores them")
    func unknownMembers() throws {
        var object = try Sample.order()
        object["emailVerified"] = true
        #expect(throws: MalformedValue(field: "emailVerified", reason: "is a member that is not known here")) {
            try Order(object)
        }
        object["emailVerified"] = nil
        object["lines"] = [["text": "a", "price": 1]]
        #expect(throws: MalformedValue(field: "lines.price", reason: "is a member that is not known here")) {
            try Order(object)
        }
        #expect(throws: Never.self) { try Answer(Sample.json(#"{"colors":[],"more":1}"#)) }
    }

    @Test(
        "An error names the member, and the type that it has and should have",
        arguments: [
            ("deviceId", .integer(1), "is a number, but a string is expected"),
            ("deviceId", "", "is empty"),
            ("nonce", .array([]), "is an array, but a string is expected"),
            ("lines", .object(JSONObject()), "is an object, but an array is expected"),
            ("lines", ["a"], "has an element that is a string, but an object is expected"),
            ("tags", [1], "has an element that is a number, but a string is expected"),
            ("data", "not base64!", "is not base64url without padding"),
            ("color", "blue", "is not one of red, dark-green"),
            ("placedAt", .string("1"), "is a string, but a number of seconds since 1970 is expected"),
            ("placedAt", -1, "is not a date in seconds since 1970"),
            ("isPaid", .string("true"), "is a string, but true or false is expected"),
            ("count", .number(1.5), "is a number with a fraction or an exponent, but an integer is expected"),
            ("epoch", 0, "is not a number from 1 to 4294967295"),
            ("code", "no\u{7}bell", "has a character outside ASCII ' ' to '~'"),
        ] as [(String, JSONValue, String)])
    func errors(member: String, value: JSONValue, reason: String) throws {
        var object = try Sample.order()
        object[member] = value
        #expect(throws: MalformedValue(field: member, reason: reason)) { try Order(object) }
    }

    @Test("A fault in a nested value names the path of the nested member")
    func nestedErrors() throws {
        var object = try Sample.order()
        object["lines"] = [["text": 1]]
        #expect(throws: MalformedValue(field: "lines.text", reason: "is a number, but a string is expected")) {
            try Order(object)
        }
        object["lines"] = [["text": "forbidden"]]
        #expect(throws: MalformedValue(field: "lines.text", reason: "is forbidden")) { try Order(object) }
    }

    @Test("A secret is written to the wire, and an error does not contain it")
    func secrets() throws {
        var object = try Sample.order()
        object["code"] = "R-1234"
        let order = try Order(object)
        #expect(order.code?.reveal() == "R-1234")
        #expect(order.json["code"] == "R-1234")
        #expect(!"\(order)".contains("R-1234"))
    }

    @Test("A member with a default is left out")
    func defaults() throws {
        #expect(try Settings(JSONObject()) == Settings(level: 3, tags: []))
        #expect(Settings(level: 3, tags: []).json.isEmpty)
        #expect(JSONValue.object(Settings(level: 4, tags: ["a"]).json).text == #"{"level":4,"tags":["a"]}"#)
    }

    @Test("In an answer, a name added later is left out of a list; elsewhere it is refused")
    func laterNames() throws {
        #expect(try Answer(Sample.json(#"{"colors":["blue","red"]}"#)) == Answer(colors: [.red]))
        #expect(throws: MalformedValue.self) { try Answer(Sample.json(#"{"colors":[1]}"#)) }
        #expect(throws: MalformedValue.self) { try Choice(Sample.json(#"{"colors":["blue"]}"#)) }
    }
}

private enum Color: String, Codable, CaseIterable {
    case red
    case darkGreen = "dark-green"
}

private struct Line: WireMessage {
    var text: String

    func validate() throws(MalformedValue) {
        if text == "forbidden" { throw MalformedValue(field: "text", reason: "is forbidden") }
    }
}

private struct Order: WireRequest {
    var device: DeviceID
    var nonce: Nonce
    var lines: [Line]
    var tags: [String]?
    var data: [UInt8]
    var color: Color
    var placedAt: NumericDate
    var isPaid: Bool
    var count: Int64?
    var epoch: PINEpoch?
    var code: RecoveryCode?

    enum CodingKeys: String, CodingKey {
        case device = "deviceId"
        case nonce, lines, tags, data, color, placedAt, isPaid, count, epoch, code
    }
}

private struct Answer: WireMessage {
    var colors: [Color]
}

private struct Choice: WireRequest {
    var colors: [Color]
}

private struct Settings: WireMessage {
    var level: Int64
    var tags: [String]

    static var defaults: [String: JSONValue] { ["level": 3, "tags": []] }
}

extension Sample {
    fileprivate static func order() throws -> JSONObject {
        try json(
            """
            {"deviceId":"d-1","nonce":"n-0123456789","lines":[],"data":"AQL_","color":"red","placedAt":60.9,"isPaid":true}
            """)
    }
}
