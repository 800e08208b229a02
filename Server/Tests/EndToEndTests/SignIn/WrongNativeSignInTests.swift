import Crypto
import Foundation
import Testing

/// Native sign-in as an attacker tries it, over real HTTP.
@Suite("Attacks on native sign-in", .threat("Account enumeration"))
struct WrongNativeSignInTests {
    /// The first step of native sign-in, from an installation with a key of its own.
    private func challenge(
        _ client: StandardClient, _ more: [(String, String)]
    ) async throws -> WebAnswer {
        let journey = await client.beginAuthorization()
        let challenge = queryItems(of: journey.url.absoluteString)["code_challenge"] ?? ""
        let fields = [
            ("client_id", client.client.id), ("scope", "openid offline_access"), ("code_challenge", challenge),
            ("code_challenge_method", "S256"),
        ]
        var bound = client
        bound.key = P256.Signing.PrivateKey()
        return try await bound.post(fields + more, to: await client.server.url("/oauth2/authorize-challenge"))
    }

    @Test("Enumeration: an unknown name, a wrong password and an empty one get the same response", .onceForAllEngines)
    func enumeration() async throws {
        try await SharedServer.use { server, client in
            let person = try await server.makeAccount("quiet-\(randomText(4).lowercased())")
            var answers: Set<String> = []
            for name in [person.username, "unknown-\(randomText(4).lowercased())"] {
                let answer = try await challenge(
                    client, [("login_method", "password"), ("username", name), ("password", "wrong-password-1")])
                #expect(answer.status == 401)
                let members = answer.members.filter { $0.key != "traceId" && $0.key != "trace_id" }
                answers.insert(members.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: "&"))
            }
            #expect(answers.count == 1, "\(answers)")
            #expect(answers.first?.contains("error_code=invalid_credentials") == true)
            #expect(answers.first?.contains("status_code=401") == true)
        }
    }

    @Test("Guessing: a thousand parallel guesses do not find the password that is among them")
    func parallelGuesses() async throws {
        try await withServer { server in
            let client = StandardClient(try await server.makePublicClient(), at: server, connections: 64)
            var accepted: [Int: Int] = [:]
            for name in ["ada", "grace", "hedy"] {
                let person = try await server.makeAccount(name)
                let began = ContinuousClock.now
                accepted = try await guesses(at: person, client)
                // Half a minute after five guesses there may be another one, and on a busy machine it may be the right one.
                if accepted[200] == nil || began.duration(to: .now) < .seconds(30) { break }
            }
            #expect(accepted[200] == nil, "\(accepted)")
            #expect(accepted.keys.allSatisfy { [401, 429, 503].contains($0) }, "\(accepted)")
        }
    }

    /// Guesses a thousand times at once. The last guess is right.
    /// - Returns: the number of answers by status.
    private func guesses(at person: Person, _ client: StandardClient) async throws -> [Int: Int] {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<1_000 {
                group.addTask {
                    let guess = number == 999 ? person.password : "guess-number-\(number)"
                    let answer = try await challenge(
                        client, [("login_method", "password"), ("username", person.username), ("password", guess)])
                    return answer.status
                }
            }
            return try await group.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
        }
    }

    @Test("A client that is not first-party may not ask for passwords", .onceForAllEngines)
    func thirdParty() async throws {
        try await SharedServer.use { server, client in
            let person = try await server.makeAccount("third-\(randomText(4).lowercased())")
            let registered = RegisteredClient(id: "redirects", secret: nil, redirectURI: SharedServer.webRedirect)
            let answer = try await challenge(
                StandardClient(registered, at: server),
                [("login_method", "password"), ("username", person.username), ("password", person.password)])
            #expect((400..<500).contains(answer.status))
            #expect(answer.members["authorization_code"] == nil)
        }
    }
}
