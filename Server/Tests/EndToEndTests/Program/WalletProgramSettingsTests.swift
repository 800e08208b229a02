import Foundation
import Testing

/// What a person names on the command line, and what the program says about it.
@Suite(
    "The wallet program's settings", .covers("a sign-in to another account replaces the session silently"),
    .onceForAllEngines)
struct WalletProgramSettingsTests {
    @Test("Without settings every missing one is named in one line; with one of them, the other")
    func nothingNamed() async throws {
        try await withWalletAlone { wallet in
            let none = ["WALLET_ISSUER": "", "WALLET_CLIENT_ID": ""]
            for command in ["sign-in", "status"] {
                let nothing = try await wallet.run([command], environment: none)
                #expect(nothing.ending == .exited(1))
                #expect(nothing.errorLines.count == 1)
                #expect(nothing.errors.contains("--issuer") && nothing.errors.contains("--client-id"))
            }
            let half = try await wallet.run(["sign-in", "--issuer", "http://127.0.0.1:1"], environment: none)
            #expect(half.errors.contains("--client-id") && !half.errors.contains("--issuer"), "\(half.errors)")
        }
    }

    @Test("A server by plain http on another machine is refused by that reason, before anything is sent")
    func plainHTTP() async throws {
        try await withWalletAlone { wallet in
            let signIn = try await wallet.run(["sign-in", "--no-open", "--issuer", "http://auth.example.com"])
            #expect(signIn.ending == .exited(1))
            #expect(signIn.errors.contains("is plain http") && signIn.errorLines.count == 1, "\(signIn.errors)")
        }
    }

    @Test("A server that is no URL is incorrect usage; an advice to sign in names the server that the command named")
    func namedServer() async throws {
        try await withSharedTerminalWallet { server, wallet, _ in
            let wrong = try await wallet.run("sign-in", "--issuer", "foo")
            #expect(wrong.ending == .exited(64))
            #expect(wrong.errors.contains("--issuer \"foo\" is not a full URL"), "\(wrong.errors)")
            let issuer = await server.issuer.absoluteString
            let status = try await wallet.run("status", "--profile", "q", "--issuer", issuer)
            #expect(status.ending == .exited(1))
            #expect(status.errors.contains("wallet sign-in --profile q --issuer \(issuer)\n"), "\(status.errors)")
        }
    }

    @Test("Several scopes in one option are several scopes")
    func scopes() async throws {
        try await withSharedTerminalWallet { _, wallet, person in
            let signIn = try await wallet.signIn(person, "--scope", "openid  profile", "--json")
            #expect(try Set(signIn.json["scopes"] as? [String] ?? []) == ["openid", "profile"])
        }
    }

    @Test("Status names the server also when no one is signed in")
    func status() async throws {
        try await withWalletAlone { wallet in
            let status = try await wallet.run(["status"])
            #expect(status.ending == .exited(1))
            #expect(status.errors.contains("no one is signed in at http://127.0.0.1:1"), "\(status.errors)")
            let elsewhere = try await wallet.run(["status", "--issuer", "http://127.0.0.1:2"])
            #expect(elsewhere.errors.contains("no one is signed in at http://127.0.0.1:2"), "\(elsewhere.errors)")
        }
    }

    @Test("A sign-in that asks for something else than the kept session has is refused by name, and changes nothing")
    func otherwise() async throws {
        try await withSharedTerminalWallet { _, wallet, person in
            let begun = try await wallet.startBrowserSignIn()
            #expect(try await wallet.finish(begun, as: person) == .exited(0))
            let session = try await wallet.run("status", "--json").json["sessionId"] as? String
            let wallet = wallet.withoutSettings
            for (arguments, told) in [
                (["--scope", "openid profile"], "scope (\"openid\", not \"openid profile\")"),
                (["--client-id", "com.example.other"], "client (\"com.example.wallet\", not \"com.example.other\")"),
                (["--issuer", "http://127.0.0.1:1"], "not \"http://127.0.0.1:1\""),
                (["--redirect-uri", "http://127.0.0.1/other"], "not \"http://127.0.0.1/other\""),
            ] {
                let other = try await wallet.run(["sign-in", "--no-open"] + arguments)
                #expect(other.ending == .exited(1), "\(arguments)")
                #expect(other.errors.contains(told) && other.errors.contains("--again"), "\(other.errors)")
                #expect(other.errorLines.count == 1, "\(other.errors)")
                let same = try await wallet.run("sign-in", "--no-open", "--scope", "openid", "--json")
                #expect(try same.json["sessionId"] as? String == session, "\(arguments)")
            }
        }
    }

    @Test("A sign-in that names no scopes asks for those of the last one here, also after a sign-out and with --again")
    func sameScopes() async throws {
        try await withSharedTerminalWallet { _, wallet, person in
            let first = try await wallet.signIn(person, "--scope", "openid profile")
            #expect(first.succeeded, "\(first.errors)")
            let over = try await wallet.signIn(person, "--json")
            #expect(try Set(over.json["scopes"] as? [String] ?? []) == ["openid", "profile"])
            _ = try await wallet.run("sign-out")
            let later = try await wallet.signIn(person, "--json")
            #expect(try Set(later.json["scopes"] as? [String] ?? []) == ["openid", "profile"])
            let again = try await wallet.signIn(person, "--again", "--json")
            #expect(try Set(again.json["scopes"] as? [String] ?? []) == ["openid", "profile"])
            let narrow = try await wallet.signIn(person, "--scope", "openid", "--json")
            #expect(try Set(narrow.json["scopes"] as? [String] ?? []) == ["openid"])
        }
    }

