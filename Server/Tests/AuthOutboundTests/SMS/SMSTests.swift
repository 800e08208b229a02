import Core
import Foundation
import Testing
import WalletAuthWire

@testable import Outbound

@Suite("Messages as SMS")
struct SMSTests {
    private let message = OutgoingMessage(
        id: "0190aaaa-0000-7000-8000-000000000001", kind: "second_factor_code", recipient: "+359888123456", subject: "",
        text: "123456 & “x”\n\n@id.example.com #123456", createdAt: Timestamp(seconds: 1_700_000_000),
        expiresAt: Timestamp(seconds: 1_700_000_300))

    /// Posts to a server that answers with a status, and returns what it received.
    private func post(
        _ status: String, by transport: (String) throws -> any MessageTransport
    ) async throws -> (outcome: DeliveryOutcome, head: [String], body: String) {
        let heads = Gathered<[String]>()
        let bodies = Gathered<String>()
        let server = try await ScriptedServer.start { conversation in
            var head: [String] = []
            while let line = try await conversation.line(), !line.isEmpty { head.append(line) }
            await heads.add(head)
            let length = head.first { $0.lowercased().hasPrefix("content-length:") }?
                .split(separator: " ").last.flatMap { Int($0) }
            await bodies.add(try await conversation.text(length ?? 0))
            try await conversation.say("HTTP/1.1 \(status)\r\nContent-Length: 0\r\nRetry-After: 17\r\n\r\n")
            try await conversation.end()
        }
        let outcome = try await transport("http://127.0.0.1:\(server.port)")
            .deliver(message, now: Timestamp(seconds: 1_700_000_010))
        let (head, body) = (await heads.all, await bodies.all)
        return (outcome, head.first ?? [], body.first ?? "")
    }

    @Test("The signature is that of Standard Webhooks, by its published example")
    func publishedSignature() throws {
        let signature = try #require(WebhookSignature(secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
        let headers = signature.headers(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek", time: 1_614_265_330, body: Array(#"{"test": 2432232314}"#.utf8))
        #expect(headers.map(\.name) == ["webhook-id", "webhook-timestamp", "webhook-signature"])
        #expect(headers[2].value == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
        #expect("\(signature)" == "<redacted>")
    }

    @Test("A secret of the wrong length, or none, is refused", arguments: ["", "whsec_", "c2hvcnQ=", "not base64!"])
    func secrets(_ secret: String) {
        #expect(WebhookSignature(secret: secret) == nil)
    }

    @Test("A webhook is posted what to send and to whom, signed over every byte, under the same id at each attempt")
    func webhook() async throws {
        let signature = try #require(WebhookSignature(secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
        let (outcome, head, body) = try await post("204 No Content") {
            SMSWebhook(
                url: $0 + "/sms", signature: signature, http: GuardedHTTP(policy: .loopback, timeout: .seconds(300)))
        }
        #expect(outcome == .delivered)
        #expect(head.first == "POST /sms HTTP/1.1")
        #expect(head.contains("webhook-id: msg_\(message.id)"))
        let expected = signature.headers(id: "msg_\(message.id)", time: 1_700_000_010, body: Array(body.utf8))
        #expect(head.contains("webhook-signature: \(expected[2].value)"))
        let data = try JSONValue.object(parsing: Array(body.utf8))["data"]?.object
        #expect(data?["to"]?.string == message.recipient)
        #expect(data?["text"]?.string == message.text)
        #expect(data?["expires_at"]?.integer == 1_700_000_300)
    }

    @Test("Twilio's Messages API is given a form, the account's token, and how long the message is of use")
    func twilio() async throws {
        let account = TwilioMessages.Account(sid: "AC0123", token: "secret")
        let (outcome, head, body) = try await post("201 Created") {
            TwilioMessages(
                base: $0, account: account, sender: "+15550001",
                http: GuardedHTTP(policy: .loopback, timeout: .seconds(300)))
        }
        #expect(outcome == .delivered)
        #expect(head.first == "POST /2010-04-01/Accounts/AC0123/Messages.json HTTP/1.1")
        #expect(head.contains("Authorization: Basic \(Data("AC0123:secret".utf8).base64EncodedString())"))
        let fields = try FormParameters(parsing: body)
        #expect(fields.values("To").first == message.recipient)
        #expect(fields.values("From").first == "+15550001")
        #expect(fields.values("Body").first == message.text)
        #expect(fields.values("ValidityPeriod").first == "290")
        #expect("\(account)" == "<redacted>")
    }

    @Test(
        "What is wrong with the message is for good, what is wrong with us or the service holds up others",
        arguments: [
            ("400 Bad Request", DeliveryOutcome.refused("twilio: 400")),
            ("409 Conflict", .postponed("twilio: 409", retryAfter: .seconds(17))),
            ("401 Unauthorized", .unavailable("twilio: 401", retryAfter: .seconds(17))),
            ("302 Found", .unavailable("twilio: 302", retryAfter: .seconds(17))),
            ("429 Too Many Requests", .postponed("twilio: 429", retryAfter: .seconds(17))),
            ("503 Service Unavailable", .unavailable("twilio: 503", retryAfter: .seconds(17))),
        ])
    func outcomes(_ status: String, _ expected: DeliveryOutcome) async throws {
        let (outcome, _, _) = try await post(status) {
            TwilioMessages(
                base: $0, account: TwilioMessages.Account(sid: "AC0123", token: "secret"), sender: "MG1",
                http: GuardedHTTP(policy: .loopback, timeout: .seconds(300)))
        }
        #expect(outcome == expected)
    }

    @Test("SSRF: a service at a private address is not posted to, unless the operator permits its network")
    func guarded() async throws {
        let signature = try #require(WebhookSignature(secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
        let (outcome, head, _) = try await post("204 No Content") {
            SMSWebhook(url: $0, signature: signature, http: GuardedHTTP())
        }
        #expect(outcome == .unavailable("webhook: \(OutboundFault.forbiddenAddress)"))
        #expect(head.isEmpty)
        let problem = await SMSWebhook(url: "https://10.0.0.1/", signature: signature, http: GuardedHTTP()).examine()
        #expect(problem == OutboundFault.forbiddenAddress.description)
    }
}
