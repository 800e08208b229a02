import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthTransport
import WalletAuthWire

@Suite("What signing out says of the server", .covers("a sign-out is reported as revoked when it was not"))
struct RevocationTests {
    @Test(
        "Only 200 means revoked; any other response is a refusal, unless the trouble is temporary",
        arguments: [201, 204, 302, 400, 401, 403, 404, 405])
    func refused(status: Int) async throws {
        let standard = StandardWorld()
        let wallet = try await standard.signedIn()
        standard.server.inject(.answer(HTTPResponse(status: status)), at: Endpoints.revoke.path)
        #expect(try await wallet.logout() == .refused)
        #expect(!wallet.isLoggedIn)
        #expect(standard.world.living.count == 1)
    }

    @Test("A server without a revocation endpoint, or with one that may not be used, has none to offer")
    func notOffered() async throws {
        for endpoint in [nil, "/oauth2/revoke", "http://auth.example.com/revoke"] as [String?] {
            let standard = StandardWorld()
            standard.odd.changeMetadata { $0["revocation_endpoint"] = endpoint.map { .string($0) } }
            let wallet = try await standard.signedIn()
            #expect(try await wallet.logout() == .notOffered)
            #expect(await wallet.sendQueuedRevocations())
        }
    }

    @Test("Trouble of the moment leaves it in the queue", arguments: [429, 500, 503])
    func queued(status: Int) async throws {
        let standard = StandardWorld()
        let wallet = try await standard.signedIn()
        // More often than the sign-out asks: the run that the sign-in began may send it too.
        standard.server.inject(.answer(HTTPResponse(status: status)), at: Endpoints.revoke.path, times: 100)
        #expect(try await wallet.logout() == .queued)
        standard.server.withdrawFaults()
        #expect(await wallet.sendQueuedRevocations())
        #expect(standard.world.living.isEmpty)
    }

    @Test("A web page with 200 is not the server's response, and leaves the revocation in the queue")
    func webPage() async throws {
        let standard = StandardWorld()
        let wallet = try await standard.signedIn()
        let page = HTTPResponse(
            status: 200, headers: ["Content-Type": "text/html; charset=utf-8"],
            body: Data("\n<!doctype html><title>Welcome</title>".utf8))
        standard.server.inject(.answer(page), at: Endpoints.revoke.path, times: 100)
        #expect(try await wallet.logout() == .queued)
        #expect(standard.world.living.count == 1)
        standard.server.withdrawFaults()
        #expect(await wallet.sendQueuedRevocations())
        #expect(standard.world.living.isEmpty)
    }

    @Test(
        "A 200 that is no web page means revoked, whatever its type and its body are",
        arguments: [
            ("text/html; charset=utf-8", ""), ("text/html", "{}"), ("text/html", "OK"), ("application/xml", "<ok/>"),
            (nil, "<ok/>"),
        ] as [(String?, String)])
    func otherBodies(type: String?, body: String) async throws {
        let standard = StandardWorld()
        let wallet = try await standard.signedIn()
        standard.odd.rewrite { request, response in
            guard request.url.path == Endpoints.revoke.path else { return response }
            var changed = response
            changed.headers["Content-Type"] = type
            changed.body = Data(body.utf8)
            return changed
        }
        #expect(try await wallet.logout() == .revoked)
        #expect(standard.world.living.isEmpty)
    }

