import Foundation
import Testing

/// Attacks on the authorization endpoint, over real HTTP.
@Suite("Attacks on authorization")
struct WrongAuthorizationTests {
    @Test("An unknown client gets an error page and no redirect", .onceForAllEngines)
    func unknownClient() async throws {
        try await SharedServer.use { server, client in
            let journey = await client.beginAuthorization(changes: ["client_id": "nobody"])
            let answer = try await client.web.get(journey.url)
            #expect((400..<500).contains(answer.status))
            #expect(answer.header("location") == nil)
        }
    }

    @Test("Code replay: the second use is refused, and ends the session that the first one opened")
    func codeReplay() async throws {
        try await SharedServer.use { server, client in
            let person = try await server.makeAccount("replayed-\(randomText(4).lowercased())")
            let journey = await client.beginAuthorization()
            let code = try await client.authorizationCode(for: person, journey)
            let tokens = try client.tokens(await client.redeem(code, verifier: journey.verifier))
            let replay = try await client.redeem(code, verifier: journey.verifier)
            #expect(replay.status == 400)
            #expect(replay.members["error"] == "invalid_grant")
            #expect(try await client.refresh(tokens.refresh).members["error"] == "invalid_grant")
        }
    }

    @Test("A stolen code without its verifier, or shown by another client, is refused and does no harm")
    func stolenCode() async throws {
        try await SharedServer.use { server, client in
            let person = try await server.makeAccount("stolen-\(randomText(4).lowercased())")
            let journey = await client.beginAuthorization()
            let code = try await client.authorizationCode(for: person, journey)
            let thief = StandardClient(
                RegisteredClient(id: "other", secret: nil, redirectURI: client.client.redirectURI), at: server)
            #expect(try await thief.redeem(code, verifier: journey.verifier).members["error"] == "invalid_grant")
            #expect(try await client.redeem(code, verifier: randomText(32)).members["error"] == "invalid_grant")
            #expect(try await client.redeem(String(code.dropLast()), verifier: journey.verifier).status == 400)
            _ = try client.tokens(await client.redeem(code, verifier: journey.verifier))
        }
    }
}
