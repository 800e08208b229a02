import ArgumentParser
import HTTPTypes
import HummingbirdTesting
import TestSupport
import Testing
import WalletAuthWire

@testable import Operations

@Suite("Payment consents over HTTP", .article("4(3)(c) protected sessions", "22 confidentiality and integrity"))
struct PaymentConsentHTTPTests {
    static func withShop(_ body: @Sendable (ShopOverHTTP) async throws -> Void) async throws {
        try await TestServer.serve { server, client in try await body(ShopOverHTTP.open(server, client)) }
    }

    @Test("An app that is not first-party: 409 for an operation that needs consent, and 403 for a challenge")
    func thirdPartyApp() async throws {
        try await Self.withShop { shop in
            let event = try await shop.ask("before")
            var change = try ClientChange.parse([])
            change.firstParty = false
            try await shop.phone.server.execute { [change] in
                try await ClientAdministration($0).update("wallet", change)
            }
            let asked = try await shop.call(.post, "/v1/wallet-operations", shop.request())
            #expect(asked.status == .conflict)
            #expect(try asked.member("code") == "app_not_first_party")
            let challenged = try await shop.challenge(event, id: "before")
            #expect(challenged.status == .forbidden)
            #expect(try challenged.member("code") == "client_not_allowed")
        }
    }

    @Test(
        "201, a challenge, a code, VERIFIED, 200 AUTHORIZED, and 409 the second time; neither code nor payee is logged")
    func wholeWay() async throws {
        try await Self.withShop { shop in
            let asked = try await shop.call(.post, "/v1/wallet-operations", shop.request(), key: "0123456789abcdef")
            #expect(asked.status == .created, "\(asked.text)")
            #expect(asked.headers[.cacheControl] == "no-store")
            #expect(try asked.member("status") == "SCA_REQUIRED")
            let event = try #require(try asked.member("eventId"))

            let challenged = try await shop.challenge(event)
            #expect(challenged.status == .ok, "\(challenged.text)")
            #expect(try challenged.member("destination") == "m…@example.com")
            #expect(try challenged.json["resendAfter"]?.integer == 30)
            let text = try #require(try challenged.member("operation"))
            let bytes = try #require(Base64URL.decode(text))
            #expect(try OperationPayload(parsing: bytes).operation.payee?.name == "Anna")

            let code = try await shop.code()
            let verified = try await shop.attempt(code, event)
            #expect(verified.status == .ok, "\(verified.text)")
            #expect(try verified.member("status") == "VERIFIED")
            #expect(try verified.member("statusReason") == "VALID")
            let shown = try await shop.call(.get, "/v1/wallet-operations/op-1")
            #expect(try shown.member("status") == "VERIFIED")
            let activity = try AccountActivity(try await shop.phone.send(.get, "/v1/account/activity").json)
            #expect(activity.entries.first?.text == "You approved €90.00 to Anna.")

            let path = "/v1/wallet-operations/op-1/consume"
            let body = #"{"eventId":"\#(event)","accountId":"\#(shop.account)",\#(ShopOverHTTP.operation)}"#
            let used = try await shop.call(.post, path, body, key: "0123456789abcdef")
            #expect(used.status == .ok, "\(used.text)")
            #expect(try used.member("status") == "AUTHORIZED")
            let repeated = try await shop.call(.post, path, body, key: "0123456789abcdef")
            #expect(repeated.text == used.text)
            let again = try await shop.call(.post, path, body)
            #expect(again.status == .conflict)
            #expect(again.headers[.contentType] == "application/problem+json")
            #expect(try again.member("code") == "sca_already_used")
            let lines = shop.phone.server.log.lines
            #expect(!lines.contains { $0.contains(code) || $0.contains("Anna") || $0.contains("DE02") })
        }
    }

    @Test("The fifth wrong value is 409 data_error, and so is everything after it")
    func dataError() async throws {
        try await Self.withShop { shop in
            let event = try await shop.ask()
            _ = try await shop.challenge(event)
            let wrong = try await shop.code() == "000000" ? "000001" : "000000"
            for left in [4, 3, 2, 1] as [Int64] {
                let answer = try await shop.attempt(wrong, event)
                #expect(answer.status == .ok, "\(answer.text)")
                #expect(try answer.member("statusReason") == "INVALID_VALUE")
                #expect(try answer.json["remainingAttempts"]?.integer == left)
            }
            for _ in 0..<2 {
                let over = try await shop.attempt(wrong, event)
                #expect(over.status == .conflict, "\(over.text)")
                #expect(try over.member("code") == "data_error")
                #expect(try over.json["remainingAttempts"]?.integer == 0)
                #expect(try over.member("detail")?.contains("with another walletOperationId") == true, "\(over.text)")
            }
            let shown = try await shop.call(.get, "/v1/wallet-operations/op-1")
            #expect(try shown.member("status") == "FAILED")
        }
    }

