import Crypto
import Foundation
import Testing

/// Refresh as a standard client meets it, against the running program.
@Suite("Refresh over HTTP", .threat("Stolen access and refresh tokens"))
struct RefreshEndToEndTests {
    /// Runs a test's body with a relying app and a person of their own, at the server that such tests share.
    private func withApp(
        connections: Int = 6, _ body: (StandardClient, Person) async throws -> Void
    ) async throws {
        try await SharedServer.use { server, _ in
            let app = try await server.makeRelyingApp(Self.name("com.example.relying"))
            let client = StandardClient(app, at: server, connections: connections)
            try await body(client, try await server.makeAccount(Self.name("refresh")))
        }
    }

    /// A name that no other test has.
    private static func name(_ beginning: String) -> String { "\(beginning)-\(randomText(6).lowercased())" }

    @Test("A spent refresh token shown again ends the session: the thief and the holder both have to sign in")
    func reuseEndsTheSession() async throws {
        try await withApp { client, person in
            let first = try await client.signIn(person)
            let second = try client.tokens(await client.refresh(first.refresh))
            let third = try client.tokens(await client.refresh(second.refresh))
            #expect(Set([first.refresh, second.refresh, third.refresh]).count == 3)

            let theft = try await client.refresh(first.refresh)
            #expect(theft.status == 400)
            #expect(theft.members["error"] == "invalid_grant")
            let holder = try await client.refresh(third.refresh)
            #expect(holder.members["error"] == "invalid_grant")
            #expect(try await client.userInfo(third.access).status == 401)
        }
    }

    @Test("A lost answer: the same request again is answered with the same successor, byte for byte")
    func lostAnswer() async throws {
        try await withApp { client, person in
            let first = try await client.signIn(person)
            let attempt = randomText(16)
            let lost = try client.tokens(await client.refresh(first.refresh, attempt: attempt))
            let repeated = try client.tokens(await client.refresh(first.refresh, attempt: attempt))
            #expect(repeated.refresh == lost.refresh)
            #expect(repeated.access != lost.access)
            // The session goes on from there.
            _ = try client.tokens(await client.refresh(repeated.refresh, attempt: randomText(16)))
        }
    }

    @Test("Theft of a spent token under another attempt is reuse, however soon it comes", .onceForAllEngines)
    func otherAttemptIsReuse() async throws {
        try await withApp { client, person in
            let first = try await client.signIn(person)
            let second = try client.tokens(await client.refresh(first.refresh, attempt: randomText(16)))
            let theft = try await client.refresh(first.refresh, attempt: randomText(16))
            #expect(theft.members["error"] == "invalid_grant")
            #expect(try await client.refresh(second.refresh).members["error"] == "invalid_grant")
        }
    }

    @Test("Theft of a DPoP-bound refresh token: without the key it opens nothing, and the session is unharmed")
    func theftOfBoundToken() async throws {
        try await SharedServer.use { server, _ in
            let registered = try await server.makePublicClient(Self.name("com.example.bound"))
            let holder = StandardClient(registered, at: server, key: P256.Signing.PrivateKey())
            let first = try await holder.signIn(try await server.makeAccount(Self.name("bound")))
            #expect(first.type == "DPoP")
            let second = try holder.tokens(await holder.refresh(first.refresh))

            let bare = StandardClient(registered, at: server)
            let otherKey = StandardClient(registered, at: server, key: P256.Signing.PrivateKey())
            for stolen in [first.refresh, second.refresh] {
                #expect(try await bare.refresh(stolen).status == 400)
                #expect(try await otherKey.refresh(stolen).status == 400)
            }
            #expect(try await bare.userInfo(second.access).status == 401)

            let third = try holder.tokens(await holder.refresh(second.refresh))
            #expect(try await holder.userInfo(third.access).status == 200)
        }
    }

    @Test(
        "Theft of an unbound refresh token: with the thief's own key it is renewed as a bearer token, and opens no account"
    )
    func theftOfUnboundToken() async throws {
        try await SharedServer.use { server, holder in
            let registered = holder.client
            let first = try await holder.signIn(try await server.makeAccount(Self.name("unbound")))
            #expect(first.type == "Bearer")

            let thief = StandardClient(registered, at: server, key: P256.Signing.PrivateKey())
            let stolen = try thief.tokens(await thief.refresh(first.refresh))
            #expect(stolen.type == "Bearer")
            #expect(try TokenClaims.all(of: stolen.access)["cnf"] == nil)
            for path in ["/v1/devices", "/v1/account/factors"] {
                let url = await server.url(path)
                let nonce = try await thief.userInfo(stolen.access).header("dpop-nonce")
                let proof = try thief.proof(method: "GET", url: url, nonce: nonce, accessToken: stolen.access)
                let byKey = try await thief.web.get(
                    url, headers: ["Authorization": "DPoP \(stolen.access)", "DPoP": proof])
                #expect(byKey.status == 401)
                let asBearer = try await thief.web.get(url, headers: ["Authorization": "Bearer \(stolen.access)"])
                #expect(asBearer.status == 401)
            }
            let shown = try await server.require(["client", "show", registered.id])
            #expect(shown.contains("Warning: the app accepts bearer tokens"))
        }
    }

    @Test("64 refreshes of one token at once: one successor, and the session lives on")
    func race() async throws {
        try await withApp(connections: 64) { client, person in
            let first = try await client.signIn(person)
            let attempt = randomText(16)
            let successors = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<64 {
                    group.addTask { try client.tokens(await client.refresh(first.refresh, attempt: attempt)).refresh }
                }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(successors.count == 1)
            let successor = try #require(successors.first)
            _ = try client.tokens(await client.refresh(successor, attempt: randomText(16)))
        }
    }

    @Test("A refresh token of one client is worth nothing to another, and the try does no harm", .onceForAllEngines)
    func otherClient() async throws {
        try await withApp { ours, person in
            let server = ours.server
            let theirs = StandardClient(try await server.makeRelyingApp(Self.name("com.example.another")), at: server)
            let first = try await ours.signIn(person)
            #expect(try await theirs.refresh(first.refresh).members["error"] == "invalid_grant")
            _ = try ours.tokens(await ours.refresh(first.refresh))
        }
    }
}
