import HTTPTypes
import HummingbirdTesting
import Testing
import WalletAuthWire

/// Requests that break the contract.
@Suite("Payment consents under attack, over HTTP", .threat("Text that deceives"))
struct PaymentAttackHTTPTests {
    @Test("race: of two requests at once that carry one consent out, one is answered 200 and one 409, ten times")
    func consumptionRace() async throws {
        try await PaymentConsentHTTPTests.withShop { shop in
            for round in 0..<10 {
                let id = "race-\(round)"
                let event = try await shop.ask(id)
                _ = try await shop.challenge(event, id: id)
                let agreed = try await shop.attempt(shop.code(), event, id: id)
                #expect(try agreed.member("status") == "VERIFIED")
                let path = "/v1/wallet-operations/\(id)/consume"
                let body = #"{"eventId":"\#(event)","accountId":"\#(shop.account)",\#(ShopOverHTTP.operation)}"#
                async let one = shop.call(.post, path, body)
                async let two = shop.call(.post, path, body)
                let answers = [try await one, try await two]
                #expect(answers.count { $0.status == .ok } == 1)
                let refused = try #require(answers.first { $0.status == .conflict })
                #expect(try refused.member("code") == "sca_already_used")
            }
        }
    }

    @Test(
        "attack: a member twice, the first to be shown and the second to be paid",
        .threat("Consent to something other than what was shown"))
    func doubledMembers() async throws {
        try await PaymentConsentHTTPTests.withShop { shop in
            for operation in [
                #""type":"TRANSFER","type":"SHOW","amount":{"value":"1","currency":"EUR"}"#,
                #""type":"TRANSFER","amount":{"value":"1","value":"9000","currency":"EUR"}"#,
                #""type":"TRANSFER","amount":{"value":"1","currency":"EUR"},"amount":{"value":"9000","currency":"EUR"}"#,
                #""type":"TRANSFER","amount":{"value":"1","currency":"EUR"},"payee":{"name":"A","account":"1","account":"2"}"#,
                #""type":"TRANSFER","details":{"note":"a","note":"b"}"#,
                #""type":"TRANSFER","details":{"note":"a","n\u006fte":"b"}"#,
            ] {
                let answer = try await shop.call(.post, "/v1/wallet-operations", shop.request("op-1", operation))
                #expect(answer.status == .badRequest, "\(answer.text)")
                let shown = try await shop.call(.get, "/v1/wallet-operations/op-1")
                #expect(shown.status == .notFound)
            }
        }
    }

    @Test("attack: a value twice in an attempt, and an event twice in a consumption, cost and carry out nothing")
    func doubledInLaterSteps() async throws {
        try await PaymentConsentHTTPTests.withShop { shop in
            let event = try await shop.ask()
            _ = try await shop.challenge(event)
            let code = try await shop.code()
            let attempt =
                #"{"walletOperationId":"op-1","verification":{"method":"OTP","channel":"EMAIL"},"#
                + #""value":"000000","value":"\#(code)"}"#
            let doubled = try await shop.phone.send(.post, "/v1/sca/events/\(event)/attempts", attempt)
            #expect(doubled.status == .badRequest, "\(doubled.text)")
            let verified = try await shop.attempt(code, event)
            #expect(try verified.member("status") == "VERIFIED")
            #expect(try verified.json["remainingAttempts"]?.integer == 5)
            let consumption =
                #"{"eventId":"\#(event)","eventId":"\#(event)","accountId":"\#(shop.account)",\#(ShopOverHTTP.operation)}"#
            let consumed = try await shop.call(.post, "/v1/wallet-operations/op-1/consume", consumption)
            #expect(consumed.status == .badRequest, "\(consumed.text)")
            let shown = try await shop.call(.get, "/v1/wallet-operations/op-1")
            #expect(try shown.member("status") == "VERIFIED")
        }
    }

    private static let payee = #""payee":{"name":"Anna","account":"DE02"}"#

    @Test("attack: evidence proves an amount to no one: a payment without a payee is refused and not kept")
    func payeeMissing() async throws {
        try await PaymentConsentHTTPTests.withShop { shop in
            let operation = #""type":"TRANSFER","amount":{"value":"9000","currency":"EUR"}"#
            let answer = try await shop.call(.post, "/v1/wallet-operations", shop.request("op-1", operation))
            #expect(answer.status == .badRequest)
            #expect(answer.text.contains("payee is missing: a payment names its payee"), "\(answer.text)")
            let kept = try await shop.call(.get, "/v1/wallet-operations/op-1")
            #expect(kept.status == .notFound)
        }
    }

