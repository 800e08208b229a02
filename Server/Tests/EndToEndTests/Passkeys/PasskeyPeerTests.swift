import Crypto
import Foundation
import Testing

/// Unmodified authenticators and browsers of other authors, at the running server.
@Suite("Passkeys of others")
struct PasskeyPeerTests {
    /// A server whose host is a domain: no browser makes a passkey for an address.
    private func withLocalhost(_ body: (RunningServer, Person) async throws -> Void) async throws {
        try await withServer(["--host", "localhost"]) { server in
            #expect(await server.issuer.host() == "localhost")
            let person = Person(username: "ada", password: "Pw-\(UUID().uuidString)")
            server.ledger.enter(person.password)
            try await server.require(
                [
                    "account", "create", person.username, "--password-stdin", "--email",
                    "ada@example.com", "--email-verified",
                ], input: person.password + "\n")
            try await body(server, person)
        }
    }

    private struct Registered: Decodable {
        let status: Int
        let added: Bool
        let user_handle: String
        let excluded: Bool
    }

    private struct Used: Decodable {
        let callback: String
        let replayed: Int
        let again: String
    }

    @Test(
        "python-fido2, unmodified, makes a passkey on the account's page and signs in with it; a replay opens nothing")
    func fido2() async throws {
        try await withLocalhost { server, person in
            let client = StandardClient(try await server.makePublicClient(options: ["--allow-bearer"]), at: server)
            let issuer = await server.issuer.absoluteString
            let state = server.folder.appending(path: "authenticator.json").path
            let registered = try JSONDecoder().decode(
                Registered.self,
                from: await server.peer(
                    "fido2_device.py", ["register", issuer, person.username, state],
                    input: person.password + "\n"))
            #expect(registered.status == 200)
            #expect(registered.added)
            #expect(registered.excluded)
            #expect(registered.user_handle.count == 32)
            try await server.write("UPDATE passkeys SET cooling_until = created_at")
            for _ in 0..<2 {
                let journey = await client.beginAuthorization()
                let used = try JSONDecoder().decode(
                    Used.self,
                    from: await server.peer(
                        "fido2_device.py",
                        ["use", issuer, journey.url.absoluteString, client.client.redirectURI, state]))
                // The browser has signed in since, so the form only begins its request again.
                #expect(used.replayed == 303)
                #expect(used.again.hasPrefix(issuer + "/oauth2/authorize?"))
                let code = try #require(queryItems(of: used.callback)["code"])
                let tokens = try client.tokens(await client.redeem(code, verifier: journey.verifier))
                let claims = try TokenClaims.all(of: tokens.access)
                #expect(claims["amr"] as? [String] == ["pop", "uv"])
                #expect(claims["acr"] as? String == "urn:wallet-auth:acr:2fa")
            }
            try await removeAsOperator(of: person, at: server)
        }
    }

    @Test(
        "A newcomer with python-fido2 makes an account with a passkey alone, and signs in with it; a replay opens nothing"
    )
    func newcomer() async throws {
        try await withServer(["--host", "localhost"]) { server in
            let client = StandardClient(try await server.makePublicClient(options: ["--allow-bearer"]), at: server)
            let issuer = await server.issuer.absoluteString
            let state = server.folder.appending(path: "authenticator.json").path
            try await server.require(["brand", "update", "default", "--registration", "passkey"])
            let journey = await client.beginAuthorization()
            let made = try JSONDecoder().decode(
                Used.self,
                from: await server.peer(
                    "fido2_device.py",
                    [
                        "newcomer", issuer, journey.url.absoluteString, "grace@example.com", "grace",
                        client.client.redirectURI, state,
                    ]))
            #expect(made.replayed == 303)
            #expect(made.again.hasPrefix(issuer + "/oauth2/authorize?"))
            let code = try #require(queryItems(of: made.callback)["code"])
            let tokens = try client.tokens(await client.redeem(code, verifier: journey.verifier))
            let claims = try TokenClaims.all(of: tokens.access)
            #expect(Set(claims["amr"] as? [String] ?? []) == ["pop", "uv", "otp"])
            let later = await client.beginAuthorization()
            let used = try JSONDecoder().decode(
                Used.self,
                from: await server.peer(
                    "fido2_device.py",
                    ["use", issuer, later.url.absoluteString, client.client.redirectURI, state]))
            let next = try #require(queryItems(of: used.callback)["code"])
            let again = try client.tokens(await client.redeem(next, verifier: later.verifier))
            #expect(try TokenClaims.all(of: again.access)["sub"] as? String == claims["sub"] as? String)
            #expect(try await server.require(["passkey", "list", "grace"]).contains("Passkey"))
        }
    }

