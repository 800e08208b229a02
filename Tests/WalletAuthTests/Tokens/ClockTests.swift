import Foundation
import Testing
import WalletAuthTesting
import WalletAuthTransport

@testable import WalletAuth

@Suite("Clocks that people move", .threat("Clocks, disks and crashes"), .covers("a wrong clock breaks proofs"))
struct ClockTests {
    @Test(
        "A wall clock that is a day off in either direction changes nothing", arguments: [-86_400, 86_400, 400_000_000])
    func dayOff(_ seconds: Int64) async throws {
        let world = World()
        world.clock.setWallClock(offBy: .seconds(seconds))
        let wallet = try await world.signedIn()
        _ = try await wallet.accessToken()
        #expect(world.refreshes == 0)
        #expect(try await wallet.perform(request("/api/me")).1.status == 200)
        world.expireToken()
        #expect(try await wallet.perform(request("/api/me")).1.status == 200)
        #expect(world.refreshes == 1)
        #expect(wallet.diagnostics.clockOffset.map { abs($0 + seconds) <= 1 } == true)
    }

    @Test("A wall clock that is moved while the app runs changes nothing")
    func movedMeanwhile() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        world.clock.setWallClock(offBy: .seconds(86_400))
        _ = try await wallet.accessToken()
        #expect(try await wallet.perform(request("/api/me")).1.status == 200)
        #expect(world.refreshes == 0)
    }

    @Test(
        "Moved between two runs of the app, it costs a renewal at most, and never the session",
        arguments: [-86_400, 86_400])
    func movedBetweenRuns(_ seconds: Int64) async throws {
        let world = World()
        _ = try await world.signedIn()
        world.clock.setWallClock(offBy: .seconds(seconds))
        let wallet = try await world.signedIn()
        #expect(try await wallet.perform(request("/api/me")).1.status == 200)
        #expect(world.refreshes <= 1)
        #expect(world.userAgent.presented.count == 1)
    }

    @Test(
        "A device with a wrong clock renews its token, with nonces or without: its proofs have the server's time",
        arguments: [-7200, -240, 240, 7200], [ScriptedServer.Settings.DPoP.offered, .required])
    func proofs(offBy seconds: Int64, dpop: ScriptedServer.Settings.DPoP) async throws {
        var settings = ScriptedServer.Settings()
        settings.dpop = dpop
        let world = World(settings)
        _ = try await world.signedIn()
        world.expireToken()
        world.clock.setWallClock(offBy: .seconds(seconds))
        try await world.wallet().refresh()
        // With nonces, the first request may do no more than bring one.
        #expect((1...(dpop == .required ? 2 : 1)).contains(world.refreshes))
        #expect(world.living.count == 1)
    }

    @Test("Dates of HTTP are read exactly, and nothing else is")
    func dates() {
        #expect(HTTPDate.parse("Sun, 06 Nov 1994 08:49:37 GMT")?.seconds == 784_111_777)
        #expect(HTTPDate.parse("Thu, 29 Feb 2024 23:59:59 GMT")?.seconds == 1_709_251_199)
        #expect(HTTPDate.parse("Thu, 01 Jan 1970 00:00:00 GMT")?.seconds == 0)
        for text in [
            "", "yesterday", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 8.49 GMT",
        ] {
            #expect(HTTPDate.parse(text) == nil)
        }
    }

    @Test("Times beyond the range, as a broken server or app states them, saturate")
    func saturation() {
        let now = Instant(milliseconds: 1_800_000_000_000)
        for seconds in [Int64.max, Int64.max / 1000] {
            #expect((now + Duration.seconds(seconds)).milliseconds == .max)
            #expect(now - Duration.seconds(seconds) < now)
        }
        #expect(now + Duration.seconds(Int64.min) < now)
        #expect(Instant(milliseconds: .max) - Instant(milliseconds: .min) == .milliseconds(Int64.max))
        #expect(Instant(Date(timeIntervalSince1970: .infinity)).milliseconds == .max)
    }

    @Test("Renewal begins within the last fifth, at most a minute before the end, with jitter")
    func schedule() {
        for jitter in stride(from: 0.0, through: 1.0, by: 0.25) {
            let plan = RenewalSchedule(
                remaining: .seconds(300), lifetime: .seconds(300), now: .seconds(1000), jitter: jitter)
            #expect(plan.expiresAt == .seconds(1295))
            #expect((Duration.seconds(1235) ... .seconds(1265)).contains(plan.renewFrom))
        }
        let short = RenewalSchedule(remaining: .seconds(3), lifetime: .seconds(3), now: .zero, jitter: 0.5)
        #expect(short.renewFrom < short.expiresAt)
        #expect(short.expiresAt > .seconds(2))
        let unknown = RenewalSchedule(remaining: nil, lifetime: nil, now: .zero, jitter: 0)
        #expect(unknown.renewFrom > .seconds(1_000_000_000))
    }

    @Test("Waits are jittered, doubled and bounded, and a long Retry-After is not waited for")
    func waits() {
        let policy = RetryPolicy.idempotent
        #expect(policy.wait(afterAttempts: 1, retryAfter: nil, jitter: 1) == .milliseconds(200))
        #expect(policy.wait(afterAttempts: 2, retryAfter: nil, jitter: 1) == .milliseconds(400))
        #expect(policy.wait(afterAttempts: 2, retryAfter: nil, jitter: 0) == .zero)
        #expect(policy.wait(afterAttempts: 3, retryAfter: nil, jitter: 1) == nil)
        #expect(policy.wait(afterAttempts: 1, retryAfter: .seconds(60), jitter: 1) == nil)
        #expect(RetryPolicy.once.wait(afterAttempts: 1, retryAfter: nil, jitter: 1) == nil)
    }

    @Test("attack: a resource refuses a proof while another answer moves the clock: no POST is sent again")
    func refusedByResource() async throws {
        let world = World()
        let odd = OddServer(world.server)
        var ports = world.ports
        ports.transport = odd
        let wallet = try await world.signedIn(ports: ports)
        let (clock, time) = (wallet.calls.exchange.clock, world.clock)
        odd.rewrite { request, response in
            guard request.url.path == "/api/transfer" else { return response }
            clock.learn(date: "Fri, 01 Jan 2100 00:00:00 GMT", sentAt: time.uptime())
            return HTTPResponse(status: 400, body: Data(#"{"error":"invalid_dpop_proof"}"#.utf8))
        }
        #expect(try await wallet.perform(request("/api/transfer", method: "POST")).1.status == 400)
        #expect(world.server.requests.count { $0.path == "/api/transfer" } == 1)
    }
}
