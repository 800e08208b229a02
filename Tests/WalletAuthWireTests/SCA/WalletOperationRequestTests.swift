import Testing
import WalletAuthWire

@Suite("What a backend asks for")
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
        "attack: a payee or a detail with nothing to see is asked for",
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
        "A series is ended by its name, and by nothing beside it",
        arguments: [
            #""type":"END_SERIES""#, #""type":"END_SERIES","details":{"series":"a b"}"#,
            #""type":"END_SERIES","details":{"series":"rent"},"amount":{"value":"1","currency":"EUR"}"#,
            #""type":"END_SERIES","details":{"series":"rent"},"payee":{"name":"Anna","account":"DE02"}"#,
        ])
    func endOfSeries(members: String) throws {
        #expect(throws: MalformedValue.self) { try request(members) }
        let ended = try request(#""type":"END_SERIES","details":{"series":"rent"}"#).operation
        #expect(try ended.endedSeries == WalletOperationID("rent"))
        #expect(try ended == WalletOperation(endingSeries: WalletOperationID("rent")))
    }
}
