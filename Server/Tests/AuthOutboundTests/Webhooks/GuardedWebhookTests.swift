import Core
import Testing
import WalletAuthWire

@testable import Outbound

@Suite("Posts to receivers of webhooks", .threat("Server-side request forgery"))
struct GuardedWebhookTests {
    private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    private static let other = "whsec_plJ3nmyCDGBKInavdOK15jslMfKQ9r8G"

    private func request(to url: String, by secrets: [String] = [secret]) throws -> WebhookRequest {
        WebhookRequest(
            url: url, id: "evt_1", body: Array(#"{"type":"webhook.test"}"#.utf8),
            signatures: try secrets.map { try #require(WebhookSignature(secret: $0)) })
    }

    /// Reads a request whole.
    private func head(_ conversation: ScriptedServer.Conversation) async throws -> [String] {
        var head: [String] = []
        while let line = try await conversation.line(), !line.isEmpty { head.append(line) }
        let length = head.first { $0.lowercased().hasPrefix("content-length:") }?
            .split(separator: " ").last.flatMap { Int($0) }
        _ = try await conversation.text(length ?? 0)
        return head
    }

    private func post(
        timeout: Duration = .seconds(300),
        _ answer: @escaping @Sendable (ScriptedServer.Conversation) async throws -> Void
    ) async throws -> (outcome: WebhookOutcome, heads: [[String]]) {
        let heads = Gathered<[String]>()
        let server = try await ScriptedServer.start { conversation in
            await heads.add(try await head(conversation))
            try await answer(conversation)
            try await conversation.end()
        }
        let webhooks = GuardedWebhooks(policy: .loopback, timeout: timeout)
        let outcome = try await webhooks.post(
            request(to: "http://127.0.0.1:\(server.port)/hooks", by: [Self.secret, Self.other]),
            now: Timestamp(seconds: 1_700_000_000))
        return (outcome, await heads.all)
    }

    @Test("An event is posted with a signature for each secret")
    func signed() async throws {
        let (outcome, heads) = try await post { try await $0.say("HTTP/1.1 204 No Content\r\n\r\n") }
        #expect(outcome == .delivered)
        let head = try #require(heads.first)
        #expect(head.first == "POST /hooks HTTP/1.1")
        #expect(head.contains("webhook-id: evt_1"))
        #expect(head.contains("webhook-timestamp: 1700000000"))
        let signature = try #require(head.first { $0.hasPrefix("webhook-signature: ") })
        #expect(signature.split(separator: " ").dropFirst().map { $0.prefix(3) } == ["v1,", "v1,"])
    }

    @Test("A logout token is posted as a form, without the headers of webhooks, and no redirect is followed")
    func logoutToken() async throws {
        let heads = Gathered<[String]>()
        let server = try await ScriptedServer.start { conversation in
            await heads.add(try await head(conversation))
            try await conversation.say(
                "HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n")
            try await conversation.end()
        }
        var form = FormParameters()
        form.append("logout_token", "a.b.c")
        let outcome = try await GuardedWebhooks(policy: .loopback, timeout: .seconds(300)).post(
            WebhookRequest(url: "http://127.0.0.1:\(server.port)/out?x=1", id: "evt_1", form: form),
            now: Timestamp(seconds: 1_700_000_000))
        #expect(outcome == .failed("status 302"))
        let sent = await heads.all
        #expect(sent.count == 1)
        #expect(sent.first?.first == "POST /out?x=1 HTTP/1.1")
        #expect(sent.first?.contains("Content-Type: application/x-www-form-urlencoded") == true)
        #expect(sent.first?.contains { $0.lowercased().hasPrefix("webhook-") } == false)
    }

    @Test(
        "Every status but success is for later, some are about the event alone, and 410 is for good",
        arguments: [
            ("200 OK", WebhookOutcome.delivered), ("410 Gone", .gone),
            ("400 Bad Request", .rejected("status 400", retryAfter: .seconds(17))),
            ("409 Conflict", .rejected("status 409", retryAfter: .seconds(17))),
            ("413 Content Too Large", .rejected("status 413", retryAfter: .seconds(17))),
            ("422 Unprocessable Content", .rejected("status 422", retryAfter: .seconds(17))),
            ("401 Unauthorized", .failed("status 401", retryAfter: .seconds(17))),
            ("404 Not Found", .failed("status 404", retryAfter: .seconds(17))),
            ("503 Service Unavailable", .failed("status 503", retryAfter: .seconds(17))),
        ])
    func statuses(_ status: String, _ expected: WebhookOutcome) async throws {
        let (outcome, _) = try await post {
            try await $0.say("HTTP/1.1 \(status)\r\nContent-Length: 0\r\nRetry-After: 17\r\n\r\n")
        }
        #expect(outcome == expected)
    }

    @Test("A connection that the receiver closes instead of an answer is tried once more, under the same id")
    func closed() async throws {
        let heads = Gathered<[String]>()
        let server = try await ScriptedServer.start { conversation in
            await heads.add(try await head(conversation))
            guard await heads.all.count > 1 else { return try await conversation.reset() }
            try await conversation.say("HTTP/1.1 204 No Content\r\n\r\n")
            try await conversation.end()
        }
        let outcome = try await GuardedWebhooks(policy: .loopback, timeout: .seconds(300)).post(
            request(to: "http://127.0.0.1:\(server.port)/"), now: Timestamp(seconds: 1_700_000_000))
        #expect(outcome == .delivered)
        let ids = await heads.all.map { $0.first { $0.hasPrefix("webhook-id") } }
        #expect(ids == ["webhook-id: evt_1", "webhook-id: evt_1"])
    }

    @Test("attack: names of receivers that never resolve count against no receiver, and take no thread from a sign-in")
    func lookups() async throws {
        let busy = HostResolver { _ in throw OutboundFault.tooManyLookups }
        let outcome = try await GuardedWebhooks(policy: .loopback, timeout: .seconds(300), resolver: busy).post(
            request(to: "https://shop.example.com/"), now: Timestamp(seconds: 1_700_000_000))
        #expect(outcome == .notSent(OutboundFault.tooManyLookups.description))
        #expect(GuardedWebhooks(policy: .loopback).http.clients !== GuardedHTTP(policy: .loopback).clients)
    }

    @Test("attack: a receiver that redirects is not followed", arguments: ["301", "302", "307", "308"])
    func redirects(_ status: String) async throws {
        let (outcome, heads) = try await post {
            try await $0.say(
                "HTTP/1.1 \(status) Elsewhere\r\nLocation: http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n")
        }
        #expect(outcome == .failed("status \(status)"))
        #expect(heads.count == 1)
    }

    @Test("attack: a receiver that streams without end is cut off at a size")
    func endless() async throws {
        let (outcome, _) = try await post { conversation in
            try await conversation.say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            let chunk = "4000\r\n" + String(repeating: "x", count: 0x4000) + "\r\n"
            for _ in 0..<64 { try? await conversation.say(chunk) }
        }
        #expect(outcome == .failed(OutboundFault.tooLarge.description))
    }

    @Test("attack: a receiver that answers slowly, a byte at a time, is cut off at a time")
    func slow() async throws {
        let (outcome, _) = try await post(timeout: .milliseconds(400)) { conversation in
            try await conversation.say("HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n")
            try? await conversation.drip("x")
        }
        #expect(outcome == .failed(OutboundFault.timeout.description))
    }

    @Test("attack: a receiver that accepts and never answers is cut off at a time")
    func silent() async throws {
        let (outcome, _) = try await post(timeout: .milliseconds(400)) { _ in }
        #expect(outcome == .failed(OutboundFault.timeout.description))
    }

    @Test(
        "SSRF: private, reserved and metadata addresses are refused, and a name that leads there",
        arguments: [
            "https://10.0.0.1/", "https://192.168.0.1/", "https://100.64.0.1/", "https://169.254.169.254/",
            "https://[fd00:ec2::254]/", "https://[::1]/", "https://0.0.0.0/", "https://localhost/",
        ])
    func guarded(_ url: String) async throws {
        let webhooks = GuardedWebhooks(policy: AddressPolicy())
        let outcome = try await webhooks.post(request(to: url), now: Timestamp(seconds: 1_700_000_000))
        #expect(outcome == .failed(OutboundFault.forbiddenAddress.description))
        #expect(try await webhooks.fault(of: url) == .forbiddenAddress)
    }
}
