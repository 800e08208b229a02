import Testing

@testable import WalletAuthWire

@Suite("Paths of faults") struct FaultPathTests {
    private func fault(_ json: String, _ read: (JSONObject) throws -> Void) throws -> String? {
        let object = try JSONValue.object(parsing: Array(json.utf8))
        do { try read(object) } catch let error as MalformedValue { return error.description }
        return nil
    }

    @Test("A refused member of a member is named with the whole path to it")
    func wholePath() throws {
        let operation =
            #""walletOperationId":"o-1","accountId":"0190b3f2-0000-7000-8000-000000000001","#
            + #""sessionId":"0190b3f2-0000-7000-8000-000000000002","type":"TRANSFER","amount":{"value":"100","currency":"EUR"}"#
        let requests = [
            (#""payee":{"name":"Ada","account":"DE02","iban":"DE1"}"#, "payee.iban is a member that is not known here"),
            (#""payee":{"name":"Ada","account":"DE02","a b":1}"#, "payee has a member that is not known here"),
            (#""payee":{"name":"Ada"}"#, "payee.account is missing"),
            (#""payee":7"#, "payee is a number, but an object is expected"),
            (
                #""payee":{"name":"Ada","account":"DE02"},"exemptionGrounds":{"risk":"LOW"}"#,
                "exemptionGrounds.risk is a member that is not known here"
            ),
        ]
        for (members, told) in requests {
            let found = try fault("{\(operation),\(members)}") { _ = try WalletOperationRequest($0) }
            #expect(found == told)
        }
        let challenge = #""walletOperationId":"o-1""#
        let challenges = [
            (#""verification":{"method":"PASSKEY","channel":"REDIRECT"}"#, "action.returnUrl is missing"),
            (
                #""verification":{"method":"PASSKEY","channel":"REDIRECT"},"action":{"returnURL":"https://a.example/"}"#,
                "action.returnURL is a member that is not known here"
            ),
            (#""verification":{"channel":"REDIRECT"}"#, "verification.method is missing"),
            (
                #""verification":{"method":"PASSKEY","channel":"REDIRECT","x":1}"#,
                "verification.x is a member that is not known here"
            ),
        ]
        for (members, told) in challenges {
            let found = try fault("{\(challenge),\(members)}") { _ = try SCAChallengeRequest($0) }
            #expect(found == told)
        }
    }

    @Test("Declared messages name members of members, and of elements of arrays, by their path")
    func declared() throws {
        #expect(
            try fault(#"{"inner":{"count":"x"}}"#) { _ = try Outer($0) }
                == "inner.count is a string, but an integer is expected")
        #expect(try fault(#"{"inner":{}}"#) { _ = try Outer($0) } == "inner.count is missing")
        #expect(
            try fault(#"{"inner":{"count":1,"more":2}}"#) { _ = try Outer($0) }
                == "inner.more is a member that is not known here")
        #expect(try fault(#"{"inner":{"count":1},"list":[{}]}"#) { _ = try Outer($0) } == "list.count is missing")
        #expect(try fault(#"{"inner":7}"#) { _ = try Outer($0) } == "inner is a number, but an object is expected")
    }
}

private struct Inner: WireMessage {
    var count: Int64
}

private struct Outer: WireRequest {
    var inner: Inner
    var list: [Inner]?
}
