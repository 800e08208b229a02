import Core
import HTTPTypes
import HummingbirdTesting
import Kernel
import Logging
import Synchronization
import TestSupport
import Testing

@Suite(
    "Requests while the clock is wrong", .threat("Clocks, disks and crashes"),
    .covers("GET /health/live, /health/ready"))
struct ClockTests {
    /// The system's clock, set ahead by a test.
    private final class ForwardClock: Core.Clock {
        private let lead = Mutex(Duration.zero)

        func now() -> Timestamp { SystemClock().now() + lead.withLock { $0 } }

        func uptime() -> Duration { SystemClock().uptime() }

        func leap(by duration: Duration) { lead.withLock { $0 += duration } }
    }

    @Test("attack: a server whose clock leaps refuses with 503 in the format of each route, and is not ready")
    func leap() async throws {
        let clock = ForwardClock()
        try await TestServer.use(clock: clock) { server in
            try await server.makePublicClient()
            try await server.serve { client in
                let before = try await client.get("/health/ready")
                #expect(before.status == .ok)
                clock.leap(by: .days(40))

                let token = try await client.post(
                    "/oauth2/token", ["grant_type": "refresh_token", "refresh_token": "x", "client_id": "wallet"])
                #expect(token.status == .serviceUnavailable)
                #expect(try token.member("error") == "temporarily_unavailable")
                #expect(token.headers[.retryAfter] == "10")
                let devices = try await client.get("/v1/devices")
                #expect(devices.status == .serviceUnavailable)
                #expect(try devices.member("code") == "temporarily_unavailable")
                let page = try await client.get("/account")
                #expect(page.status == .serviceUnavailable)
                #expect(page.headers[.contentType]?.hasPrefix("text/html") == true)
                let ready = try await client.get("/health/ready")
                #expect(ready.status == .serviceUnavailable)
                #expect(try ready.member("reason") == "clock")

                for path in ["/health/live", "/.well-known/jwks.json", "/metrics"] {
                    let answer = try await client.get(path)
                    #expect(answer.status == .ok, "\(path)")
                }
                let metrics = try await client.get("/metrics").text
                #expect(metrics.contains("\nclock_agrees 0\n") && metrics.contains("\nclock_serves 0\n"))
                #expect(metrics.contains("\nclock_difference_seconds 3456000\n"))
                #expect(server.log.levels(from: .critical) == [.critical])

                clock.leap(by: .days(-40))
                let after = try await client.get("/health/ready")
                #expect(after.status == .ok)
                let refused = try await client.post(
                    "/oauth2/token", ["grant_type": "refresh_token", "refresh_token": "x", "client_id": "wallet"])
                #expect(refused.status == .badRequest || refused.status == .unauthorized)
            }
        }
    }
}