    @Test("attack: an amount that is huge, negative, a fraction, or a number that two programs read differently")
    func amounts() async throws {
        try await PaymentConsentHTTPTests.withShop { shop in
            for value in [
                "9223372036854775808", "1000000000000001", "99999999999999999999999999", "-1", "+1", "-0", "01", "1.0",
                "1,5", "1e3", "0x10", " 1", "1 ", "", "١٢", "NaN",
            ] {
                let operation = #""type":"TRANSFER","amount":{"value":"\#(value)","currency":"EUR"},\#(Self.payee)"#
                let answer = try await shop.call(.post, "/v1/wallet-operations", shop.request("op-1", operation))
                #expect(answer.status == .badRequest, "\(answer.text)")
            }
        }
    }

    @Test("attack: a currency that is none")
    func currencies() async throws {
        try await PaymentConsentHTTPTests.withShop { shop in
            for code in ["", "EU", "EURO", "eur", "E R", "€€€", "978", "EUR\\u0000", "ЕUR"] {
                let operation = #""type":"TRANSFER","amount":{"value":"1","currency":"\#(code)"},\#(Self.payee)"#
                let answer = try await shop.call(.post, "/v1/wallet-operations", shop.request("op-1", operation))
                #expect(answer.status == .badRequest, "\(answer.text)")
            }
        }
    }

    @Test("attack: an amount in a code that ISO 4217 does not list as a currency is refused by that name")
    func unlistedCurrencies() async throws {
        try await PaymentConsentHTTPTests.withShop { shop in
            for code in ["ZZZ", "XXX", "XTS", "XAU", "XDR", "BGN", "BTC"] {
                let operation = #""type":"TRANSFER","amount":{"value":"1","currency":"\#(code)"},\#(Self.payee)"#
                let answer = try await shop.call(.post, "/v1/wallet-operations", shop.request("op-1", operation))
                #expect(answer.status == .badRequest, "\(answer.text)")
                #expect(answer.text.contains("ISO 4217"))
                let kept = try await shop.call(.get, "/v1/wallet-operations/op-1")
                #expect(kept.status == .notFound)
            }
        }
    }

    @Test("attack: combining marks in payee or details are refused: they would be drawn over other rows of the page")
    func marks() async throws {
        try await PaymentConsentHTTPTests.withShop { shop in
            for bad in [
                "An\\u0300\\u0301\\u0302na", "Anna\\u20dd", "\\u0301Anna",
                "A" + String(repeating: "\\u036f", count: 30),
            ] {
                for operation in [
                    #""type":"TRANSFER","payee":{"name":"\#(bad)","account":"DE02"}"#,
                    #""type":"TRANSFER","payee":{"name":"Anna","account":"\#(bad)"}"#,
                    #""type":"TRANSFER","details":{"note":"\#(bad)"}"#,
                ] {
                    let answer = try await shop.call(.post, "/v1/wallet-operations", shop.request("op-1", operation))
                    #expect(answer.status == .badRequest, "\(operation) \(answer.text)")
                    #expect(answer.text.contains("mark"))
                }
            }
        }
    }

    @Test("attack: an app that asks for payments without end is turned away, and told until when")
    func withoutEnd() async throws {
        try await PaymentConsentHTTPTests.withShop { shop in
            for number in 1...40 { _ = try await shop.ask("op-\(number)") }
            let answer = try await shop.call(.post, "/v1/wallet-operations", shop.request("op-41"))
            #expect(answer.status == .tooManyRequests, "\(answer.text)")
            #expect(try answer.member("code") == "too_many_operations")
            let seconds = try #require(answer.headers[.retryAfter].flatMap { Int($0) })
            #expect((1...900).contains(seconds))
        }
    }

    @Test("attack: text that a person would read as something else, in payee and details")
    func text() async throws {
        try await PaymentConsentHTTPTests.withShop { shop in
            for character in [
                "\\u202e", "\\u202a", "\\u2066", "\\u2069", "\\u200e", "\\u200f", "\\u061c", "\\u0000", "\\u0007",
                "\\u001b",
                "\\u007f", "\\u0085", "\\u2028", "\\u2029", "\\u200b", "\\u2060", "\\ufeff", "\\n", "\\r", "\\t",
            ] {
                let bad = "An\(character)na"
                let operations = [
                    #""type":"TRANSFER","payee":{"name":"\#(bad)","account":"DE02"}"#,
                    #""type":"TRANSFER","payee":{"name":"Anna","account":"\#(bad)"}"#,
                    #""type":"TRANSFER","details":{"note":"\#(bad)"}"#, #""type":"\#(bad)""#,
                ]
                for operation in operations {
                    let answer = try await shop.call(.post, "/v1/wallet-operations", shop.request("op-1", operation))
                    #expect(answer.status == .badRequest, "\(operation) \(answer.text)")
                }
            }
        }
    }
}
