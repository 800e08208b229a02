import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

@Suite(
    "Any standard server, by discovery", .covers("temporary trouble at a server weakens what the SDK requires of it"))
struct DiscoveryTests {
    private static let oauth = "/.well-known/oauth-authorization-server"
    private static let openID = "/.well-known/openid-configuration"

    private func answer(
        _ world: World, _ status: Int, _ body: String, headers: HTTPFields = HTTPFields(), at path: String
    ) {
        world.server.inject(
            .answer(HTTPResponse(status: status, headers: headers, body: Data(body.utf8))), at: path)
    }

    @Test(
        "Where the place of RFC 8414 has nothing to go by, OpenID Connect's document serves",
        arguments: [
            (200, "<html>it works</html>"), (200, #"{"message":"not found"}"#), (200, "[]"), (200, ""),
            (200, #"{"issuer":"https://another.example","token_endpoint":"https://another.example/t"}"#),
            (404, "<html></html>"), (401, ""), (403, ""), (302, ""),
        ])
    func fallback(status: Int, body: String) async throws {
        let world = World()
        answer(world, status, body, at: Self.oauth)
        #expect(try await world.wallet().setUp() == .signedIn)
    }

    @Test("A 5xx at the place of RFC 8414 does not keep OpenID Connect's document from being read")
    func fallbackFromTrouble() async throws {
        let world = World()
        world.server.inject(.unavailable(500), at: Self.oauth, times: 3)
        let wallet = try world.wallet()
        let start = Task { try await wallet.setUp() }
        for _ in 0..<2 {
            await world.clock.waitForSleepers()
            world.clock.advance(by: .seconds(2))
        }
        #expect(try await start.value == .signedIn)
    }

    /// A server whose document of OpenID Connect leaves out what the one of RFC 8414 has.
    private func thin() -> StandardWorld {
        let standard = StandardWorld { $0.dpop = .offered }
        standard.odd.rewrite { request, response in
            guard request.url.path == Self.openID, response.status == 200 else { return response }
            var object = try JSONValue.object(parsing: Array(response.body))
            object["dpop_signing_alg_values_supported"] = nil
            object["authorization_response_iss_parameter_supported"] = nil
            object["revocation_endpoint"] = nil
            var changed = response
            changed.body = Data(object.bytes)
            return changed
        }
        return standard
    }

    private func trouble(_ standard: StandardWorld, times: Int) {
        // Ten seconds are not waited for: the second place is asked at once.
        standard.server.inject(.answer(HTTPResponse(status: 429)), at: Self.oauth, times: times)
    }

    @Test("Trouble at RFC 8414's location counts only for the call that met it: the next one asks again")
    func passingTrouble() async throws {
        let standard = thin()
        trouble(standard, times: 1)
        let wallet = try standard.wallet()
        #expect(try await wallet.setUp() == .signedIn)
        // The page was shown by the second document, the code redeemed by the first.
        #expect(wallet.identity?.tokenType == .dpop)
        #expect(standard.server.requests.count { $0.path == Self.oauth } == 2)
    }

    @Test("Trouble at the place of RFC 8414 has nothing decided less strictly at a server that was known before")
    func troubleOfAKnownServer() async throws {
        let standard = thin()
        let wallet = try await standard.signedIn()
        standard.world.clock.advance(by: .seconds(3601))
        trouble(standard, times: 1000)
        #expect(try await wallet.logout() == .revoked)
        let userAgent = standard.world.userAgent
        userAgent.setBehavior { [server = standard.server] page in
            let callback = try server.signIn(at: page, as: "alice")
            var parts = try #require(URLComponents(url: callback, resolvingAgainstBaseURL: true))
            parts.queryItems?.removeAll { $0.name == "iss" }
            return .callback(try #require(parts.url))
        }
        #expect(await failure { try await wallet.setUp() }?.code == .issuerMismatch)
        userAgent.setBehavior { [server = standard.server] in .callback(try server.signIn(at: $0, as: "alice")) }
        #expect(try await wallet.setUp() == .signedIn)
        #expect(wallet.identity?.tokenType == .dpop)
    }

    @Test("A revocation waits where only the second place serves and names no endpoint for it")
    func troubleBeforeRevocation() async throws {
        let standard = thin()
        _ = try await standard.signedIn()
        trouble(standard, times: 1000)
        let next = try standard.wallet()
        #expect(try await next.setUp() == .restored)
        #expect(try await next.logout() == .queued)
        standard.server.withdrawFaults()
        #expect(await next.sendQueuedRevocations())
        #expect(standard.world.living.isEmpty)
    }

    @Test("Where neither place serves, the error says which URL answered what, and where a redirect leads")
    func bothFail() async throws {
        let world = World()
        answer(world, 200, "<html></html>", at: Self.oauth)
        answer(world, 302, "", headers: ["Location": "https://id.example.com/x?secret=1"], at: Self.openID)
        let wallet = try world.wallet()
        let error = await failure { try await wallet.setUp() }
        let reason = error?.reason ?? ""
        #expect(error?.code == .unsupportedByServer)
        #expect(reason.contains("https://auth.example.com\(Self.oauth) returned 200 with a web page"), "\(reason)")
        #expect(
            reason.contains(
                "https://auth.example.com\(Self.openID) returned 302, a redirect to https://id.example.com"),
            "\(reason)")
        #expect(!reason.contains("secret"))
    }

    @Test("One place in trouble and the other without a document is trouble of the moment, and says both")
    func halfInTrouble() async throws {
        let world = World()
        answer(world, 404, "", at: Self.oauth)
        answer(world, 429, "", at: Self.openID)
        let wallet = try world.wallet()
        let error = await failure { try await wallet.setUp() }
        #expect(error?.outcome == .temporarilyUnavailable(retryAfter: .seconds(10)))
        #expect(error?.reason.contains("returned 404") == true && error?.reason.contains("returned 429") == true)
    }

    @Test(
        "Members that are not used make no server unusable, however they are written",
        arguments: [
            #"{"jwks_uri":"/jwks"}"#, #"{"end_session_endpoint":"http://auth.example.com/end"}"#,
            #"{"end_session_endpoint":"https://auth.example.com/end#x"}"#, #"{"acr_values_supported":[0,1]}"#,
            #"{"introspection_endpoint":"/introspect"}"#, #"{"scopes_supported":"openid"}"#,
            #"{"ui_locales_supported":7}"#, #"{"revocation_endpoint":"/revoke"}"#, #"{"userinfo_endpoint":7}"#,
            #"{"dpop_signing_alg_values_supported":"ES256"}"#, #"{"prompt_values_supported":7}"#,
        ])
    func unusedMembers(members: String) async throws {
        let standard = StandardWorld()
        let odd = try JSONValue.object(parsing: Array(members.utf8))
        standard.odd.changeMetadata { object in for member in odd.members { object[member.name] = member.value } }
        #expect(try await standard.wallet().setUp() == .signedIn)
    }

    @Test(
        "What is used has to be right, and the error names the document and the member",
        arguments: ["token_endpoint", "authorization_endpoint"])
    func usedMembers(name: String) async throws {
        for value in ["/relative", "http://auth.example.com/x", "https://auth.example.com/x#y"] {
            let standard = StandardWorld()
            standard.odd.changeMetadata { $0[name] = .string(value) }
            let wallet = try standard.wallet()
            let error = await failure { try await wallet.setUp() }
            #expect(error?.outcome == .misconfigured)
            let reason = error?.reason ?? ""
            #expect(reason.contains(name) && reason.contains("https://auth.example.com/.well-known/"), "\(reason)")
        }
    }

    @Test("A server that has only OpenID Connect's document serves as well")
    func openIDOnly() async throws {
        let world = World()
        world.server.inject(.answer(HTTPResponse(status: 404)), at: Self.oauth)
        #expect(try await world.wallet().setUp() == .signedIn)
        #expect(world.server.requests.contains { $0.path == "/.well-known/openid-configuration" })
    }

    @Test(
        "A document of another issuer is refused, though it differs by a slash alone",
        arguments: [
            "https://evil.example", "https://auth.example.com/", "HTTPS://auth.example.com",
        ])
    func anotherIssuer(_ issuer: String) async throws {
        let world = World()
        let body = #"{"issuer":"\#(issuer)","token_endpoint":"https://evil.example/token"}"#
        for place in [Self.oauth, Self.openID] { answer(world, 200, body, at: place) }
        let wallet = try world.wallet()
        let error = await failure { try await wallet.setUp() }
        #expect(error?.code == .issuerMismatch)
        #expect(error?.reason == "the server calls itself \(issuer): configure that issuer")
        #expect(error?.operation == .setUp)
    }

    @Test("An error of the server's metadata names the call that needed it")
    func operation() async throws {
        let world = World()
        let body = #"{"issuer":"https://evil.example","token_endpoint":"https://evil.example/token"}"#
        for place in [Self.oauth, Self.openID] { answer(world, 200, body, at: place) }
        let wallet = try world.wallet()
        let error = await failure { try await wallet.signIn() }
        #expect(error?.code == .issuerMismatch)
        #expect(error?.operation == .signIn)
    }

    @Test("A token endpoint in the clear is refused: codes and tokens would go out readable")
    func insecureEndpoint() async throws {
        let world = World()
        let body = #"{"issuer":"https://auth.example.com","token_endpoint":"http://127.0.0.1/token"}"#
        world.server.inject(.answer(HTTPResponse(status: 200, body: Data(body.utf8))), at: Self.oauth)
        let wallet = try world.wallet()
        #expect(await failure { try await wallet.setUp() }?.outcome == .misconfigured)
    }

    @Test("A server that takes only plain PKCE is refused")
    func plainPKCE() async throws {
        let world = World()
        let body = """
            {"issuer":"https://auth.example.com","token_endpoint":"https://auth.example.com/t",\
            "code_challenge_methods_supported":["plain"]}
            """
        world.server.inject(.answer(HTTPResponse(status: 200, body: Data(body.utf8))), at: Self.oauth)
        let wallet = try world.wallet()
        #expect(await failure { try await wallet.setUp() }?.code == .unsupportedByServer)
    }

    @Test("It is asked once for many calls, and again after an hour")
    func cached() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        for _ in 0..<3 {
            world.expireToken()
            _ = try await wallet.accessToken()
        }
        #expect(world.server.requests.count { $0.path == Self.oauth } == 1)
        world.clock.advance(by: .seconds(3600))
        _ = try await wallet.accessToken()
        #expect(world.server.requests.count { $0.path == Self.oauth } == 2)
    }

    @Test("DPoP is used only where the server offers it")
    func dpop() async throws {
        var settings = ScriptedServer.Settings()
        settings.dpop = .unavailable
        let world = World(settings)
        _ = try await world.signedIn()
        #expect(world.server.requests.allSatisfy { $0.headers["DPoP"] == nil })
        #expect(world.keys.names.isEmpty)
    }
}
