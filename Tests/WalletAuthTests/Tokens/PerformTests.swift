import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

@Suite("Calls with the token attached", .threat("A token sent to the wrong host"))
struct PerformTests {
    @Test("A call bears the token and a proof bound to it, and follows the server's nonce")
    func attached() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        world.server.renewNonces()
        let (data, response) = try await wallet.perform(request("/api/me"))
        #expect(response.status == 200)
        #expect(String(decoding: data, as: UTF8.self).contains("sub-alice"))
        let calls = world.server.requests.filter { $0.path == "/api/me" }
        #expect(calls.map(\.status) == [401, 200])
        #expect(calls.allSatisfy { $0.headers["Authorization"]?.hasPrefix("DPoP ") == true })
        #expect(calls[0].headers["DPoP"] != calls[1].headers["DPoP"])
    }

    @Test("A request that the app sends itself gets a token and a proof, unless no token may go there")
    func authorized() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        var own = try request("/api/me", headers: ["authorization": "Basic x"])
        try await wallet.authorize(&own)
        let fields = try #require(own.allHTTPHeaderFields).map { (name: $0.key, value: $0.value) }
        let sent = HTTPRequest(method: "GET", url: try #require(own.url), headers: HTTPFields(fields))
        #expect(sent.headers.values("Authorization").count == 1)
        #expect(try await world.server.send(sent).status == 200)
        let first = own.value(forHTTPHeaderField: "DPoP")
        try await wallet.authorize(&own)
        #expect(first != nil && own.value(forHTTPHeaderField: "DPoP") != first)

        let plain = try request(to: "http://api.example.com/me")
        let refused = await failure {
            var own = plain
            try await wallet.authorize(&own)
        }
        #expect(refused?.code == .requestRefused)
    }

    @Test("At a server without DPoP it bears a bearer token and no proof")
    func bearer() async throws {
        var settings = ScriptedServer.Settings()
        settings.dpop = .unavailable
        let world = World(settings)
        let wallet = try await world.signedIn()
        let (_, response) = try await wallet.perform(request("/api/me"))
        #expect(response.status == 200)
        let call = try #require(world.server.requests.last)
        #expect(call.headers["Authorization"]?.hasPrefix("Bearer ") == true)
        #expect(call.headers["DPoP"] == nil)
        #expect(wallet.identity?.tokenType == .bearer)
    }

    @Test("An Authorization header of the app's own is replaced, not sent along with the token")
    func replaced() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        let (_, response) = try await wallet.perform(
            request("/api/me", headers: ["authorization": "Basic x", "dpop": "y"]))
        #expect(response.status == 200)
        let call = try #require(world.server.requests.last)
        #expect(call.headers.values("Authorization").count == 1)
        #expect(call.headers.values("DPoP").count == 1)
    }

    @Test("An expired token is renewed before the call, and a 401 is handled once")
    func renewed() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        world.expireToken()
        _ = try await wallet.perform(request("/api/me"))
        #expect(world.refreshes == 1)
        world.server.inject(.answer(HTTPResponse(status: 401)), at: "/api/me", times: 2)
        let (_, response) = try await wallet.perform(request("/api/me"))
        #expect(response.status == 401)
        #expect(world.refreshes == 2)
        #expect(wallet.isLoggedIn)
    }

    @Test("A POST that got a 401 is sent again with a new token, since what was refused was not carried out")
    func postAfter401() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        world.server.inject(.answer(HTTPResponse(status: 401)), at: "/api/transfer")
        let (_, response) = try await wallet.perform(request("/api/transfer", method: "POST"))
        #expect(response.status == 200)
    }

    @Test(
        "A POST whose response was lost is not sent again: the transfer could be made twice",
        .covers("a retried transfer is made twice"))
    func lostPost() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        world.server.inject(.loseAnswer, at: "/api/transfer")
        let error = await failure { try await wallet.perform(try request("/api/transfer", method: "POST")) }
        #expect(error?.outcome == .temporarilyUnavailable(retryAfter: nil))
        #expect(world.server.requests.count { $0.path == "/api/transfer" } == 1)
    }

    @Test(
        "What is idempotent is sent at most three times, with waits of at most two seconds",
        arguments: ["GET", "PUT", "DELETE", "POST with a key"])
    func retried(_ kind: String) async throws {
        let world = World()
        let wallet = try await world.signedIn()
        let call =
            kind == "POST with a key"
            ? try request("/api/x", method: "POST", headers: ["Idempotency-Key": "1"])
            : try request("/api/x", method: kind)
        world.server.inject(.loseAnswer, at: "/api/x")
        world.server.inject(.unavailable(503), at: "/api/x", times: 9)
        let answer = Task { try await wallet.perform(call).1.status }
        for _ in 0..<2 {
            await world.clock.waitForSleepers()
            world.clock.advance(by: .seconds(2))
        }
        #expect(try await answer.value == 503)
        #expect(world.server.requests.count { $0.path == "/api/x" } == 3)
    }

    @Test("A resource server's own fault or refusal is returned, not repeated", arguments: [408, 425, 429, 500, 501])
    func faults(_ status: Int) async throws {
        let world = World()
        let wallet = try await world.signedIn()
        world.server.inject(.answer(HTTPResponse(status: status)), at: "/api/x", times: 9)
        #expect(try await wallet.perform(request("/api/x")).1.status == status)
        #expect(world.server.requests.count { $0.path == "/api/x" } == 1)
    }

    @Test("The error of a call without a session names the call")
    func signedOut() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        try await wallet.logout()
        let call = try request("/api/me")
        #expect(await failure { try await wallet.perform(call) }?.operation == .perform)
        #expect(await failure { try await wallet.devices.list() }?.operation == .listDevices)
    }

    @Test("A long Retry-After is handed to the caller instead of being waited for")
    func longRetryAfter() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        world.server.inject(.unavailable(503, retryAfter: .seconds(60)), at: "/api/x")
        #expect(try await wallet.perform(request("/api/x")).1.status == 503)
    }

    @Test(
        "A token is never sent in the clear, nor to an address with a name before an @",
        arguments: [
            "http://auth.example.com/api", "ftp://auth.example.com/", "http://127.0.0.1/api",
            "https://auth.example.com@evil.example/",
        ])
    func inTheClear(_ target: String) async throws {
        let world = World()
        let wallet = try await world.signedIn()
        let before = world.server.requests.count
        let call = try request(to: target)
        #expect(await failure { try await wallet.perform(call) }?.code == .requestRefused)
        #expect(world.server.requests.count == before)
    }

    @Test("With origins configured, a token goes to these and the issuer only")
    func origins() async throws {
        let world = World()
        var configuration = world.configuration()
        configuration.resources = .only([try url("https://api.example.com/v1")])
        let wallet = try Wallet(configuration: configuration)
        try await wallet.setUp()
        _ = try await wallet.perform(request(to: "https://api.example.com/other"))
        _ = try await wallet.perform(request("/api/me"))
        for target in [
            "https://evil.example/", "https://api.example.com:444/", "https://api.example.com.evil.example/",
        ] {
            let call = try request(to: target)
            #expect(await failure { try await wallet.perform(call) }?.code == .requestRefused)
        }
    }

    @Test("A token bound to this device's key may go to any origin by https, where it is of no use to anybody else")
    func boundToAnyOrigin() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        let status = try await wallet.perform(request(to: "https://api.example.org/me")).1.status
        #expect(status == 200)
        #expect(world.server.requests.last?.headers["Authorization"]?.hasPrefix("DPoP ") == true)
    }

    @Test("A URL that is too long for a proof is refused before anything is sent, and is no fault of the server")
    func unprovableURL() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        let call = try request("/api/me?filter=\(String(repeating: "a", count: 9_000))")
        let error = await failure { try await wallet.perform(call) }
        #expect(error?.code == .requestRefused)
        #expect(error?.reachedServer == false)
        #expect(!world.server.requests.contains { $0.path == "/api/me" })
    }

    @Test("A bearer token is not sent to a foreign origin, where its reader could use it")
    func bearerToForeignOrigin() async throws {
        var settings = ScriptedServer.Settings()
        settings.dpop = .unavailable
        let world = World(settings)
        let wallet = try await world.signedIn()
        let before = world.server.requests.count
        for target in [
            "https://evil.example/", "https://auth.example.com:444/", "https://auth.example.com.evil.example/",
        ] {
            let call = try request(to: target)
            let error = await failure { try await wallet.perform(call) }
            #expect(error?.code == .requestRefused)
            #expect(error?.reason.contains("resources: .only(") == true, "it says how to list the origin")
        }
        #expect(world.server.requests.count == before)
        #expect(try await wallet.perform(request("/api/me")).1.status == 200)
    }

    @Test("A bearer token goes to an origin that the configuration lists")
    func bearerToListedOrigin() async throws {
        var settings = ScriptedServer.Settings()
        settings.dpop = .unavailable
        let world = World(settings)
        var configuration = world.configuration()
        configuration.resources = .only([try url("https://api.example.com")])
        let wallet = try Wallet(configuration: configuration)
        try await wallet.setUp()
        _ = try await wallet.perform(request(to: "https://api.example.com/me"))
        let call = try request(to: "https://evil.example/")
        #expect(await failure { try await wallet.perform(call) }?.code == .requestRefused)
    }

    @Test("A bearer token that the app brought is kept from foreign origins too")
    func broughtBearerToForeignOrigin() async throws {
        let world = World()
        let token = try world.server.accessToken(for: "alice").reveal()
        let wallet = try world.wallet(.external(token: token, expiresAt: nil))
        try await wallet.setUp()
        let call = try request(to: "https://evil.example/")
        #expect(await failure { try await wallet.perform(call) }?.code == .requestRefused)
    }

    @Test("A redirect is returned, not followed: it would carry the token to a host that the app did not choose")
    func redirect() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        world.server.inject(
            .answer(HTTPResponse(status: 302, headers: ["Location": "https://evil.example/"])), at: "/api/me")
        #expect(try await wallet.perform(request("/api/me")).1.status == 302)
    }
}

