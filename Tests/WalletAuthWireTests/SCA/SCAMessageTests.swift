import Testing
import WalletAuthWire

@Suite("The messages of a payment consent")
struct SCAMessageTests {
    private func object(_ text: String) throws -> JSONObject { try JSONValue.object(parsing: Array(text.utf8)) }

    private let event = "0190b3f2-0000-7000-8000-00000000002a"

    @Test("A method goes by its own channels alone")
    func combinations() {
        let pairs = SCAMethod.allCases.flatMap { method in SCAChannel.allCases.map { (method, $0) } }
        let possible = pairs.filter { (try? SCAVerification(method: $0.0, channel: $0.1)) != nil }
        #expect(possible.count == SCAVerification.all.count)
        #expect(throws: MalformedValue.self) { try SCAVerification(method: .otp, channel: .redirect) }
        #expect(throws: MalformedValue.self) { try SCAVerification(method: .password, channel: .sms) }
        #expect(throws: MalformedValue.self) { try SCAVerification(method: .pin, channel: .pushNotification) }
        #expect(throws: MalformedValue.self) { try SCAVerification(method: .pushNotification, channel: .device) }
    }

    @Test("A request for a challenge comes out as it went in, and REDIRECT alone has a returnUrl")
    func challengeRequest() throws {
        let plain = SCAChallengeRequest(operationID: try WalletOperationID("op-1"), verification: .sms)
        #expect(try SCAChallengeRequest(plain.json) == plain)
        let page = SCAChallengeRequest(
            operationID: try WalletOperationID("op-1"), verification: .passkey,
            returnURL: try RedirectURI("https://app.example.com/back"))
        #expect(try SCAChallengeRequest(page.json) == page)
        #expect(throws: MalformedValue.self) {
            try SCAChallengeRequest(
                object(#"{"walletOperationId":"a","verification":{"method":"PASSKEY","channel":"REDIRECT"}}"#))
        }
        #expect(throws: MalformedValue.self) {
            try SCAChallengeRequest(
                object(
                    #"{"walletOperationId":"a","verification":{"method":"OTP","channel":"SMS"},"action":{"returnUrl":"https://a.example/"}}"#
                ))
        }
    }