    @Test("A refusal with a reason is final and told; one without is asked again, three times in all")
    func again() async throws {
        let standard = StandardWorld()
        var wallet = try await standard.signedIn()
        let refusal = HTTPResponse(
            status: 400, body: Data(#"{"error":"unsupported_token_type","error_description":"no such thing"}"#.utf8))
        standard.server.inject(.answer(refusal), at: Endpoints.revoke.path)
        #expect(try await wallet.logout() == .refused)
        #expect(wallet.revocationRefusal?.code == "unsupported_token_type")
        #expect(wallet.revocationRefusal?.reason == "no such thing")
        #expect(await wallet.sendQueuedRevocations())
        func asked() -> Int { standard.server.requests.count { $0.path == Endpoints.revoke.path } }
        #expect(asked() == 1)
        wallet = try await standard.signedIn()
        standard.server.inject(.answer(HTTPResponse(status: 403)), at: Endpoints.revoke.path, times: 10)
        #expect(try await wallet.logout() == .refused)
        // Within a minute it is the same try.
        for _ in 0..<5 { _ = await wallet.sendQueuedRevocations() }
        #expect(asked() == 2)
        for _ in 0..<5 {
            standard.world.clock.advance(by: .seconds(60))
            _ = await wallet.sendQueuedRevocations()
        }
        #expect(asked() == 4)
    }

    @Test(
        "All wallets of a store together repeat a refused one once a minute, and a clock that was set back delays nothing"
    )
    func onceForAll() async throws {
        let standard = StandardWorld()
        let wallet = try await standard.signedIn()
        standard.server.inject(.answer(HTTPResponse(status: 403)), at: Endpoints.revoke.path, times: 10)
        #expect(try await wallet.logout() == .refused)
        func asked() -> Int { standard.server.requests.count { $0.path == Endpoints.revoke.path } }
        let processes = [try standard.wallet(), try standard.wallet(), try standard.wallet()]
        for process in processes { #expect(await !process.sendQueuedRevocations()) }
        #expect(asked() == 1)
        standard.world.clock.advance(by: .seconds(61))
        let runs = processes.map { process in Task { await process.sendQueuedRevocations() } }
        for run in runs { #expect(await !run.value) }
        #expect(asked() == 2)
        standard.world.clock.setWallClock(offBy: .seconds(-86_400))
        let last = try standard.wallet()
        _ = await last.sendQueuedRevocations()
        #expect(asked() == 3)
    }

    @Test("One that the server always fails at is tried for 90 days, and then no longer kept")
    func failing() async throws {
        let standard = StandardWorld()
        let wallet = try await standard.signedIn()
        standard.server.inject(.unavailable(), at: Endpoints.revoke.path, times: 100)
        #expect(try await wallet.logout() == .queued)
        standard.world.clock.advance(by: .seconds(90 * 86_400))
        #expect(await !wallet.sendQueuedRevocations())
        standard.world.clock.advance(by: .seconds(1))
        // Asked once more, and dropped.
        #expect(await wallet.sendQueuedRevocations())
        standard.server.withdrawFaults()
        let asked = standard.server.requests.count { $0.path == Endpoints.revoke.path }
        #expect(await wallet.sendQueuedRevocations())
        #expect(standard.server.requests.count { $0.path == Endpoints.revoke.path } == asked)
    }

    @Test("One that is refused keeps no other from being sent")
    func others() async throws {
        let standard = StandardWorld()
        let first = try await standard.signedIn()
        standard.server.network = .offline
        #expect(try await first.logout() == .queued)
        standard.server.network = .up
        let second = try await standard.signedIn()
        standard.server.inject(.answer(HTTPResponse(status: 403)), at: Endpoints.revoke.path)
        _ = try await second.logout()
        standard.world.clock.advance(by: .seconds(60))
        _ = await second.sendQueuedRevocations()
        #expect(standard.world.living.isEmpty)
    }

    /// What becomes of a request that the server never answers well.
    enum Fault: Sendable, CaseIterable {
        case serverError
        case requestTimeout
        case brokenConnection

        func answer() throws -> HTTPResponse {
            switch self {
            case .serverError: HTTPResponse(status: 500)
            case .requestTimeout: HTTPResponse(status: 408)
            case .brokenConnection: throw TransportFailure(.lost, reason: "the connection broke")
            }
        }
    }

    @Test(
        "One that always fails at the server does not keep later ones from being sent, and stays in the queue",
        arguments: Fault.allCases)
    func failing(fault: Fault) async throws {
        let standard = StandardWorld()
        let failing = LockedValue<Data?>(nil)
        standard.odd.rewrite { request, response in
            guard request.url.path == Endpoints.revoke.path else { return response }
            let isFailing = failing.withLock { first in
                first = first ?? request.body
                return first == request.body
            }
            return try isFailing ? fault.answer() : response
        }
        #expect(try await standard.signedIn().logout() == .queued)
        let second = try await standard.signedIn()
        #expect(try await second.logout() == .revoked)
        #expect(await !second.sendQueuedRevocations())
        standard.odd.rewrite(nil)
        #expect(await second.sendQueuedRevocations())
    }

    @Test("A session that ends now is revoked before those that wait")
    func order() async throws {
        let standard = StandardWorld()
        standard.server.inject(.answer(HTTPResponse(status: 503)), at: Endpoints.revoke.path, times: 100)
        #expect(try await standard.signedIn().logout() == .queued)
        func tokens(_ status: Int) -> [String?] {
            standard.server.requests.filter { $0.path == Endpoints.revoke.path && $0.status == status }
                .map { $0.form["token"] }
        }
        let earlier = tokens(503).first
        let second = try await standard.signedIn()
        // Joins what the sign-in began.
        _ = await second.sendQueuedRevocations()
        standard.server.withdrawFaults()
        #expect(try await second.logout() == .revoked)
        #expect(tokens(200).count == 2)
        #expect(tokens(200).last == earlier)
    }

    @Test("If another process sends it first, the sign-out still reports the server's response")
    func sentElsewhere() async throws {
        let refusal = HTTPResponse(status: 400, body: Data(#"{"error":"unsupported_token_type"}"#.utf8))
        for (answer, outcome) in [(nil, .revoked), (refusal, .refused)] as [(HTTPResponse?, Wallet.LogoutOutcome)] {
            let standard = StandardWorld()
            let wallet = try await standard.signedIn()
            if let answer { standard.server.inject(.answer(answer), at: Endpoints.revoke.path, times: 100) }
            let other = try standard.wallet()
            // It is stored by then, and not yet sent from here.
            _ = wallet.onLogout { _ = await other.sendQueuedRevocations() }
            #expect(try await wallet.logout() == outcome)
            #expect(await wallet.sendQueuedRevocations())
        }
    }

    @Test("A sign-out during another one's handlers waits for them, and is then sent", .timeLimit(.minutes(10)))
    func duringHandlers() async throws {
        let standard = StandardWorld()
        let wallet = try await standard.signedIn()
        let begun = AsyncStream<Void>.makeStream()
        let end = AsyncStream<Void>.makeStream()
        let runs = LockedValue(0)
        _ = wallet.onLogout {
            let run = runs.withLock { runs in
                runs += 1
                return runs
            }
            guard run == 1 else { return }
            begun.continuation.yield()
            for await _ in end.stream { break }
        }
        let first = Task { try await wallet.logout() }
        for await _ in begun.stream { break }
        try await wallet.setUp()
        let second = Task { try await wallet.logout() }
        // It has been stored, and waits for no longer than five seconds.
        await standard.world.clock.waitForSleepers(1)
        end.continuation.yield()
        #expect(try await second.value == .revoked)
        #expect(try await first.value == .revoked)
        #expect(standard.world.living.isEmpty)
    }

    @Test("A server that has too many requests is sent no further one of the queue")
    func tooMany() async throws {
        let standard = StandardWorld()
        for _ in 0..<2 {
            let wallet = try await standard.signedIn()
            standard.server.network = .offline
            #expect(try await wallet.logout() == .queued)
            standard.server.network = .up
            standard.server.inject(.answer(HTTPResponse(status: 429)), at: Endpoints.revoke.path, times: 100)
        }
        let third = try await standard.signedIn()
        // What its sign-in began in the background is over then.
        #expect(await !third.sendQueuedRevocations())
        func sent() -> [String?] {
            standard.server.requests.filter { $0.path == Endpoints.revoke.path }.map { $0.form["token"] }
        }
        let before = sent().count
        #expect(await !third.sendQueuedRevocations())
        // Two runs, and each ends with the first of the two that wait.
        #expect(sent().count == before + 2)
        #expect(Set(sent()).count == 1)
        // Its own, and none of those that wait.
        #expect(try await third.logout() == .queued)
        #expect(sent().count == before + 3)
        #expect(Set(sent()).count == 2)
    }

    @Test("What waits is bounded in bytes as well, so that the session can still be stored; the newest stays")
    func bounded() async throws {
        let standard = StandardWorld()
        let counter = LockedValue(0)
        let isDown = LockedValue(true)
        let ended = LockedValue<[String]>([])
        standard.odd.rewrite { request, response in
            if request.url.path == Endpoints.revoke.path {
                if isDown.withLock({ $0 }) { return HTTPResponse(status: 503) }
                let form = try FormParameters(parsing: Array(request.body ?? Data()))
                ended.withLock { $0.append(String((form["token"] ?? "").suffix(2))) }
            }
            guard request.url.path == Endpoints.token.path, response.status == 200 else { return response }
            let number = counter.withLock { counter in
                counter += 1
                return counter
            }
            var object = try JSONValue.object(parsing: Array(response.body))
            object["refresh_token"] = .string(String(repeating: "r", count: 60_000) + "\(number)")
            var changed = response
            changed.body = Data(object.bytes)
            return changed
        }
        let wallet = try standard.wallet()
        for _ in 0..<5 {
            try await wallet.setUp()
            #expect(try await wallet.logout() == .queued)
        }
        try await wallet.setUp()
        #expect(standard.world.store.items.values.allSatisfy { $0.count < 340_000 })
        isDown.withLock { $0 = false }
        _ = await wallet.sendQueuedRevocations()
        #expect(Set(ended.withLock { $0 }) == ["r2", "r3", "r4", "r5"])
    }
}
