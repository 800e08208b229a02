import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthTransport
import WalletAuthWire

@Suite("How long a standard server is waited for", .covers("a slow server mistakes the SDK's retry for theft"))
struct WaitingTests {
    /// Notes how long each request for tokens may take.
    private final class Timeouts: HTTPTransport {
        private let base: any HTTPTransport
        private let noted = LockedValue<[Duration]>([])
        var all: [Duration] { noted.withLock { $0 } }

        init(_ base: any HTTPTransport) { self.base = base }

        func send(_ request: HTTPRequest) async throws -> HTTPResponse {
            if request.url.path == Endpoints.token.path { noted.withLock { $0.append(request.timeout) } }
            return try await base.send(request)
        }
    }

    @Test(
        "A server that keeps no attempts is sent none, and has a minute for its answer; this project's own has twenty seconds"
    )
    func firstAnswer() async throws {
        for (keeps, expected) in [(false, Duration.seconds(60)), (true, .seconds(20))] {
            let standard = StandardWorld { $0.keepsRefreshAttempts = keeps }
            let timeouts = Timeouts(standard.odd)
            var ports = standard.ports
            ports.transport = timeouts
            let wallet = try await standard.world.signedIn(ports: ports)
            standard.expireToken()
            _ = try await wallet.accessToken()
            #expect(timeouts.all.last == expected)
            let refreshes = standard.server.requests.filter { $0.form["grant_type"] == "refresh_token" }
            #expect(refreshes.map { $0.form["attempt"] != nil } == [keeps])
        }
    }

    @Test(
        "The same call does not ask again after a lost response, nor after one that may have spent the token")
    func notSentTwice() async throws {
        for fault in [ServerFault.loseRequest, .answer(HTTPResponse(status: 500)), .answer(HTTPResponse(status: 504))] {
            let standard = StandardWorld()
            let wallet = try await standard.signedIn()
            standard.expireToken()
            standard.server.inject(fault, at: Endpoints.token.path, times: 3)
            let error = await failure { try await wallet.accessToken() }
            let isLost = if case .loseRequest = fault { true } else { false }
            #expect(error?.code == (isLost ? .renewalInterrupted : .temporarilyUnavailable))
            #expect(wallet.isLoggedIn)
            #expect(standard.world.clock.sleeperCount == 0)
            standard.server.withdrawFaults()
            standard.world.clock.advance(by: .seconds(61))
            _ = try await wallet.accessToken()
        }
    }

    @Test("What the server turned away unread is asked again")
    func turnedAway() async throws {
        let standard = StandardWorld()
        let wallet = try await standard.signedIn()
        standard.expireToken()
        standard.answer(503)
        let token = Task { try await wallet.accessToken() }
        await standard.world.clock.waitForSleepers()
        standard.world.clock.advance(by: .seconds(2))
        _ = try await token.value
        #expect(standard.world.refreshes == 2)
    }

    @Test("A server that had too many requests and says no time is left alone for ten seconds")
    func tooManyRequests() async throws {
        let standard = StandardWorld()
        let wallet = try await standard.signedIn()
        standard.expireToken()
        standard.answer(429)
        #expect(
            await failure { try await wallet.accessToken() }?.outcome
                == .temporarilyUnavailable(retryAfter: .seconds(10)))
        standard.world.clock.advance(by: .seconds(9))
        #expect(await failure { try await wallet.accessToken() } != nil)
        #expect(standard.server.requests.count { $0.status == 429 } == 1)
        standard.world.clock.advance(by: .seconds(1))
        _ = try await wallet.accessToken()
    }

    @Test(
        "Retry-After counts alike as seconds and as a date, which is held against the answer's own Date, and both are capped",
        arguments: [
            ("30", Duration.seconds(30)), ("Fri, 15 Jan 2027 08:00:30 GMT", .seconds(30)),
            ("Fri, 15 Jan 2027 07:00:00 GMT", .zero), ("Fri, 15 Jan 2099 08:00:00 GMT", .seconds(365 * 86_400)),
            ("999999999999", .seconds(365 * 86_400)), ("99999999999999999999999", .seconds(365 * 86_400)),
        ])
    func retryAfter(header: String, expected: Duration) async throws {
        let standard = StandardWorld()
        let wallet = try await standard.signedIn()
        standard.expireToken()
        standard.answer(500, headers: ["Retry-After": header, "Date": "Fri, 15 Jan 2027 08:00:00 GMT"])
        let error = await failure { try await wallet.accessToken() }
        #expect(error?.outcome == .temporarilyUnavailable(retryAfter: expected))
        // Whatever it asks for, a renewal is tried again after a minute.
        standard.world.clock.advance(by: .seconds(60))
        _ = try await wallet.accessToken()
    }

    @Test("invalid_grant with a 5xx is trouble of the moment, and keeps the server's words")
    func serverTrouble() async throws {
        let standard = StandardWorld()
        let wallet = try await standard.signedIn()
        standard.expireToken()
        standard.answer(500, #"{"error":"invalid_grant","error_description":"database is down"}"#)
        let error = await failure { try await wallet.accessToken() }
        #expect(error?.outcome == .temporarilyUnavailable(retryAfter: nil))
        #expect(error?.reason == "invalid_grant: database is down")
        standard.world.clock.advance(by: .seconds(2))
        _ = try await wallet.accessToken()
    }

    @Test("A code whose redemption the server could not answer is spent: the error says to sign in again")
    func codeSpent() async throws {
        let standard = StandardWorld()
        standard.answer(503)
        let wallet = try standard.wallet()
        let error = await failure { try await wallet.setUp() }
        #expect(error?.code == .signInInterrupted)
        #expect(error?.reason.contains("sign in again") == true)
        #expect(try await wallet.setUp() == .signedIn)
    }

    @Test(
        "A code that is answered without tokens or a reason is spent too, and that is not called trouble of the moment")
    func codeUnexplained() async throws {
        for status in [400, 403, 302] {
            let standard = StandardWorld()
            standard.answer(status, "<html>blocked</html>")
            let wallet = try standard.wallet()
            let error = await failure { try await wallet.setUp() }
            #expect(error?.code == .signInInterrupted)
            #expect(error?.outcome == .refused)
            #expect(error?.reason.contains("returned \(status)") == true)
            #expect(try await wallet.setUp() == .signedIn)
        }
    }
}