    @Test("--again ends the kept session at the server and signs in again, with the scopes that are asked for")
    func again() async throws {
        try await withSharedTerminalWallet { server, wallet, person in
            let begun = try await wallet.startBrowserSignIn()
            #expect(try await wallet.finish(begun, as: person) == .exited(0))
            let former = try await wallet.run("token").output
            server.ledger.enter(former)
            let next = try await wallet.startBrowserSignIn("--again", "--scope", "openid profile")
            let between = try await wallet.run("status")
            #expect(between.ending == .exited(1), "signed out while the page is open")
            #expect(try await wallet.finish(next, as: person) == .exited(0))
            let status = try await wallet.run("status", "--json")
            #expect(try Set(status.json["scopes"] as? [String] ?? []) == ["openid", "profile"])
        }
    }

    @Test("Without a browser, --again keeps the session until the new sign-in has succeeded")
    func keptUntilReplaced() async throws {
        try await withTerminalWallet { server, wallet, person in
            #expect(try await wallet.signIn(person).succeeded)
            let session = try await wallet.run("status", "--json").json["sessionId"] as? String
            server.ledger.enter("804613972558")
            for (arguments, input) in [
                (["--username", person.username, "--password-stdin"], ""),
                (["--username", person.username, "--password-stdin"], "wrong\n"),
                (["--username", person.username, "--account-pin", "--pin-stdin"], "804613972558\n"),
                (["--pin", "--pin-stdin"], "804613972558\n"), (["--device-token", "--pin-stdin"], "804613972558\n"),
                (["--nonce-stdin"], ""),
            ] {
                let refused = try await wallet.run(["sign-in", "--again"] + arguments, input: input)
                #expect(refused.ending == .exited(1), "\(arguments): \(refused.errors)")
                #expect(refused.errors.contains("You are still signed in.\n"), "\(refused.errors)")
                let kept = try await wallet.run("status", "--json")
                #expect(try kept.json["sessionId"] as? String == session, "\(arguments): \(kept.errors)")
            }
            #expect(try await wallet.signIn(person, "--again").succeeded)
            let next = try await wallet.run("status", "--json").json["sessionId"] as? String
            #expect(next != nil && next != session)
        }
    }

    @Test("A failed --again says that someone is still signed in only if someone was")
    func nothingToKeep() async throws {
        try await withTerminalWallet { _, wallet, person in
            #expect(try await wallet.signIn(person).succeeded)
            #expect(try await wallet.run("sign-out").succeeded)
            let refused = try await wallet.signIn(Person(username: person.username, password: "wrong"), "--again")
            #expect(refused.ending == .exited(1))
            #expect(refused.errors.contains("You are signed out.\n"), "\(refused.errors)")
            let unknown = try await wallet.signIn(person, "--again", "--client-id", "com.example.unknown")
            #expect(unknown.ending == .exited(1))
            #expect(!unknown.errors.contains("signed in.\n"), "\(unknown.errors)")
        }
    }

    @Test("A sign-in to another account names the one that it signed out, on standard error; one to the same does not")
    func anotherAccount() async throws {
        try await withTerminalWallet { server, wallet, ada in
            let eve = try await server.makeAccount("eve")
            let told = "ada was signed in here before and is now signed out."
            for arguments in [[], ["--again"]] {
                let own = try await wallet.run(
                    ["sign-in", "--username", ada.username, "--password-stdin"] + arguments,
                    input: ada.password + "\n")
                #expect(own.succeeded && !own.errors.contains("ada was"), "\(own.errors)")
                let same = try await wallet.signIn(ada)
                #expect(same.succeeded && !same.errors.contains("signed out"), "\(same.errors)")
                let other = try await wallet.run(
                    ["sign-in", "--username", eve.username, "--password-stdin", "--json"] + arguments,
                    input: eve.password + "\n")
                #expect(other.errors.contains(told) && other.errors.contains("--profile NAME"), "\(other.errors)")
                #expect(try other.json["username"] as? String == "eve")
            }
            // Each profile has a session of its own, so none is replaced.
            let apart = try await wallet.signIn(ada, "--profile", "ada")
            #expect(apart.succeeded && !apart.errors.contains("signed out"), "\(apart.errors)")
            let status = try await wallet.run("status", "--json")
            #expect(try status.json["username"] as? String == "eve")
        }
    }

    @Test("An empty line of standard input is called empty, and the end of it is called no line")
    func emptyAnswer() async throws {
        try await withSharedTerminalWallet { _, wallet, person in
            let arguments = ["sign-in", "--username", person.username, "--password-stdin"]
            for (input, told) in [("", "has no line for"), ("\n", "has an empty line for")] {
                let refused = try await wallet.run(arguments, input: input)
                #expect(refused.ending == .exited(1))
                #expect(refused.errors.contains("standard input \(told)"), "\(refused.errors)")
            }
        }
    }

    @Test(
        "A call to what is no URL, or to where a token would be read on the way, is refused with the reason",
        arguments: [
            ("foo", "is not a URL"), ("api.example.com/me", "is not a URL"), ("https://", "is not a URL"),
            ("http://api.example.com/me", "use https"), ("http://127.0.0.1.example.com/", "use https"),
            ("ftp://api.example.com/me", "over https only"), ("file:///etc/passwd", "is not a URL"),
        ])
    func targets(url: String, told: String) async throws {
        try await withWalletAlone { wallet in
            let call = try await wallet.run(["call", url])
            #expect(call.ending == .exited(64))
            #expect(call.errors.contains(told), "\(call.errors)")
        }
    }
}