    @Test("An operation's id with other fields is 409, with the advice to look up what became of the first")
    func exists() async throws {
        try await Self.withShop { shop in
            _ = try await shop.ask()
            let other = ShopOverHTTP.operation.replacing("9000", with: "9001")
            let refused = try await shop.call(.post, "/v1/wallet-operations", shop.request("op-1", other))
            #expect(refused.status == .conflict)
            #expect(try refused.member("code") == "operation_exists")
            #expect(try refused.member("detail")?.contains("it may have been carried out") == true, "\(refused.text)")
        }
    }

    @Test("What was taken back or carried out is 409 data_error for the app; its backend learns which of them")
    func over() async throws {
        try await Self.withShop { shop in
            let taken = try await shop.ask()
            for _ in 0..<2 {
                let cancelled = try await shop.call(.delete, "/v1/wallet-operations/op-1")
                #expect(cancelled.status == .noContent, "\(cancelled.text)")
            }
            let challenged = try await shop.challenge(taken)
            #expect(challenged.status == .conflict, "\(challenged.text)")
            #expect(try challenged.member("code") == "data_error")
            #expect(try challenged.json["remainingAttempts"] == nil, "only tries that ran out have it")
            #expect(try challenged.json["refused"] == nil, "its backend withdrew it")
            let refused = try await shop.call(
                .post, "/v1/wallet-operations/op-1/consume", #"{"eventId":"\#(taken)",\#(ShopOverHTTP.operation)}"#)
            #expect(refused.status == .conflict, "\(refused.text)")
            #expect(try refused.member("code") == "operation_cancelled")

            let used = try await shop.ask("op-2")
            _ = try await shop.challenge(used, id: "op-2")
            let code = try await shop.code()
            let verified = try await shop.attempt(code, used, id: "op-2")
            #expect(try verified.member("status") == "VERIFIED")
            let paid = try await shop.call(
                .post, "/v1/wallet-operations/op-2/consume", #"{"eventId":"\#(used)",\#(ShopOverHTTP.operation)}"#)
            #expect(paid.status == .ok, "\(paid.text)")
            let again = try await shop.attempt(code, used, id: "op-2")
            #expect(again.status == .conflict, "\(again.text)")
            #expect(try again.member("code") == "data_error")
            let late = try await shop.call(.delete, "/v1/wallet-operations/op-2")
            #expect(late.status == .conflict, "\(late.text)")
            #expect(try late.member("code") == "sca_already_used")
        }
    }

    @Test(
        "attack: a backend's token approves nothing, a person's token requests nothing, and no token gets no challenge")
    func whoseToken() async throws {
        try await Self.withShop { shop in
            let event = try await shop.ask()
            let body = #"{"walletOperationId":"op-1","verification":{"method":"OTP","channel":"EMAIL"}}"#
            let path = "/v1/sca/events/\(event)/challenges"
            let byBackend = try await shop.call(.post, path, body)
            #expect(byBackend.status == .unauthorized)
            let byNobody = try await shop.call(.post, path, body, token: nil)
            #expect(byNobody.status == .unauthorized)
            #expect(byNobody.headers[.wwwAuthenticate] != nil)
            // The person's token without its proof, as a thief has it.
            let stolen = try await shop.call(.post, path, body, token: shop.phone.token.reveal())
            #expect(stolen.status == .unauthorized)
            let byPerson = try await shop.phone.send(.post, "/v1/wallet-operations", shop.request("op-2"))
            #expect(byPerson.status == .unauthorized)
        }
    }

    @Test("A refusal is 204, also repeated, and then no one can approve the operation")
    func refusal() async throws {
        try await Self.withShop { shop in
            let event = try await shop.ask()
            _ = try await shop.challenge(event)
            let code = try await shop.code()
            let (path, body) = ("/v1/sca/events/\(event)/refusal", #"{"walletOperationId":"op-1"}"#)
            for _ in 0..<2 {
                let refused = try await shop.phone.send(.post, path, body)
                #expect(refused.status == .noContent, "\(refused.text)")
            }
            let late = try await shop.attempt(code, event)
            #expect(late.status == .conflict)
            #expect(try late.member("code") == "data_error")
            let challenged = try await shop.challenge(event)
            for answer in [late, challenged] { #expect(try answer.json["refused"]?.bool == true, "\(answer.text)") }
            let shown = try await shop.call(.get, "/v1/wallet-operations/op-1")
            #expect(try shown.member("status") == "CANCELLED")
        }
    }

    @Test("attack: a backend's token, a stolen token and another operation's id refuse nothing")
    func whoseRefusal() async throws {
        try await Self.withShop { shop in
            let event = try await shop.ask()
            let (path, body) = ("/v1/sca/events/\(event)/refusal", #"{"walletOperationId":"op-1"}"#)
            for token in [shop.backend, shop.phone.token.reveal()] {
                let answer = try await shop.call(.post, path, body, token: token)
                #expect(answer.status == .unauthorized)
            }
            let other = try await shop.phone.send(.post, path, #"{"walletOperationId":"op-2"}"#)
            #expect(other.status == .notFound)
            #expect(try other.member("code") == "event_not_found")
            let more = try await shop.phone.send(.post, path, #"{"walletOperationId":"op-1","reason":"OTHER"}"#)
            #expect(more.status == .badRequest)
            let shown = try await shop.call(.get, "/v1/wallet-operations/op-1")
            #expect(try shown.member("status") == "SCA_REQUIRED")
        }
    }

    @Test(
        "Malformed requests are 400 and change nothing: unknown members, wrong amounts, deceptive payees",
        arguments: [
            #""type":"T","status":"EXEMPT""#, #""type":"T","amount":{"value":"12.50","currency":"EUR"}"#,
            #""type":"T","amount":{"value":"-1","currency":"EUR"}"#,
            #""type":"T","amount":{"value":1250,"currency":"EUR"}"#,
            #""type":"T","amount":{"value":"1","currency":"eur"}"#, #""type":"T","payee":{"name":"Anna"}"#,
            #""type":"T","payee":{"name":"A\u202enna","account":"1"}"#, #""type":"T","details":{"a":1}"#,
            #""type":"a b""#,
            #""amount":{"value":"1","currency":"EUR"}"#, #""type":"T","exemptionGrounds":{"riskAnalysis":"NONE"}"#,
        ])
    func malformed(operation: String) async throws {
        try await Self.withShop { shop in
            let answer = try await shop.call(.post, "/v1/wallet-operations", shop.request("op-1", operation))
            #expect(answer.status == .badRequest, "\(answer.text)")
            let shown = try await shop.call(.get, "/v1/wallet-operations/op-1")
            #expect(shown.status == .notFound)
            #expect(try shown.member("code") == "operation_not_found")
        }
    }

    @Test("The proof of an operation is a signed document of a type of its own, for its backend only")
    func evidence() async throws {
        try await Self.withShop { shop in
            _ = try await shop.ask()
            let path = "/v1/wallet-operations/op-1/evidence"
            let answer = try await shop.call(.get, path)
            #expect(answer.status == .ok, "\(answer.text)")
            #expect(answer.headers[.contentType] == OperationEvidence.mediaType)
            #expect(answer.headers[.cacheControl] == "no-store")
            let document = try CompactJWS(answer.text, maximumBytes: OperationEvidence.maximumBytes)
            #expect(document.header.type == .walletOperationEvidence)
            #expect(document.header.keyID?.hasPrefix("audit-") == true)
            let missing = try await shop.call(.get, "/v1/wallet-operations/op-2/evidence")
            #expect(missing.status == .notFound)
            #expect(try missing.member("code") == "operation_not_found")
            let nobody = try await shop.call(.get, path, token: nil)
            #expect(nobody.status == .unauthorized)
            let thief = try await shop.call(.get, path, token: shop.phone.token.reveal())
            #expect(thief.status == .unauthorized)
        }
    }

    @Test("A way that the person does not have is 409, with those that would do")
    func unavailable() async throws {
        try await Self.withShop { shop in
            let event = try await shop.ask()
            let answer = try await shop.challenge(event, "SMS")
            #expect(answer.status == .conflict, "\(answer.text)")
            #expect(try answer.member("code") == "verification_unavailable")
            #expect(answer.text.contains(#""channel":"EMAIL""#))
        }
    }
}
