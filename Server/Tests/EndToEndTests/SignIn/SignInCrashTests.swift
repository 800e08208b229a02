import Crypto
import Foundation
import Testing

/// What a crash in the middle of sign-ins leaves.
@Suite("kill -9 while people sign in")
struct SignInCrashTests {
    /// Whether five attempts on one device are reserved and none of them is decided. Two rows count them: the one of the
    /// device, and the one of all known devices together.
    private static let fiveReserved = "SELECT COUNT(*) / 2 FROM attempts WHERE pending = 5"

    /// The first step of native sign-in.
    private func signIn(
        _ client: StandardClient, _ username: String, _ password: String
    ) async throws -> (answer: WebAnswer, verifier: String) {
        let journey = await client.beginAuthorization()
        let challenge = queryItems(of: journey.url.absoluteString)["code_challenge"] ?? ""
        let answer = try await client.post(
            [
                ("client_id", client.client.id), ("scope", "openid offline_access"), ("code_challenge", challenge),
                ("code_challenge_method", "S256"), ("login_method", "password"), ("username", username),
                ("password", password),
            ], to: await client.server.url("/oauth2/authorize-challenge"))
        return (answer, journey.verifier)
    }

    @Test("kill -9 with five right passwords in flight: the next one signs in, and the wallet is active")
    func fiveRightOnes() async throws {
        // One hash at a time, so that others' sign-ins keep the five waiting.
        try await withServer(["--passwords-concurrent-hashes", "1"]) { server in
            let registered = try await server.makePublicClient()
            let app = StandardClient(registered, at: server, key: P256.Signing.PrivateKey(), connections: 24)
            var others = app
            others.key = P256.Signing.PrivateKey()
            let person = try await server.makeAccount()
            let (first, verifier) = try await signIn(app, person.username, person.password)
            // From here on the key is one that the account knows.
            _ = try app.tokens(
                await app.token([
                    ("grant_type", "authorization_code"), ("code", first.members["authorization_code"] ?? ""),
                    ("code_verifier", verifier), ("client_id", registered.id),
                ]))
            let watcher = try await server.startKilling(await server.processID, once: Self.fiveReserved)
            let stranger = others
            let signingIn = Task {
                while !Task.isCancelled {
                    let isAlive = await withTaskGroup(of: Bool.self) { group in
                        for number in 0..<12 {
                            group.addTask { (try? await signIn(stranger, "nobody\(number)", "a-wrong-one")) != nil }
                        }
                        for _ in 0..<5 {
                            group.addTask { (try? await signIn(app, person.username, person.password)) != nil }
                        }
                        return await group.reduce(true) { $0 && $1 }
                    }
                    guard isAlive else { return }
                    // Fifty wrong passwords from one address would keep the others from a hash.
                    try await server.write("DELETE FROM attempts WHERE pending = 0")
                }
            }
            defer { signingIn.cancel() }
            let killed = try await within(.patience, "five sign-ins at once") {
                await watcher.wait()
            } otherwise: {
                watcher.send(SIGKILL)
            }
            #expect(killed == .exited(0))
            // It ends with the server.
            try await signingIn.value
            await server.crash()
            try await server.start()

            let (next, _) = try await signIn(app, person.username, person.password)
            #expect(next.status == 200, "\(next.text)")
            let shown = try await server.require(["account", "show", person.username, "--json"])
            let account = try JSONSerialization.jsonObject(with: Data(shown.utf8)) as? [String: Any]
            #expect(account?["state"] as? String == "active")
        }
    }
}
