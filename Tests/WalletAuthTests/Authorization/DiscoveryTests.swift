import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

@Suite("Any standard server, by discovery")
struct DiscoveryTests {
    private static let oauth = "/.well-known/oauth-authorization-server"

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
        world.server.inject(.answer(HTTPResponse(status: 200, body: Data(body.utf8))), at: Self.oauth)
        let wallet = try world.wallet()
        #expect(await failure { try await wallet.setUp() }?.code == .issuerMismatch)
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
