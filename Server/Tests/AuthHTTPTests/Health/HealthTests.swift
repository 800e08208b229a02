import CFaultyDisk
import Core
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Operations
import TestSupport
import Testing
import WalletAuthWire

@testable import HTTP
@testable import Kernel
@testable import Web

@Suite(
    "Health, metrics and the sandbox's pages", .threat("DNS rebinding and tunnels"),
    .covers("GET /metrics, /sandbox/outbox", "a graceful stop"))
struct HealthTests {
    @Test("Health answers live and ready")
    func health() async throws {
        try await TestServer.serve { _, client in
            let live = try await client.get("/health/live")
            #expect(live.status == .ok)
            let ready = try await client.get("/health/ready")
            #expect(ready.status == .ok)
        }
    }

    @Test("About to stop, ready is 404 and requests are served; each response is the last one of its connection")
    func drain() async throws {
        try await TestServer.use { server in
            let drain = Drain()
            try await server.serve(drain: drain) { client in
                let port = try #require(client.port)
                let ready = try await client.get("/health/ready")
                #expect(ready.status == .ok)
                let request = "GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n"
                let kept = try await RawConnection.open(port: port, sending: request)
                let first = try await kept.text(until: "\"live\"")
                #expect(!first.lowercased().contains("connection: close"))
                drain.begin()
                try await kept.send(request)
                let last = try await kept.textUntilClosed()
                #expect(last.lowercased().contains("connection: close\r\n"))
                for (path, status) in [
                    ("/health/ready", "404"), ("/health/live", "200"), ("/.well-known/openid-configuration", "200"),
                ] {
                    let connection = try await RawConnection.open(port: port)
                    try await connection.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    let answer = try await connection.textUntilClosed()
                    #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer.prefix(60))")
                    #expect(answer.lowercased().contains("connection: close\r\n"), "\(path)")
                }
                // Two that arrive at once are both answered.
                let pipelining = try await RawConnection.open(port: port, sending: request + request)
                let answers = try await pipelining.textUntilClosed().lowercased()
                #expect(answers.components(separatedBy: "http/1.1 200 ").count == 3, "\(answers)")
                let parts = answers.components(separatedBy: "connection: close\r\n")
                #expect(parts.count == 2 && parts[0].components(separatedBy: "http/1.1 200 ").count == 3, "\(answers)")
            }
        }
    }

