import Foundation
import Testing

@Suite("The person's own account at the terminal", .covers("wallet.account"), .onceForAllEngines)
struct WalletAccountTests {
    private func withPerson(
        _ body: (RunningServer, TerminalWallet, Person) async throws -> Void
    ) async throws {
        try await withServer { server in
            let client = try await server.makePublicClient(redirectURI: "http://127.0.0.1/callback")
            let person = try await server.makeReachableAccount("grace")
            let wallet = await TerminalWallet(server, client)
            #expect(try await wallet.signInByCode(person) == .exited(0))
            try await body(server, wallet, person)
        }
    }

    @Test("A person reads, exports, closes and keeps the account; a sign-in meanwhile says what takes the closing back")
    func wholeWay() async throws {
        try await withPerson { server, wallet, person in
            #expect(
                try await wallet.succeeds("status", "--json").json["acr"] as? String == "urn:wallet-auth:acr:2fa")
            let shown = try await wallet.succeeds("account", "show", "--json").json
            #expect(shown["username"] as? String == person.username)
            #expect((shown["email"] as? String)?.hasSuffix("@example.com") == true, "\(shown)")
            let activity = try await wallet.succeeds("account", "activity", "--json").json
            #expect((activity["entries"] as? [Any])?.isEmpty == false, "\(activity)")

            let exported = try await wallet.succeeds("account", "export").json
            #expect((exported["email"] as? String)?.hasSuffix("@example.com") == true)
            let file = server.folder.appending(path: "export.json").path
            try await wallet.succeeds("account", "export", file)
            #expect(try await wallet.run("account", "export", file).errors.contains("it exists already"))

            let unasked = try await wallet.run("account", "close")
            #expect(unasked.ending == .exited(1) && unasked.errors.contains("use --yes"), "\(unasked.errors)")
            let closed = try await wallet.succeeds("account", "close", "--yes", "--json").json
            let code = try #require(closed["keepCode"] as? String)
            server.ledger.enter(code)
            #expect(try await wallet.run("status").ending == .exited(1))

            let refused = try await wallet.signIn(person)
            #expect(refused.ending == .exited(1))
            #expect(refused.errors.contains("you closed this account; it is erased at"), "\(refused.errors)")
            #expect(refused.errors.contains("wallet account keep"), "\(refused.errors)")
            let wrong = try await wallet.run(["account", "keep", "--code-stdin"], input: "AAAA-AAAA-AAAA-AAAA\n")
            #expect(wrong.errors.contains("belongs to no closed account"), "\(wrong.errors)")
            let question = "Code from the message about the closing: "
            let kept = try await wallet.run(
                ["account", "keep"],
                answering: [(question, .text("AAAA-AAAA-AAAA-AAAA")), (question, .text(code))])
            #expect(kept.succeeded && kept.output.contains("That code is wrong. Try again."), "\(kept.output)")
            let state = try await server.require(["account", "show", person.username, "--json"])
            #expect(state.contains("active") && !state.contains("deactivated"), "\(state)")
        }
    }

    @Test(
        "An address that was typed is not taken for the user name, which the server gives with the scope for it",
        arguments: ["openid", "openid profile"])
    func userName(scopes: String) async throws {
        try await withServer { server in
            let client = try await server.makePublicClient(redirectURI: "http://127.0.0.1/callback")
            let person = try await server.makeReachableAccount("grace")
            let wallet = await TerminalWallet(server, client)
            let arguments = ["sign-in", "--username", "grace@example.com", "--scope", scopes, "--password-stdin"]
            let signedIn = try await wallet.run(arguments, typing: person.password + "\n") {
                (try? await server.newestCode()).map { $0 + "\n" }
            }
            let name = scopes.contains("profile") ? " as grace." : " with grace@example.com."
            #expect(signedIn.output.contains(name), "\(signedIn.output)\(signedIn.errors)")
            for command in [["status", "--json"], ["account", "show", "--json"]] {
                let shown = try await wallet.run(command).json["username"] as? String
                #expect(shown == (scopes.contains("profile") ? "grace" : nil), "\(command)")
            }
            // Nor does a page's address show it to other users of the machine.
            let begun = try await wallet.startBrowserSignIn("--step-up", "--max-age", "0")
            let hint = queryItems(of: begun.page.absoluteString)["login_hint"]
            #expect(hint == (scopes.contains("profile") ? "grace" : nil), "\(begun.page)")
            begun.process.send(SIGTERM)
            _ = await begun.process.wait()
        }
    }

    @Test("After a sign-in in the browser, the status shows the user name if the scope allows it")
    func userNameFromBrowser() async throws {
        try await withSharedTerminalWallet { _, wallet, person in
            let begun = try await wallet.startBrowserSignIn("--scope", "openid profile")
            #expect(try await wallet.finish(begun, as: person) == .exited(0))
            #expect(try await wallet.succeeds("status", "--json").json["username"] as? String == person.username)
        }
    }

    @Test("A new address is confirmed with the code that is sent to it, after a wrong one")
    func address() async throws {
        try await withPerson { _, wallet, _ in
            let changed = try await wallet.run(
                ["account", "email", "grace.new@example.com"],
                answering: [("Code: ", .text("no code")), ("Code: ", .sentCode(digits: 6))])
            let none = try await wallet.run("account", "phone", "--remove")
            #expect(none.errors.contains("your account has no phone number"), "\(none.errors)")
            let announced =
                /sign in and recover your account, .*browsers are signed out(?s:.*)has the new e-mail address\./
            #expect(changed.output.firstMatch(of: announced) != nil, "\(changed.output)")
            // Without --yes no one can answer here: the waiting time comes before the question.
            for arguments in [["account", "close", "--yes"], ["account", "close"]] {
                let early = try await wallet.run(arguments)
                let told = early.errors.firstMatch(of: /within the last day.* until \S+Z; try again then/)
                #expect(told != nil, "\(early.errors)")
            }
            let shown = try await wallet.succeeds("account", "show").output
            #expect(shown.contains("Cannot be closed until 20"), "\(shown)")
        }
    }

    @Test("Which secret questions, and how many, is checked before the first is asked")
    func questions() async throws {
        try await withTerminalWallet { server, wallet, person in
            try await server.require(["brand", "update", "default", "--secret-questions", "on"])
            #expect(try await wallet.signIn(person).succeeded)
            for (chosen, words) in [
                (["first_pet", "first_car_of_mine"], "there is no question \"first_car_of_mine\""),
                (["first_pet"], "choose "),
            ] {
                let arguments = ["mfa", "questions"] + chosen.flatMap { ["--set", $0] }
                let refused = try await wallet.run(arguments, answering: [])
                #expect(refused.ending == .exited(1))
                #expect(refused.output.contains(words) && !refused.output.contains("?"), "\(refused.output)")
            }
        }
    }

    @Test("Once the operator has removed the device, status --check finds that the session has ended")
    func removedDevice() async throws {
        try await withPerson { server, wallet, _ in
            let enrolled = try await wallet.succeeds("device", "enroll", "Terminal", "--json").json
            let id = try #require(enrolled["deviceId"] as? String)
            #expect(try await wallet.succeeds("device", "list").output.contains("enrolled 20"))
            try await wallet.succeeds("status", "--check")
            try await server.require(["device", "remove", id])
            let ended = try await wallet.run("status", "--check")
            #expect(ended.ending == .exited(1))
            #expect(ended.errors.contains("ended your session"), "\(ended.errors)")
            #expect(try await wallet.run("status").ending == .exited(1))
        }
    }
}
