import Testing
import WalletAuthWire

@Suite("JWT claims") struct JWTClaimsTests {
    private let now = Sample.now
    private let rules = JWTRules(
        issuer: "https://a.example", audiences: ["https://rs.example"], leeway: .seconds(30),
        maximumLifetime: .seconds(3600),
        maximumAge: .seconds(600))

    private func claims(_ changes: [String: JSONValue?] = [:]) -> JWTClaims {
        var object = JSONObject()
        object["iss"] = "https://a.example"
        object["sub"] = "s"
        object["aud"] = "https://rs.example"
        object.set("exp", now.advanced(by: .seconds(300)))
        object.set("iat", now)
        for (name, value) in changes { object[name] = value }
        return JWTClaims(object)
    }

    private func at(_ seconds: Int64) -> JSONValue { .integer(now.secondsSince1970 + seconds) }

    @Test("Claims that say what they must are taken, with the audience as string or array")
    func good() throws {
        #expect(throws: Never.self) { try claims().validate(rules, now: now) }
        #expect(throws: Never.self) { try claims(["aud": ["x", "https://rs.example"]]).validate(rules, now: now) }
    }

    @Test("Each wrong, missing or malformed claim is named")
    func wrong() {
        let cases: [([String: JSONValue?], String, JOSEError.ClaimFault)] = [
            (["iss": "https://b.example"], "iss", .mismatch), (["iss": nil], "iss", .missing),
            (["iss": 7], "iss", .malformed),
            (["iss": "https://a.example/"], "iss", .mismatch), (["aud": "https://rs.example.evil"], "aud", .mismatch),
            (["aud": nil], "aud", .missing),
            (["aud": []], "aud", .mismatch), (["aud": ["https://rs.example", 7]], "aud", .malformed),
            (["exp": nil], "exp", .missing),
            (["exp": "never"], "exp", .malformed), (["exp": .number(1e300)], "exp", .malformed),
            (["exp": .integer(.max)], "exp", .malformed),
            (["exp": -1], "exp", .malformed), (["nbf": "x"], "nbf", .malformed), (["iat": nil], "iat", .missing),
        ]
        for (changes, name, fault) in cases {
            #expect(throws: JOSEError.claim(name: name, fault)) { try claims(changes).validate(rules, now: now) }
        }
    }

    @Test("Times count with the leeway, to the second")
    func times() {
        let cases: [([String: JSONValue?], JOSEError?)] = [
            (["exp": at(-29)], nil), (["exp": at(-30)], .claim(name: "exp", .expired)), (["nbf": at(30)], nil),
            (["nbf": at(31)], .claim(name: "nbf", .tooEarly)), (["iat": at(30)], nil),
            (["iat": at(31)], .claim(name: "iat", .tooEarly)),
            (["iat": at(-630)], nil), (["iat": at(-631)], .claim(name: "iat", .expired)), (["exp": at(3630)], nil),
        ]
        for (changes, error) in cases {
            if let error {
                #expect(throws: error) { try claims(changes).validate(rules, now: now) }
            } else {
                #expect(throws: Never.self) { try claims(changes).validate(rules, now: now) }
            }
        }
    }

    @Test(
        "A far-future exp is refused: no token lives forever", .threat("Malformed tokens and JSON"),
        arguments: [3631, 100_000_000, 251_652_300_799] as [Int64])
    func farFuture(seconds: Int64) {
        #expect(throws: JOSEError.claim(name: "exp", .tooFar)) {
            try claims(["exp": at(seconds)]).validate(rules, now: now)
        }
    }

    @Test("sub is held against the rule where there is one")
    func subject() {
        var rules = rules
        rules.subject = "t"
        #expect(throws: JOSEError.claim(name: "sub", .mismatch)) { try claims().validate(rules, now: now) }
    }

    @Test("Claims that are no JSON object are refused", arguments: ["", "[]", "null", "\"x\"", "{}x"])
    func notAnObject(text: String) {
        #expect(throws: JOSEError.self) { try JWTClaims(parsing: Array(text.utf8)) }
    }
}
