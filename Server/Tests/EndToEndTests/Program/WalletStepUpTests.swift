import Foundation
import Testing

/// `wallet sign-in --step-up`, after a call has required a stronger sign-in (RFC 9470).
@Suite("Step-up in the wallet program", .covers("a call that needs a stronger or fresher sign-in cannot be satisfied"))
struct WalletStepUpTests {
    @Test(
        "In the browser and with --username the signed-in person proves two factors, and the session is a new one",
        .onceForAllEngines)
    func twoFactors() async throws {
        try await withServer { server in
            let client = try await server.makePublicClient(redirectURI: "http://127.0.0.1/callback")
            let person = try await server.makeReachableAccount("grace")
            let wallet = await TerminalWallet(server, client)
            #expect(try await wallet.signInByCode(person) == .exited(0))
            let former = try await wallet.run("status", "--json").json["sessionId"] as? String
            let stepped = try await wallet.run(
                ["sign-in", "--step-up", "--username", person.username, "--json"],
                answering: [("Password for ", .text(person.password)), ("Code sent by e-mail", .sentCode(digits: 6))])
            #expect(stepped.succeeded, "\(stepped.output)")
            #expect(stepped.output.contains("urn:wallet-auth:acr:2fa"), "\(stepped.output)")
            let token = try await wallet.run("token").output
            server.ledger.enter(token)
            #expect(try TokenClaims.text("acr", of: token) == "urn:wallet-auth:acr:2fa")
            let session = try await wallet.run("status", "--json").json["sessionId"] as? String
            #expect(session != nil && session != former)

            let begun = try await wallet.startBrowserSignIn(
                "--step-up", "--acr", "urn:wallet-auth:acr:1fa", "--max-age", "0")
            let asked = queryItems(of: begun.page.absoluteString)
            #expect(asked["acr_values"] == "urn:wallet-auth:acr:1fa")
            #expect(asked["max_age"] == "0")
            begun.process.send(SIGTERM)
            _ = await begun.process.wait()
            let kept = try await wallet.run("status", "--json").json["sessionId"] as? String
            #expect(kept == session, "a step-up that is left leaves the session")
        }
    }

    @Test(
        "attack: another person steps up with --username; the first one stays signed in, on the device and the server",
        .onceForAllEngines)
    func anotherPerson() async throws {
        try await withTerminalWallet { server, wallet, person in
            #expect(try await wallet.signIn(person).succeeded)
            let session = try await wallet.run("status", "--json").json["sessionId"] as? String
            let other = try await server.makeAccount("dora")
            let refused = try await wallet.signIn(other, "--step-up", "--max-age", "0", "--json")
            #expect(refused.ending == .exited(1))
            #expect(try refused.failure["code"] as? String == "another_person")
            #expect(refused.errors.contains("wallet sign-in --again"), "\(refused.errors)")
            let kept = try await wallet.run("status", "--json").json["sessionId"] as? String
            #expect(session != nil && kept == session)
            // The server is asked for it, and gives its next token.
            #expect(try await wallet.run("refresh").succeeded)
            let own = try await wallet.signIn(person, "--step-up", "--max-age", "0", "--json")
            #expect(own.succeeded, "\(own.errors)")
        }
    }

    @Test(
        "attack: another person at the browser is asked for the one who is signed in, and cannot answer for them",
        .onceForAllEngines)
    func anotherAtTheBrowser() async throws {
        try await withServer { server in
            let client = try await server.makePublicClient(redirectURI: "http://127.0.0.1/callback")
            let person = try await server.makeAccount("grace")
            let other = try await server.makeAccount("dora")
            let wallet = await TerminalWallet(server, client)
            #expect(
                try await wallet.finish(wallet.startBrowserSignIn("--scope", "openid profile"), as: person)
                    == .exited(0))
            let session = try await wallet.run("status", "--json").json["sessionId"] as? String
            let begun = try await wallet.startBrowserSignIn("--step-up", "--max-age", "0", "--json")
            let asked = queryItems(of: begun.page.absoluteString)
            #expect(asked["id_token_hint"] != nil && asked["login_hint"] == person.username)
            #expect(try await wallet.finish(begun, as: other) == .exited(1))
            let kept = try await wallet.run("status", "--json").json["sessionId"] as? String
            #expect(session != nil && kept == session)
            let own = try await wallet.startBrowserSignIn("--step-up", "--max-age", "0")
            #expect(try await wallet.finish(own, as: person) == .exited(0))
        }
    }

    @Test(
        "Without a session there is nothing to step up, and what does not go with it is wrong usage", .onceForAllEngines
    )
    func refused() async throws {
        try await withSharedTerminalWallet { _, wallet, person in
            let nobody = try await wallet.run("sign-in", "--step-up", "--no-open")
            #expect(nobody.ending == .exited(1))
            #expect(nobody.errors.contains("no one is signed in"), "\(nobody.errors)")
            let here = try await wallet.signIn(person, "--step-up")
            #expect(here.ending == .exited(1))
            #expect(here.errors.contains("no one is signed in"), "\(here.errors)")
            for arguments in [
                ["--acr", "urn:x"], ["--max-age", "0"], ["--step-up", "--pin"], ["--step-up", "--again"],
                ["--step-up", "--max-age", "-1"], ["--step-up", "--acr", "two words"],
            ] {
                let usage = try await wallet.run(["sign-in"] + arguments)
                #expect(usage.ending == .exited(64), "\(arguments): \(usage.errors)")
            }
        }
    }
}