    @Test("Metrics tell by brand and provider how often an identity provider vouched, refused and could not be asked")
    func providerMetrics() {
        var buffer = ByteBuffer()
        #expect(Metric.of([ProviderMetrics]()).isEmpty)
        let provider = ProviderMetrics(brand: "default", provider: "apple", ok: 3, refused: 1, unavailable: 2)
        for metric in Metric.of([provider]) { metric.write(to: &buffer) }
        let lines = String(buffer: buffer).split(separator: "\n").map(String.init)
        #expect(
            lines == [
                "# HELP identity_provider_verifications_total Sign-ins that identity providers were asked to verify.",
                "# TYPE identity_provider_verifications_total counter",
                #"identity_provider_verifications_total{brand="default",provider="apple",outcome="ok"} 3"#,
                #"identity_provider_verifications_total{brand="default",provider="apple",outcome="refused"} 1"#,
                #"identity_provider_verifications_total{brand="default",provider="apple",outcome="unavailable"} 2"#,
            ])
    }

    @Test("Metrics tell by limit how many codes for guests were not sent")
    func heldGuestCodes() {
        var buffer = ByteBuffer()
        #expect(Metric.of([(limit: String, count: UInt64)]()).isEmpty)
        let held: [(limit: String, count: UInt64)] = [("client", 2), ("network", 1)]
        for metric in Metric.of(held) { metric.write(to: &buffer) }
        #expect(
            String(buffer: buffer) == """
                # HELP guest_codes_held_total Codes by SMS for guests that a limit kept from being sent.
                # TYPE guest_codes_held_total counter
                guest_codes_held_total{limit="client"} 2
                guest_codes_held_total{limit="network"} 1

                """)
    }

    @Test("Metrics count requests by route and status, and a path that does not exist adds no series")
    func metrics() async throws {
        try await TestServer.serve { _, client in
            for path in ["/health/live", "/health/live", "/nowhere/1", "/nowhere/2"] { _ = try await client.get(path) }
            let answer = try await client.get("/metrics")
            #expect(answer.status == .ok)
            #expect(answer.headers[.contentType] == "text/plain; version=0.0.4; charset=utf-8")
            let text = answer.text
            #expect(
                text.contains("http_server_requests_total{method=\"GET\",route=\"/health/live\",status=\"200\"} 2\n"))
            #expect(text.contains("http_server_requests_total{method=\"other\",route=\"other\",status=\"404\"} 2\n"))
            #expect(text.contains("route=\"/health/live\",le=\"+Inf\"} 2\n"))
            #expect(!text.contains("nowhere"))
        }
    }

    @Test(
        "attack: a proxy on this machine that is not configured passes on neither the metrics nor the sandbox's pages",
        arguments: ["/metrics", "/sandbox/outbox", "/sandbox/apple", "/sandbox/apple/auth/authorize"])
    func unknownProxy(path: String) async throws {
        try await TestServer.serve { _, client in
            for field in ClientAddressTests.proxyFields {
                let name = try #require(HTTPField.Name(field))
                let answer = try await client.get(path, [name: "203.0.113.9"])
                #expect(answer.status == .notFound, "\(field)")
            }
        }
    }

    @Test("A configured proxy passes on the sandbox's messages, and no metrics")
    func configuredProxy() async throws {
        try await TestServer.serve(TestServer.behindLocalProxy) { _, client in
            let forwarded: HTTPFields = [.xForwardedFor: "203.0.113.9", .xForwardedProto: "http"]
            let messages = try await client.get("/sandbox/outbox", forwarded)
            let metrics = try await client.get("/metrics", forwarded)
            #expect(messages.status == .ok)
            #expect(metrics.status == .notFound)
        }
    }

    @Test(
        "attack: a page whose own name leads to this machine reads neither the sandbox's messages nor the metrics",
        arguments: ["/sandbox/outbox", "/metrics"])
    func rebinding(path: String) async throws {
        try await TestServer.serve { _, client in
            let port = try #require(client.port)
            func status(_ head: String) async throws -> String {
                let connection = try await RawConnection.open(port: port)
                try await connection.send(head + "\r\nConnection: close\r\n\r\n")
                return try await connection.textUntilClosed()
            }
            for host in [
                "evil.example", "evil.example:\(port)", "127.0.0.1.evil.example", "localhost.evil.example", "127.1",
                "0",
                "2130706433", "10.0.0.1", "[::2]",
            ] {
                let answer = try await status("GET \(path) HTTP/1.1\r\nHost: \(host)")
                #expect(answer.hasPrefix("HTTP/1.1 421 "), "\(host): \(answer.prefix(60))")
                #expect(!answer.contains("http_server_requests_total"))
                #expect(!answer.contains("No messages yet"))
            }
            for head in [
                "Host: evil.example\r\nX-Forwarded-Host: localhost", "Host: evil.example\r\nForwarded: host=localhost",
                "Host: localhost\r\nHost: evil.example", "Host: evil.example\r\nHost: localhost",
                "Host: localhost:x", "Host: 127.0.0.1:80:80", "Host: 127.0.0.1@evil.example", "Host: [::1", "Host: ",
            ] {
                let answer = try await status("GET \(path) HTTP/1.1\r\n\(head)")
                #expect(!answer.hasPrefix("HTTP/1.1 200 "), "\(head)")
            }
            let absolute = try await status("GET http://localhost\(path) HTTP/1.1\r\nHost: evil.example")
            #expect(absolute.hasPrefix("HTTP/1.1 421 "), "\(absolute.prefix(60))")
            for host in ["127.0.0.1:8700", "localhost", "LOCALHOST:1", "127.0.0.2", "[::1]:8700", "[::ffff:127.0.0.1]"]
            {
                let answer = try await status("GET \(path) HTTP/1.1\r\nHost: \(host)")
                #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(host): \(answer.prefix(60))")
            }
        }
    }

    @Test("A refusal of a foreign host names the address to use, in every language of a page and in a problem document")
    func foreignHostsAddress() async throws {
        try await TestServer.serve { _, client in
            let port = try #require(client.port)
            func answer(_ path: String, _ language: Language) async throws -> String {
                let connection = try await RawConnection.open(port: port)
                try await connection.send(
                    "GET \(path) HTTP/1.1\r\nHost: evil.example\r\nAccept-Language: \(language.rawValue)\r\n"
                        + "Connection: close\r\n\r\n")
                return try await connection.textUntilClosed()
            }
            for language in Language.allCases {
                let page = try await answer("/sandbox/outbox", language)
                let step = language.text[
                    .nextStepOwnAddress, ["address": TestServer.issuer + "/sandbox/outbox"]]
                #expect(page.contains(HTMLEscaping().escapeText(language.text[.foreignHost])))
                #expect(page.contains(HTMLEscaping().escapeText(step)))
                #expect(!page.contains(HTMLEscaping().escapeText(language.text[.nextStepApp])))
            }
            let problem = try await answer("/metrics", .english)
            #expect(problem.contains("\"misdirected_request\""))
            #expect(problem.contains("127.0.0.1:8700"))
            #expect(problem.contains("metrics\""))
        }
    }

    @Test("The issuer's own host counts on any port and in any case, and no other name that contains it")
    func issuersHost() throws {
        let hosts = LocalHosts(issuer: try Issuer("https://id.example.com:8443"))
        for host in ["id.example.com", "ID.example.com:443", "id.example.com:8443", "localhost:1"] {
            #expect(hosts.contain(host), "\(host)")
        }
        for host in ["example.com", "x.id.example.com", "id.example.com.", "id.example.com.evil.example"] {
            #expect(!hosts.contain(host), "\(host)")
        }
    }

    @Test(
        "attack: a path in another spelling passes a proxy that blocks it from outside",
        arguments: [
            "//metrics", "/metrics/", "/metrics//", "///metrics", "/metrics%2f", "/%2fmetrics", "/./metrics",
            "/metrics/.",
            "/x/../metrics", "metrics", "/metrics;x", "/METRICS", "/metrics%00", "/%6detrics", "//sandbox/outbox",
            "/sandbox//outbox", "/sandbox/outbox/", "/sandbox%2foutbox", "//health/live", "/health/live/",
            "//oauth2/token", "/oauth2//authorize", "/oauth2/authorize/", "//.well-known/openid-configuration",
            "/assets//x", "http://localhost//metrics",
        ])
    func exactPaths(target: String) async throws {
        try await TestServer.serve { _, client in
            let connection = try await RawConnection.open(port: try #require(client.port))
            try await connection.send("GET \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            let answer = try await connection.textUntilClosed()
            #expect(answer.hasPrefix("HTTP/1.1 404 ") || answer.hasPrefix("HTTP/1.1 400 "), "\(answer.prefix(60))")
        }
    }

    @Test("Metrics behind a token are 401 with a challenge without it, and 404 when they are off")
    func metricsAccess() async throws {
        try await TestServer.serve {
            $0.metrics = .token("scraper")
        } _: { _, client in
            let answer = try await client.get("/metrics", [.authorization: "Bearer scraper"])
            #expect(answer.status == .ok)
            let refused = try await client.get("/metrics", [.authorization: "Bearer guess"])
            #expect(refused.status == .unauthorized)
            #expect(refused.headers[.wwwAuthenticate] == "Bearer")
        }
        try await TestServer.serve {
            $0.metrics = .off
        } _: { _, client in
            let answer = try await client.get("/metrics")
            #expect(answer.status == .notFound)
        }
    }

    @Test(
        "The outbox is JSON for a client that asks for it: each message with its kind, recipient, text, code and state")
    func outboxAsJSON() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            try await server.makeAccount()
            let empty = try await client.get("/sandbox/outbox", [.accept: "application/json"])
            #expect(empty.headers[.contentType]?.hasPrefix("application/json") == true)
            #expect(empty.headers[.cacheControl] == "no-store")
            #expect(empty.headers[.vary]?.contains("Accept") == true)
            #expect(empty.text == #"{"messages":[]}"#)
            // A browser names both, and gets the page.
            let page = try await client.get("/sandbox/outbox", [.accept: "text/html,application/json;q=0.9,*/*;q=0.8"])
            #expect(page.headers[.contentType]?.hasPrefix("text/html") == true)

            try await server.execute(
                AdminRequest(["account", "set-password", "maria"], input: "another phrase 8"))
            let answer = try await client.get("/sandbox/outbox", [.accept: "application/json"])
            let message = try #require(try answer.json["messages"]?.array?.first?.object)
            #expect(try message.string("kind") == "password_changed")
            #expect(try message.string("state") == "waiting")
            for member in ["channel", "recipient", "subject", "text"] {
                #expect(try message.string(member)?.isEmpty == false, "\(member)")
            }
            #expect(try message.string("code") == nil)
            #expect((message["createdAt"]?.integer ?? 0) > 1_700_000_000_000)
        }
    }

    @Test("The outbox is there in the sandbox alone")
    func outbox() async throws {
        try await TestServer.serve { _, client in
            let page = try await client.get("/sandbox/outbox")
            #expect(page.status == .ok)
            #expect(page.text.contains("No messages yet"))
        }
        try await TestServer.serve(
            issuer: "https://id.example.com", environment: .production, TestServer.behindLocalProxy
        ) { _, client in
            let page = try await client.get("/sandbox/outbox", [.xForwardedProto: "https"])
            #expect(page.status == .notFound)
        }
    }

    @Test("XSS by an e-mail address: in the outbox it is text")
    func outboxEscapes() throws {
        let pages = Pages(issuer: try Issuer(TestServer.issuer), templates: try Features.templates())
        let message = OutboxValues.Message(
            kind: "email code", channel: "email", recipient: "<script>1</script>@example.com", time: "", shownTime: "",
            delivery: nil, code: "123456", subject: nil, text: "")
        let page = pages.templates.render(
            OutboxValues(
                emptyLabel: "", codeLabel: "", hasMessages: true, messages: [message],
                home: LinkValues(address: "/", label: "")),
            in: pages.frame(.english, heading: "", lead: "", brandName: ""))
        #expect(page.contains("&lt;script&gt;1"))
        #expect(page.contains("<code>123456</code>"))
    }

    @Test("A request that a trusted proxy took in plain on an https issuer is refused before anything is read")
    func plainTransport() async throws {
        try await TestServer.serve(issuer: "https://id.example.com") {
            $0.trustedProxies = ["127.0.0.1", "::1"].compactMap(AddressRange.init)
        } _: { _, client in
            let plain = try await client.post(
                "/oauth2/token", ["grant_type": "x"], [.xForwardedFor: "203.0.113.9", .xForwardedProto: "http"])
            #expect(plain.status == .forbidden)
            let secure = try await client.post(
                "/oauth2/token", ["grant_type": "x"], [.xForwardedFor: "203.0.113.9", .xForwardedProto: "https"])
            #expect(secure.status == .badRequest)
        }
    }

    @Test(
        "A trusted proxy that does not say how it was reached is refused with the reason, but for health, keys and files"
    )
    func silentProxy() async throws {
        for environment in [ServerSettings.Environment.sandbox, .production] {
            try await TestServer.serve(
                issuer: "https://id.example.com", environment: environment, TestServer.behindLocalProxy
            ) { server, client in
                for headers in [[:], [.xForwardedFor: "203.0.113.9"], [.xForwardedProto: ""]] as [HTTPFields] {
                    let refused = try await client.post("/oauth2/token", ["grant_type": "x"], headers)
                    #expect(refused.status == .forbidden)
                    #expect(try refused.member("error_description")?.contains("X-Forwarded-Proto") == true)
                    for path in ["/health/live", "/health/ready"] {
                        #expect(try await client.get(path, headers).status == .ok)
                    }
                }
                #expect(server.log.lines.contains { $0.contains("403") && $0.contains("must set X-Forwarded-Proto") })
            }
        }
        try await TestServer.serve(TestServer.behindLocalProxy) { _, client in
            let answer = try await client.post("/oauth2/token", ["grant_type": "x"])
            #expect(answer.status == .badRequest, "an issuer in plain HTTP has nothing to say")
        }
    }
}
