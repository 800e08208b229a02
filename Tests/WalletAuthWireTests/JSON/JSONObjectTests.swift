import Testing
import WalletAuthWire

@Suite("JSON objects") struct JSONObjectTests {
    @Test("Typed access names the member that has another type")
    func types() throws {
        let object = try Sample.json(#"{"s":"x","i":1,"f":1.5,"b":true,"l":["a"],"n":null,"m":["a",1]}"#)
        #expect(try object.string("s") == "x")
        #expect(try object.string("n") == nil)
        #expect(try object.strings("l") == ["a"])
        func fault(_ name: String, _ reason: String) -> MalformedValue { MalformedValue(field: name, reason: reason) }
        #expect(throws: fault("i", "is a number, but a string is expected")) { try object.string("i") }
        #expect(throws: fault("b", "is true or false, but a string is expected")) { try object.string("b") }
        #expect(throws: fault("s", "is a string, but an integer is expected")) { try object.integer("s") }
        #expect(throws: fault("f", "is a number with a fraction or an exponent, but an integer is expected")) {
            try object.integer("f")
        }
        #expect(throws: fault("s", "is a string, but an array is expected")) { try object.strings("s") }
        #expect(throws: fault("m", "has an element that is a number, but a string is expected")) {
            try object.strings("m")
        }
        #expect(throws: fault("i", "is a number, but true or false is expected")) { try object.bool("i") }
        #expect(throws: fault("l", "is an array, but an object is expected")) { try object.object("l") }
        #expect(throws: fault("s", "is a string, but a number of seconds since 1970 is expected")) {
            try object.date("s")
        }
    }

    @Test("A body that is no object is named as what it is")
    func body() {
        #expect(throws: MalformedValue(field: "JSON", reason: "is an array, but an object is expected")) {
            try JSONValue.object(parsing: Array("[]".utf8))
        }
    }

    @Test(
        "Dates take whole seconds and cut off fractions; nothing before 1970 or after 9999",
        arguments: [
            ("1300819380", 1_300_819_380), ("1300819380.9", 1_300_819_380), ("1e9", 1_000_000_000), ("0", 0),
            ("-1", nil), ("253402300800", nil), ("1e300", nil), ("\"1\"", nil), ("null", nil),
        ] as [(String, Int64?)])
    func dates(text: String, seconds: Int64?) throws {
        let object = try Sample.json("{\"exp\":\(text)}")
        #expect((try? object.date("exp"))?.secondsSince1970 == seconds)
    }

    @Test("A member that is not known is refused where our own endpoints ask for it")
    func unknownMembers() throws {
        let object = try Sample.json(#"{"a":1,"emailVerified":true}"#)
        #expect(throws: MalformedValue.self) { try object.refuseMembers(otherThan: ["a"]) }
        #expect(throws: Never.self) { try object.refuseMembers(otherThan: ["a", "emailVerified"]) }
    }

    @Test("A member that is not known is named where its name is a plain one: short, and without what steers a reader")
    func namedMembers() throws {
        func told(_ name: String) throws -> String? {
            let object = JSONObject(strings: ["a": "1", name: "secret value"])
            let error = #expect(throws: MalformedValue.self) { try object.refuseMembers(otherThan: ["a"]) }
            return error?.description
        }
        let longest = String(repeating: "n", count: 64)
        for name in ["colour", "emailVerified", "sub_type", "x-1.2~", longest] {
            #expect(try told(name) == "\(name) is a member that is not known here")
        }
        let hostile = [
            "", longest + "n", "a b", "a\nadmin: all is well", "\u{1B}[2J", "a\u{0}", "\u{202E}ruoloc", "colo\u{301}ur",
            "a\"b", "<b>",
        ]
        for name in hostile {
            #expect(try told(name) == "request has a member that is not known here", "\(name.debugDescription)")
        }
    }
}