@Suite("Renewing ahead of time")
struct ProactiveRenewalTests {
    @Test("In the last part of its life a token is renewed in the background, and the call does not wait")
    func beside() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        let former = try await wallet.accessToken()
        let changes = wallet.tokenChanges
        world.clock.advance(by: .seconds(290))
        world.server.inject(.delay(.seconds(1)), at: "/oauth2/token")
        #expect(try await wallet.accessToken() == former)
        await world.clock.waitForSleepers()
        world.clock.advance(by: .seconds(1))
        for await change in changes {
            #expect(change == .refreshed)
            break
        }
        #expect(try await wallet.accessToken() != former)
        #expect(world.refreshes == 1)
    }

    @Test("When that fails the token still serves, and it is not tried again at every call")
    func failing() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        world.clock.advance(by: .seconds(290))
        world.server.inject(.unavailable(503, retryAfter: .seconds(30)), at: "/oauth2/token", times: 1000)
        func failures() -> Int { world.server.requests.count { $0.path == "/oauth2/token" && $0.status == 503 } }
        _ = try await wallet.accessToken()
        try await eventually("the renewal to fail") { failures() > 0 }
        for _ in 0..<1000 {
            _ = try await wallet.accessToken()
            await Task.yield()
        }
        #expect(failures() == 1)
    }
}