    private struct Listed: Decodable {
        struct Passkey: Decodable {
            let passkeyId: String
            let name: String
            let relyingParty: String
            let lastUsedAt: String?
        }

        let passkeys: [Passkey]
    }

    /// The operator sees what is there, and removes it; the next use says that it is gone.
    private func removeAsOperator(of person: Person, at server: RunningServer) async throws {
        let text = try await server.require(["passkey", "list", person.username, "--json"])
        let passkey = try #require(try JSONDecoder().decode(Listed.self, from: Data(text.utf8)).passkeys.first)
        #expect(passkey.name == "Security key")
        #expect(passkey.relyingParty == "localhost")
        #expect(passkey.lastUsedAt != nil)
        try await server.require(["passkey", "remove", passkey.passkeyId])
        let left = try await server.require(["passkey", "list", person.username])
        #expect(left.contains("No passkeys."))
        let again = try await server.administer(["passkey", "remove", passkey.passkeyId])
        #expect(again.ending == .exited(1))
        #expect(again.errors.contains("There is no passkey \(passkey.passkeyId)."))
    }

    private struct Seen: Decodable {
        struct Credential: Decodable {
            let party: String
            let resident: Bool
        }

        struct PIN: Decodable {
            struct Field: Decodable {
                let value: String
                let invalid: String?
            }

            let word: String
            let fields: [Field]
            let console: [String]
        }

        let redirect_uri: String
        let pin: PIN
        let credentials: [Credential]
        let known: String
        let answer: [String: String]
        let unverified: String
        let stayed: Bool
        let console: [String]
    }

    @Test(
        "Chromium sets a PIN on the account's page once both are the same, makes a passkey there, signs in with it, and breaks no policy",
        .onceForAllEngines
    )
    func chromium() async throws {
        try await withLocalhost { server, person in
            let registered = try await server.makePublicClient(
                "desktop", redirectURI: "http://127.0.0.1/callback", options: ["--allow-bearer"])
            var client = StandardClient(registered, at: server)
            let verifier = randomText(32)
            let pin = "804613972558"
            for secret in [verifier, pin, String(pin.reversed())] { server.ledger.enter(secret) }
            try await server.require(["brand", "update", "default", "--account-pin", "on"])
            let challenge = base64URL(Data(SHA256.hash(data: Data(verifier.utf8))))
            let seen = try JSONDecoder().decode(
                Seen.self,
                from: await server.peer(
                    "chromium_passkey.py",
                    [
                        await server.issuer.absoluteString, person.username, registered.id, challenge,
                        server.databaseName,
                        server.folder.appending(path: "authenticator.json").path,
                    ], input: "\(person.password)\n\(pin)\n"))
            #expect(
                seen.pin.word == "The two PINs don’t match. Enter the new PIN twice. Nothing was changed.")
            #expect(seen.pin.fields.map(\.value) == ["", ""])
            #expect(seen.pin.fields.map(\.invalid) == ["true", "true"])
            #expect(seen.pin.console == [])
            #expect(
                try await server.require(["account", "show", person.username, "--json"]).contains("pinCoolingUntil"))
            #expect(seen.credentials.map(\.party) == ["localhost"])
            #expect(seen.credentials.map(\.resident) == [true])
            #expect(seen.known == "This device already has a passkey for your account.")
            #expect(seen.unverified == "No passkey was used. Try again, or sign in with your password.")
            #expect(seen.stayed)
            #expect(seen.console == [])
            let code = try #require(seen.answer["code"])
            var own = registered
            own.redirectURI = seen.redirect_uri
            client = StandardClient(own, at: server)
            let tokens = try client.tokens(await client.redeem(code, verifier: verifier))
            let claims = try TokenClaims.all(of: tokens.access)
            #expect(claims["amr"] as? [String] == ["pop", "uv"])
        }
    }
}
