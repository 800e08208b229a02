import Foundation
import Testing
import WalletAuthTesting
import WalletAuthTransport
import WalletAuthWire

@testable import WalletAuth

@Suite("A server whose clock leaps", .threat("Clocks, disks and crashes"))
struct LeapedServerTests {
    /// One of several servers, whose clock a test sets ahead. To it, every session has expired.
    private final class LeapedServer: HTTPTransport {
        private let base: any HTTPTransport
        private let clock: ManualClock
        private let lead = LockedValue<Duration?>(nil)

        init(_ base: any HTTPTransport, _ clock: ManualClock) {
            self.base = base
            self.clock = clock
        }

        func leap(by duration: Duration?) { lead.withLock { $0 = duration } }

        func send(_ request: HTTPRequest) async throws -> HTTPResponse {
            var response = try await base.send(request)
            guard let lead = lead.withLock({ $0 }) else { return response }
            if request.url.path == Endpoints.token.path {
                response = HTTPResponse(status: 400, body: Data(#"{"error":"invalid_grant"}"#.utf8))
            }
            response.headers["Date"] = Self.text(of: Instant(clock.trueNow()) + lead)
            return response
        }

        static func text(of instant: Instant) -> String {
            let formatter = DateFormatter()
            formatter.locale = Locale(identifier: "en_US_POSIX")
            formatter.timeZone = TimeZone(secondsFromGMT: 0)
            formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
            return formatter.string(from: instant.date)
        }
    }

    private func scene() async throws -> (World, LeapedServer, Wallet) {
        let world = World()
        let server = LeapedServer(world.server, world.clock)
        var ports = world.ports
        ports.transport = server
        return (world, server, try await world.signedIn(ports: ports))
    }

    private static let month: Duration = .seconds(40 * 86_400)

    @Test(
        "A refusal with a time that contradicts the device's clock and the server's earlier time ends no session",
        arguments: [40 * 86_400, -40 * 86_400, 3600])
    func kept(seconds: Int64) async throws {
        let (world, server, wallet) = try await scene()
        world.expireToken()
        server.leap(by: .seconds(seconds))
        for _ in 0..<2 {
            let error = await failure { try await wallet.accessToken() }
            #expect(error?.outcome == .temporarilyUnavailable(retryAfter: nil))
            #expect(error?.code == .temporarilyUnavailable)
            #expect(wallet.isLoggedIn)
            world.clock.advance(by: .seconds(61))
        }
    }

    @Test("A refusal with a credible time ends the session, whatever the device's clock shows", arguments: [0, 86_400])
    func ended(seconds: Int64) async throws {
        let (world, server, wallet) = try await scene()
        world.clock.setWallClock(offBy: .seconds(seconds))
        world.expireToken()
        server.leap(by: .zero)
        let error = await failure { try await wallet.accessToken() }
        #expect(error?.outcome == .signedOut(.sessionEnded))
        #expect(!wallet.isLoggedIn)
    }

    @Test("The next run of the app remembers no time of a server that was doubted")
    func nextRun() async throws {
        let (world, server, wallet) = try await scene()
        world.expireToken()
        server.leap(by: Self.month)
        _ = await failure { try await wallet.accessToken() }
        var ports = world.ports
        ports.transport = server
        let next = try world.wallet(ports: ports)
        let error = await failure { try await next.accessToken() }
        #expect(error?.outcome == .temporarilyUnavailable(retryAfter: nil))
        #expect(next.isLoggedIn)
    }

    @Test("Only a time that contradicts both is doubted, and five minutes are no contradiction")
    func rule() {
        let now = Instant(milliseconds: 1_800_000_000_000)
        let (far, near) = (now + Duration.seconds(301), now + Duration.seconds(300))
        #expect(ServerTimeDoubt.isDoubtful(far, wall: now, believed: now))
        #expect(ServerTimeDoubt.isDoubtful(now, wall: far, believed: far))
        #expect(!ServerTimeDoubt.isDoubtful(near, wall: now, believed: now))
        #expect(!ServerTimeDoubt.isDoubtful(far, wall: far, believed: now))
        #expect(!ServerTimeDoubt.isDoubtful(far, wall: now, believed: far))
    }

    @Test("A time in doubt is followed for proofs, and believed once a call has succeeded")
    func believed() {
        let clock = ManualClock()
        let server = ServerClock(time: clock)
        #expect(!server.learn(date: "Fri, 15 Jan 2027 08:00:00 GMT", sentAt: clock.uptime()))
        #expect(server.believedOffset.map { $0 < .seconds(2) } == true)
        #expect(server.learn(date: "Sat, 16 Jan 2027 08:00:00 GMT", sentAt: clock.uptime()))
        #expect(server.offset > .seconds(86_000))
        #expect(server.believedOffset.map { $0 < .seconds(2) } == true)
        server.believe()
        #expect(server.believedOffset.map { $0 > .seconds(86_000) } == true)
        #expect(!server.learn(date: "Sat, 16 Jan 2027 08:00:00 GMT", sentAt: clock.uptime()))
    }

    @Test("An answer that took seconds moves no clock that it does not contradict", arguments: [0, 4500, 9000])
    func slowAnswer(writtenAfter milliseconds: Int) {
        let clock = ManualClock()
        let server = ServerClock(time: clock)
        let sentAt = clock.uptime()
        clock.advance(by: .milliseconds(milliseconds))
        let date = LeapedServer.text(of: Instant(clock.trueNow()))
        clock.advance(by: .milliseconds(9000 - milliseconds))
        server.learn(date: date, sentAt: sentAt)
        #expect(server.isMeasured)
        #expect(server.offset == .zero)
    }

    @Test("A server that writes its Date once a second moves no clock, whenever it did", arguments: [0, 700, 999])
    func cachedDate(writtenAfter milliseconds: Int) {
        let clock = ManualClock()
        let server = ServerClock(time: clock)
        clock.advance(by: .milliseconds(milliseconds))
        let date = LeapedServer.text(of: Instant(clock.trueNow()))
        for _ in 0..<10 {
            server.learn(date: date, sentAt: clock.uptime())
            #expect(server.offset == .zero)
            clock.advance(by: .milliseconds(100))
        }
    }

    @Test("An answer that contradicts the clock by more than its own duration corrects it")
    func contradiction() {
        let clock = ManualClock()
        let server = ServerClock(time: clock)
        let sentAt = clock.uptime()
        let date = LeapedServer.text(of: Instant(clock.trueNow()) - .seconds(10))
        clock.advance(by: .seconds(2))
        server.learn(date: date, sentAt: sentAt)
        #expect(server.offset < .seconds(-9) && server.offset > .seconds(-12))
    }
}
