import Core
import FlowSupport
import Outbound
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations

@Suite("Commands about webhooks", .covers("webhooks"))
struct WebhookCommandTests {
    private func refusal(_ server: TestServer, _ words: [String]) async -> String? {
        await server.flows.administration.execute(AdminRequest(words)).refusal?.code
    }

    @Test(
        "SSRF: a receiver in a private or reserved network, at a cloud's metadata or without TLS is refused",
        arguments: [
            "https://10.0.0.1/hooks", "https://192.168.1.1/", "https://169.254.169.254/latest/meta-data/",
            "https://[fd00:ec2::254]/", "https://127.0.0.1/", "https://[::1]/", "https://192.0.2.1/", "http://1.1.1.1/",
            "ftp://1.1.1.1/", "https://user:pass@1.1.1.1/", "https://1.1.1.1/#part", "not a URL",
        ])
    func forbidden(_ url: String) async throws {
        let server = try await TestServer.start()
        #expect(await refusal(server, ["webhook", "add", url, "--brand", "default"]) == "webhook_unreachable")
        #expect(try await server.administer(["webhook", "list"])["webhooks"]?.array?.isEmpty == true)
    }

    @Test(
        "The refusal of a URL has only the remedy that helps",
        arguments: [
            ("shop.example.com/hooks", "Begin it with https://."), ("ftp://1.1.1.1/", "Begin it with https://."),
            ("http://93.184.216.34/hooks", "Begin it with https://."),
            ("https://10.0.0.1/hooks", "Private networks are permitted by the setting outbound.privateNetworks."),
        ])
    func remedy(_ url: String, _ expected: String) async throws {
        let server = try await TestServer.start()
        let answer = await server.flows.administration.execute(["webhook", "add", url, "--brand", "default"])
        #expect(answer.refusal?.hint == expected)
        let isNetwork = expected.contains("outbound.privateNetworks")
        #expect(answer.lines.joined().contains("privateNetworks") == isNetwork, "\(answer.lines)")
    }

    @Test("A receiver is of one client or one brand that exists, and of kinds that exist")
    func checked() async throws {
        let server = try await TestServer.start()
        let add = ["webhook", "add", TestServer.hook]
        #expect(await refusal(server, add) == "malformed")
        #expect(await refusal(server, add + ["--client", "a", "--brand", "b"]) == "malformed")
        #expect(await refusal(server, add + ["--client", "nobody"]) == "not_found")
        #expect(await refusal(server, add + ["--brand", "nobody"]) == "not_found")
        #expect(await refusal(server, add + ["--brand", "default", "--kind", "payments"]) == "malformed")
    }

    @Test("A client has ten receivers at most")
    func limited() async throws {
        let server = try await TestServer.start()
        _ = try await server.publicClient()
        for _ in 0..<10 { try await server.addWebhook(client: "app") }
        #expect(await refusal(server, ["webhook", "add", TestServer.hook, "--client", "app"]) == "limit")
        try await server.addWebhook(brand: "default")
    }

    @Test("A list has every receiver with its state, and never a secret or a query, which may have a token")
    func listed() async throws {
        let server = try await TestServer.start()
        let url = TestServer.hook + "?token=hidden"
        let added = try await server.administer(["webhook", "add", url, "--brand", "default"])
        let secret = try #require(try added.string("secret"))
        #expect(WebhookSignature(secret: secret) != nil)
        let id = try #require(try added.string("id"))
        for words in [["webhook", "list"], ["webhook", "show", id]] {
            let answer = await server.flows.administration.execute(AdminRequest(words))
            #expect(answer.json.contains(id))
            #expect(answer.json.contains("\"state\":\"active\""))
            let said = answer.json + answer.lines.joined()
            #expect(said.contains(TestServer.hook))
            for hidden in ["whsec_", "hidden"] { #expect(!said.contains(hidden)) }
        }
        let stored = try await server.context.database.read {
            try $0.row("SELECT secret FROM webhook_endpoints", [])?.blob("secret")
        }
        #expect(!String(decoding: stored ?? [], as: UTF8.self).contains(secret))
    }

    @Test("By a clock in doubt no secret gets an end, but one that leaked ends at once")
    func clockInDoubt() async throws {
        let server = try await TestServer.start()
        let id = try await server.addWebhook(brand: "default")
        server.clock.leap(by: .days(40))
        #expect(await refusal(server, ["webhook", "rotate-secret", id]) == "clock")
        #expect(await refusal(server, ["webhook", "rotate-secret", id, "--overlap", "40d"]) == "malformed")
        #expect(await refusal(server, ["webhook", "rotate-secret", id, "--overlap", "now"]) == nil)
    }

    @Test("A removed receiver takes its events along, and so does a deleted client")
    func removed() async throws {
        let server = try await TestServer.start()
        _ = try await server.publicClient()
        let id = try await server.addWebhook(brand: "default")
        try await server.addWebhook(client: "app")
        try await server.tell(1, about: server.context.random.uniqueID())
        try await server.administer(["webhook", "remove", id])
        try await server.administer(["client", "delete", "app"])
        let left = try await [server.rows(of: "webhook_endpoints"), server.rows(of: "webhook_deliveries")]
        #expect(left == [0, 0])
        #expect(await refusal(server, ["webhook", "show", id]) == "not_found")
    }

    @Test("Each change is in the audit log, and the commands name no secret there")
    func audited() async throws {
        let server = try await TestServer.start()
        let id = try await server.addWebhook(brand: "default", kinds: [.devices], at: TestServer.hook + "?token=hidden")
        try await server.administer(["webhook", "rotate-secret", id])
        try await server.administer(["webhook", "replay", id, "--since", "1h"])
        try await server.administer(["webhook", "remove", id])
        for kind in ["added", "secret_rotated", "replayed", "removed"] {
            let count = try await server.rows(of: "security_events WHERE kind = 'webhook.\(kind)'")
            #expect(count == 1, "webhook.\(kind)")
        }
        for secret in ["whsec", "hidden"] {
            #expect(try await server.rows(of: "security_events WHERE details LIKE '%\(secret)%'") == 0)
        }
        for detail in ["\"kinds\":[\"devices\"]", "\"since\":"] {
            #expect(try await server.rows(of: "security_events WHERE details LIKE '%\(detail)%'") == 1, "\(detail)")
        }
    }
}