    @Test("A code is read as people type codes, and a device's assertion to the letter")
    func typedCode() throws {
        let code = try SCAValue("123\u{A0}\u{664}5-6", by: .sms)
        #expect(code.reveal() == "123456")
        #expect(try SCAValue("a.b-c", by: .devicePIN).reveal() == "a.b-c")
        let read = try SCAAttemptRequest(
            object(#"{"walletOperationId":"a","verification":{"method":"OTP","channel":"SMS"},"value":" 123 456"}"#))
        #expect(read.value?.reveal() == "123456")
    }

    @Test("An attempt has a value, but by REDIRECT and PUSH_NOTIFICATION, where an empty one asks for the outcome")
    func attemptRequest() throws {
        let code = SCAAttemptRequest(
            operationID: try WalletOperationID("op-1"), verification: .sms, value: try SCAValue("123456"))
        #expect(try SCAAttemptRequest(code.json) == code)
        let page = SCAAttemptRequest(operationID: try WalletOperationID("op-1"), verification: .password, value: nil)
        #expect(try SCAAttemptRequest(page.json) == page)
        let push = SCAAttemptRequest(operationID: try WalletOperationID("op-1"), verification: .push, value: nil)
        #expect(try SCAAttemptRequest(push.json) == push)
        #expect(throws: MalformedValue.self) {
            try SCAAttemptRequest(
                object(#"{"walletOperationId":"a","verification":{"method":"OTP","channel":"SMS"},"value":""}"#))
        }
        #expect(throws: MalformedValue.self) {
            try SCAAttemptRequest(
                object(
                    #"{"walletOperationId":"a","verification":{"method":"PASSWORD","channel":"REDIRECT"},"value":"x"}"#)
            )
        }
    }

    @Test("A refusal names its operation, and says whether the person only changed their mind")
    func refusal() throws {
        let refusal = SCARefusalRequest(operationID: try WalletOperationID("op-1"))
        #expect(try SCARefusalRequest(refusal.json) == refusal)
        #expect(!refusal.isWithdrawal)
        let withdrawal = SCARefusalRequest(operationID: try WalletOperationID("op-1"), isWithdrawal: true)
        #expect(try SCARefusalRequest(withdrawal.json) == withdrawal)
        #expect(throws: MalformedValue.self) { try SCARefusalRequest(JSONObject()) }
        var more = refusal.json
        more["reason"] = "OTHER"
        #expect(throws: MalformedValue.self) { try SCARefusalRequest(more) }
    }

    @Test(
        "Unknown members are refused in every request",
        arguments: [#""emailVerified":true"#, #""status":"EXEMPT""#])
    func unknownMembers(member: String) throws {
        let operation = #""walletOperationId":"a","accountId":"\#(event)","sessionId":"\#(event)","type":"TRANSFER""#
        _ = try WalletOperationRequest(object("{\(operation)}"))
        #expect(throws: MalformedValue.self) { try WalletOperationRequest(object("{\(operation),\(member)}")) }
        _ = try OperationConsumption(object(#"{"type":"TRANSFER"}"#))
        #expect(throws: MalformedValue.self) { try OperationConsumption(object(#"{"type":"TRANSFER",\#(member)}"#)) }
        let way = #""walletOperationId":"a","verification":{"method":"OTP","channel":"SMS"}"#
        _ = try SCAChallengeRequest(object("{\(way)}"))
        #expect(throws: MalformedValue.self) { try SCAChallengeRequest(object("{\(way),\(member)}")) }
        let attempt = way + #","value":"123456""#
        _ = try SCAAttemptRequest(object("{\(attempt)}"))
        #expect(throws: MalformedValue.self) { try SCAAttemptRequest(object("{\(attempt),\(member)}")) }
        let details = #""eventId":"\#(event)","walletOperationId":"a""#
        _ = try SCADetails(object("{\(details)}"))
        #expect(throws: MalformedValue.self) { try SCADetails(object("{\(details),\(member)}")) }
    }

    @Test("An operation's request comes out as it went in, with all that it can have")
    func operationRequest() throws {
        let request = WalletOperationRequest(
            id: try WalletOperationID("op-1"), account: try AccountID(event), session: try SessionID(event),
            operation: try WalletOperation(
                type: WalletOperationType("TRANSFER"), amount: Money(minorUnits: 1, currency: .euro),
                payee: Payee(name: "Anna", account: "1"), details: ["a": "b"]),
            grounds: ExemptionGrounds(isOwnAccount: true, series: try WalletOperationID("rent"), isLowRisk: true))
        #expect(try WalletOperationRequest(request.json) == request)
    }

    @Test("A 403 that asks for SCA differs from every other 403")
    func required() throws {
        let required = SCARequired(
            eventID: try SCAEventID(event), operationID: try WalletOperationID("op-1"),
            availableVerifications: [.init(.sms, destination: "+49 ••• ••78")])
        #expect(SCARequired(problem: required.json) == required)
        var other = required.json
        other["code"] = "forbidden"
        #expect(SCARequired(problem: other) == nil)
        var without = required.json
        without["availableVerifications"] = .array([])
        #expect(SCARequired(problem: without) == nil)
    }

    @Test("A 403 without a way to agree names none, and says to sign in on this device after a scan")
    func withoutAWay() throws {
        let required = SCARequired(
            eventID: try SCAEventID(event), operationID: try WalletOperationID("op-1"), availableVerifications: [])
        let detail = try #require(required.json["detail"]?.string)
        #expect(detail.contains("sign in on this device"))
        #expect(!detail.contains("availableVerifications"))
    }

    @Test(
        "attack: where a code goes is left out where it would steer the screen that a person agrees on",
        arguments: [
            "x\u{1B}[8m", "x\u{9B}8m", "\u{202E}x", "x\ny", "\u{200B}", "\u{2028}", "",
            String(repeating: "x", count: 257),
        ])
    func deceptiveDestination(text: String) throws {
        let required = SCARequired(
            eventID: try SCAEventID(event), operationID: try WalletOperationID("op-1"),
            availableVerifications: [.init(.sms, destination: text), .init(.email, destination: "a…@b.c")])
        let read = try #require(SCARequired(problem: required.json))
        #expect(read.availableVerifications == [.init(.sms), .init(.email, destination: "a…@b.c")])
        let factor = InsufficientAuthorization.SecondFactor(
            token: try MFAToken("t"), method: "otp", channel: "SMS", destination: text,
            alternatives: [.init(method: "otp", channel: "EMAIL", destination: text)])
        let prompt = try InsufficientAuthorization.SecondFactor(factor.json)
        #expect(prompt.destination == nil && prompt.alternatives.allSatisfy { $0.destination == nil })
    }

    @Test("A way that an older app does not know is left out, and the others are offered")
    func newerServer() throws {
        let problem = try object(
            """
            {"code":"sca_required","eventId":"\(event)","walletOperationId":"a","availableVerifications":[
            {"method":"VOICE","channel":"PHONE"},{"method":"OTP","channel":"EMAIL"}]}
            """)
        #expect(SCARequired(problem: problem)?.availableVerifications.map(\.verification) == [.email])
    }

    @Test(
        "An authentication code's claims come out as they went in, and an unknown exemption is no rule of the operator's"
    )
    func authenticationCode() throws {
        let operation = try WalletOperation(
            type: WalletOperationType("TRANSFER"), amount: Money(minorUnits: 1, currency: .euro),
            payee: Payee(name: "Anna", account: "1"))
        let consent = AuthenticationCodeClaims.Consent(
            eventID: try SCAEventID(event), payloadHash: .operation([1]), methods: ["pwd", "sms"],
            at: NumericDate(clamping: 5))
        for basis in [.verified(consent), .exempt(.lowValue), .exempt(nil)] as [AuthenticationCodeClaims.Basis] {
            let claims = AuthenticationCodeClaims(
                issuer: try Issuer("https://auth.example.com"), clientID: try ClientID("shop"),
                account: try AccountID(event), id: "1", issuedAt: NumericDate(clamping: 6),
                operationID: try WalletOperationID("op-1"), operation: operation, basis: basis)
            #expect(try AuthenticationCodeClaims(claims.json) == claims)
        }
        var claims = AuthenticationCodeClaims(
            issuer: try Issuer("https://auth.example.com"), clientID: try ClientID("shop"),
            account: try AccountID(event), id: "1", issuedAt: NumericDate(clamping: 6),
            operationID: try WalletOperationID("op-1"), operation: operation, basis: .exempt(.lowValue)
        ).json
        claims["sca"] = .object(JSONObject(strings: ["status": "EXEMPT", "exemption": "BECAUSE"]))
        #expect(throws: MalformedValue.self) { try AuthenticationCodeClaims(claims) }
    }
}
