import AuthCore
import AuthFlows
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import AuthHTTP

@Suite("Health, metrics and the sandbox's pages")
struct OperationsTests {
    @Test("Health answers live and ready")
    func health() async throws {
        try await TestServer.serve { _, client in
            let live = try await client.get("/health/live")
            #expect(live.status == .ok)
            let ready = try await client.get("/health/ready")
            #expect(ready.status == .ok)
        }
    }

    @Test("Ready is 503 when the database is gone, while live stays 200")
    func databaseGone() async throws {
        try await TestServer.use { server in
            try await server.serve { client in
                await server.closeDatabase()
                let live = try await client.get("/health/live")
                #expect(live.status == .ok)
                let ready = try await client.get("/health/ready")
                #expect(ready.status == .serviceUnavailable)
            }
        }
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

    @Test("Metrics answer this machine alone, and nobody through a proxy")
    func metricsOnLoopback() async throws {
        try await TestServer.serve { _, client in
            let answer = try await client.get("/metrics", [.xForwardedFor: "203.0.113.9"])
            #expect(answer.status == .notFound)
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

    @Test("The outbox is there in the sandbox alone")
    func outbox() async throws {
        try await TestServer.serve { _, client in
            let page = try await client.get("/sandbox/outbox")
            #expect(page.status == .ok)
            #expect(page.text.contains("No message is waiting."))
        }
        try await TestServer.serve(
            issuer: "https://id.example.com", environment: .production, TestServer.behindLocalProxy
        ) { _, client in
            let page = try await client.get("/sandbox/outbox")
            #expect(page.status == .notFound)
        }
    }

    @Test("XSS by an e-mail address: in the outbox it is text")
    func outboxEscapes() throws {
        let page = try PageTemplates().render(
            .outbox,
            ["hasMessages": true, "messages": [["recipient": "<script>1</script>@example.com", "code": "123456"]]])
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
}
