import Foundation
import Testing

/// What the wallet program says to a person who cannot go on: before a secret is typed, and what to do.
@Suite(
    "The wallet program's guidance", .covers("a PIN or password that is too short is typed twice"), .onceForAllEngines)
struct WalletGuidanceTests {
    private static let pin = "804613972558"

    @Test("An identity that there is none of, whatever was typed, is answered by those that there are")
    func identities() async throws {
        try await withSharedTerminalWallet { _, wallet, person in
            #expect(try await wallet.signIn(person).succeeded)
            for id in ["nope", "", String(repeating: "A", count: 43)] {
                let removed = try await wallet.run("identity", "remove", id)
                #expect(removed.ending == .exited(1), "\(removed.errors)")
                #expect(
                    removed.errors
                        == "wallet: you have no identity \"\(id)\"; no identity is linked to your account\n")
            }
            for id in ["nope", "no device"] {
                let device = try await wallet.run("device", "remove", id)
                #expect(device.ending == .exited(1))
                #expect(device.errors.contains("wallet device list"), "\(device.errors)")
                #expect(device.errorLines.count == 1, "\(device.errors)")
            }
        }
    }

    @Test("Removing this very device asks first at a terminal, and says that the person is signed out")
    func ownDevice() async throws {
        try await withServer { server in
            let client = try await server.makePublicClient(redirectURI: "http://127.0.0.1/callback")
            let person = try await server.makeReachableAccount("grace")
            let wallet = await TerminalWallet(server, client)
            #expect(try await wallet.signInByCode(person) == .exited(0))
            let enrolled = try await wallet.succeeds("device", "enroll", "Terminal", "--json")
            let id = try #require(try enrolled.json["deviceId"] as? String)
            let question = "This is this device. You will be signed out. Remove it? (yes/no) "
            let kept = try await wallet.run(["device", "remove", id], answering: [(question, .text("no"))])
            #expect(kept.output.contains("nothing was removed"), "\(kept.output)")
            try await wallet.succeeds("status")
            let removed = try await wallet.run(["device", "remove", id], answering: [(question, .text("yes"))])
            #expect(removed.output.contains("It was this device: you are signed out."), "\(removed.output)")
            #expect(try await wallet.run("status").ending == .exited(1))
        }
    }

    @Test("A person whose code does not arrive asks for another one, and reads what to do if none does")
    func lostCode() async throws {
        try await withTerminalWallet { server, wallet, person in
            try await server.require(["account", "set-email", person.username, "--email", "ada@example.com"])
            let question = "Code from the e-mail (press Enter for another one): "
            let signedIn = try await wallet.run(
                ["sign-in", "--username", person.username],
                answering: [
                    ("Password for ", .text(person.password)), (question, .text("")), (question, .sentCode(digits: 6)),
                ])
            #expect(signedIn.output.contains("Signed in at"), "\(signedIn.output)")
            #expect(signedIn.output.components(separatedBy: "Confirm your e-mail address").count == 3)
        }
    }

    @Test("A registration that is begun again says that a code from before does not work in it")
    func registrationAgain() async throws {
        try await withTerminalWallet { server, wallet, _ in
            try await server.require(["brand", "update", "default", "--registration", "on"])
            let arguments = ["create-account", "--username", "gus", "--email", "gus@example.com"]
            let first = try await wallet.run(arguments, answering: [("Code", .interrupt)])
            #expect(first.output.contains("A message is on its way."), "\(first.output)")
            let again = try await wallet.run(arguments, answering: [("Code", .text("")), ("Code", .interrupt)])
            #expect(
                again.output.components(separatedBy: "one from before does not work here. Wait ").count == 3,
                "\(again.output)")
            let script = try await wallet.run(arguments + ["--answers-stdin"])
            #expect(script.ending == .exited(1) && script.errors.contains("; try again in "), "\(script.errors)")
        }
    }

    @Test("With --json, wrong usage and a refusal are one document with code, message and hint")
    func failureDocuments() async throws {
        try await withWalletAlone { wallet in
            for (arguments, status, code, hint) in [
                (["statsu"], 64, "usage", "Did you mean 'status'? See `wallet --help`"),
                (["token"], 1, "signed_out", "sign in with: wallet sign-in"),
            ] as [([String], Int32, String, String)] {
                let failed = try await wallet.run(arguments + ["--json"])
                #expect(failed.ending == .exited(status), "\(arguments): \(failed.errors)")
                let failure = try failed.failure
                #expect(failure["code"] as? String == code)
                #expect(failure["hint"] as? String == hint)
                #expect(failure["message"] is String)
                #expect(failed.errorLines.count == 1, "\(failed.errors)")
            }
        }
    }

    @Test("A client without long-lived sessions is named in the command that its operator runs")
    func deviceTokens() async throws {
        try await withLinkedTerminal { server, wallet, person in
            #expect(try await wallet.run(["pin", "set", "--pin-stdin"], input: Self.pin + "\n").succeeded)
            let arguments = ["device-token", "generate", "--username", person.username, "--password-stdin"]
            let refused = try await wallet.run(arguments, input: person.password + "\n")
            let command = "walletauth client update com.example.wallet --device-tokens"
            #expect(refused.errors.contains(command), "\(refused.errors)")
            // At a terminal, it says so before it asks for anything.
            let early = try await wallet.run(Array(arguments.dropLast()), answering: [])
            #expect(early.output.contains(command) && !early.output.contains("Password"), "\(early.output)")
            try await server.require(command.split(separator: " ").dropFirst().map(String.init))
            let begun = try await wallet.run(arguments, input: person.password + "\n")
            #expect(begun.succeeded, "\(begun.errors)")
            let asked = try await wallet.run(
                Array(arguments.dropLast()), answering: [("Password for ", .text(person.password))])
            #expect(asked.output.contains("signs you in with its PIN alone"), "\(asked.output)")

            let again = try await enrollAnew(wallet, person)
            #expect(again.succeeded, "\(again.errors)")
            for hint in ["wallet pin set", "wallet device-token generate"] {
                #expect(again.errors.contains(hint), "\(again.errors)")
            }
        }
    }

    @Test(
        "A PIN that would be of no use is not asked for: what is missing is reported at once, also at a terminal"
    )
    func uselessPINs() async throws {
        try await withTerminalWallet { _, wallet, person in
            #expect(try await wallet.signIn(person).succeeded)
            for arguments in [["pin", "set"], ["pin", "change"], ["device-token", "generate", "--username", "ada"]] {
                let early = try await wallet.run(arguments, answering: [])
                #expect(early.ending == .exited(1))
                #expect(early.output.contains("not enrolled"))
                #expect(early.output.contains("wallet device enroll DEVICE-NAME"))
                #expect(!early.output.contains("PIN: ") && !early.output.contains("Password"), "\(early.output)")
            }
            let signIn = try await wallet.run(["sign-in", "--pin"], answering: [])
            #expect(signIn.output.contains("wallet device enroll DEVICE-NAME"), "\(signIn.output)")
        }
        try await withLinkedTerminal { _, wallet, person in
            for arguments in [
                ["sign-in", "--pin"], ["pin", "change"], ["device-token", "generate", "--username", person.username],
            ] {
                let unset = try await wallet.run(arguments, answering: [])
                #expect(unset.output.contains("no PIN is set") && unset.output.contains("wallet pin set"))
                #expect(!unset.output.contains("PIN: ") && !unset.output.contains("Password"), "\(unset.output)")
            }
            #expect(try await wallet.run(["pin", "set", "--pin-stdin"], input: Self.pin + "\n").succeeded)
            let none = try await wallet.run(["sign-in", "--device-token"], answering: [])
            #expect(none.output.contains("no long-lived session") && !none.output.contains("PIN: "), "\(none.output)")
            for _ in 1...5 {
                _ = try await wallet.run(["sign-in", "--pin", "--pin-stdin"], input: "593071864422\n")
            }
            let locked = try await wallet.run(["sign-in", "--pin"], answering: [])
            #expect(locked.output.contains("locked") && !locked.output.contains("PIN: "), "\(locked.output)")
        }
    }

    @Test("Without a second factor the person learns how to set one up first, wherever two are asked for")
    func noSecondFactor() async throws {
        try await withSharedTerminalWallet { _, wallet, person in
            let strong = try await wallet.signIn(person, "--two-factors")
            #expect(strong.ending == .exited(1))
            #expect(strong.errors.contains("no second factor yet"), "\(strong.errors)")
            #expect(
                strong.errors.contains("sign in without --two-factors, then: wallet mfa authenticator"),
                "\(strong.errors)")
            #expect(try await wallet.signIn(person).succeeded)
            let enrolling = try await wallet.run("device", "enroll", "Terminal")
            #expect(enrolling.ending == .exited(1))
            #expect(
                enrolling.errors.contains("if you have no second factor yet, first run: wallet mfa authenticator"),
                "\(enrolling.errors)")
            let steppedUp = try await wallet.signIn(person, "--step-up")
            #expect(steppedUp.ending == .exited(1))
            #expect(steppedUp.errors.contains("no second factor yet"), "\(steppedUp.errors)")
            #expect(steppedUp.errors.contains("wallet mfa authenticator, then step up again"), "\(steppedUp.errors)")
            #expect(!steppedUp.errors.contains("--two-factors"), "\(steppedUp.errors)")
            // What the advice says can be done at once.
            let begun = try await wallet.run("mfa", "authenticator", "--begin")
            #expect(begun.succeeded, "\(begun.errors)")
        }
    }

    @Test("After one factor in a known browser, the advice of a command that changes the factors helps")
    func knownBrowser() async throws {
        try await withServer { server in
            let client = try await server.makePublicClient(redirectURI: "http://127.0.0.1/callback")
            let person = try await server.makeReachableAccount("grace")
            let wallet = await TerminalWallet(server, client)
            let browser = HeadlessBrowser(ledger: server.ledger)
            try await signIn(wallet, person, in: browser)
            // As in docs/tour.md: a browser that is known asks for no code.
            try await signIn(wallet, person, in: browser, "--step-up", "--max-age", "0")
            try await signIn(wallet, person, in: browser, "--again", "--scope", "openid")
            let refused = try await wallet.run("mfa", "authenticator", "--begin")
            #expect(refused.ending == .exited(1))
            let advice = "sign in again with: wallet sign-in --username NAME --two-factors, then repeat this\n"
            #expect(refused.errors.hasSuffix(advice), "\(refused.errors)")
            let strong = try await wallet.run(
                ["sign-in", "--two-factors", "--username", person.username],
                answering: [("Password for ", .text(person.password)), ("Code sent by e-mail", .sentCode(digits: 6))])
            #expect(strong.succeeded, "\(strong.output)")
            try await wallet.succeeds("mfa", "authenticator", "--begin")
        }
    }

    /// Signs in on the page, which asks a browser that it does not know for a code too.
    private func signIn(
        _ wallet: TerminalWallet, _ person: Person, in browser: HeadlessBrowser, _ arguments: String...
    ) async throws {
        let begun = try await wallet.startSignIn(arguments)
        var arrival = try await browser.open(begun.page, until: begun.redirectURI)
        for _ in 0..<3 {
            guard case .page(let url, let answer) = arrival else { break }
            var typed = ["username": person.username, "password": person.password]
            let form = try await browser.form(on: answer, at: url)
            if form.fields.contains(where: { $0.name == "answer" }) {
                typed["answer"] = try await firstResult("the code") { try? await wallet.server.newestCode() }
            }
            arrival = try await browser.submit(form, typing: typed, until: begun.redirectURI)
        }
        guard case .callback(let callback) = arrival else {
            begun.process.send(SIGKILL)
            Issue.record("the sign-in led to no callback: \(arrival)")
            return
        }
        _ = try await WebClient(ledger: wallet.server.ledger).get(callback)
        let ending = try await within(.patience, "the wallet to finish") {
            await begun.process.wait()
        } otherwise: {
            begun.process.send(SIGKILL)
        }
        #expect(ending == .exited(0))
    }

    @Test("A wrong code after the right password is called a wrong code")
    func wrongCode() async throws {
        try await withLinkedTerminal { _, wallet, person in
            let refused = try await wallet.run(
                ["sign-in", "--username", person.username, "--password-stdin", "--two-factors"],
                input: person.password + "\nnot a code\n")
            #expect(refused.ending == .exited(1))
            #expect(refused.errors.contains("wallet: the code is wrong"), "\(refused.errors)")
            #expect(!refused.errors.contains("password"), "\(refused.errors)")
        }
    }

    @Test("A new PIN that the rules refuse is refused at once, and not after it was typed twice")
    func newPIN() async throws {
        try await withLinkedTerminal { _, wallet, _ in
            let set = try await wallet.run(
                ["pin", "set"],
                answering: [
                    ("New PIN: ", .text("1234")), ("New PIN: ", .text("123456")), ("New PIN: ", .text(Self.pin)),
                    ("New PIN again: ", .text(Self.pin)),
                ])
            #expect(set.succeeded, "\(set.output)")
            #expect(set.output.contains("at least 6 digits") && set.output.contains("too common"), "\(set.output)")
            #expect(set.output.components(separatedBy: "New PIN again: ").count == 2, "\(set.output)")
        }
    }

    @Test("A new PIN that is repeated differently is asked for again, and after the third time not set")
    func mistypedPIN() async throws {
        try await withLinkedTerminal { _, wallet, _ in
            let mistyped: [(question: String, answer: TerminalWallet.TypedAnswer)] = [
                ("New PIN: ", .text(Self.pin)), ("New PIN again: ", .text("593071864422")),
            ]
            let given = try await wallet.run(["pin", "set"], answering: mistyped + mistyped + mistyped)
            #expect(given.ending == .exited(1))
            #expect(
                given.output.components(separatedBy: "The two entries do not match. Try again.").count == 3,
                "\(given.output)")
            #expect(given.output.contains("the two entries did not match; nothing was changed"), "\(given.output)")
            let none = try await wallet.run("pin", "status", "--json")
            #expect(try none.json["state"] as? String == "none")

            let right: [(question: String, answer: TerminalWallet.TypedAnswer)] = [
                ("New PIN: ", .text(Self.pin)), ("New PIN again: ", .text(Self.pin)),
            ]
            let set = try await wallet.run(["pin", "set"], answering: mistyped + mistyped + right)
            #expect(set.succeeded, "\(set.output)")
            let active = try await wallet.run("pin", "status", "--json")
            #expect(try active.json["state"] as? String == "active")
        }
    }

    @Test("A factor that was named and not asked for is mentioned, with the reason")
    func unusedFactor() async throws {
        try await withLinkedTerminal { server, wallet, person in
            try await server.write("UPDATE devices SET cooling_until = 0")
            let signedIn = try await wallet.signIn(person, "--two-factors", "--factor", "email")
            #expect(signedIn.succeeded, "\(signedIn.errors)")
            let note = "--factor was not used, because this device was the second factor"
            #expect(signedIn.errors.contains(note), "\(signedIn.errors)")
        }
    }

    @Test("A device that is enrolled again loses its PIN, and its holder is notified")
    func enrolledAnew() async throws {
        try await withLinkedTerminal { _, wallet, person in
            let bare = try await enrollAnew(wallet, person)
            #expect(bare.succeeded && !bare.errors.contains("pin set"), "\(bare.errors)")
            #expect(try await wallet.run(["pin", "set", "--pin-stdin"], input: Self.pin + "\n").succeeded)
            let again = try await enrollAnew(wallet, person)
            #expect(again.errors.contains("Set your PIN again: wallet pin set"), "\(again.errors)")
            let status = try await wallet.run("pin", "status", "--json")
            #expect(try status.json["state"] as? String == "none")
            let devices = try await wallet.succeeds("device", "list", "--json").json["devices"] as? [Any]
            #expect(devices?.count == 1, "the former ids are removed")
        }
    }

    @Test("An enrolled device is enrolled again only after a question, or with --again in a script")
    func enrollingQuestion() async throws {
        try await withLinkedTerminal { _, wallet, _ in
            let script = try await wallet.run("device", "enroll", "Terminal")
            #expect(script.ending == .exited(1) && script.errors.contains("use --again"), "\(script.errors)")
            let kept = try await wallet.run(
                ["device", "enroll", "Terminal"], answering: [("Enroll it again? (yes/no) ", .text("no"))])
            #expect(kept.output.contains("removes its PIN and its long-lived session"), "\(kept.output)")
            #expect(kept.output.contains("nothing was changed"), "\(kept.output)")
            let devices = try await wallet.succeeds("device", "list", "--json").json["devices"] as? [Any]
            #expect(devices?.count == 1)
        }
    }

    @Test("A device that was just enrolled comes with what it cannot do yet, and until when")
    func newDevice() async throws {
        try await withLinkedTerminal { _, wallet, person in
            let enrolled = try await enrollAnew(wallet, person)
            let told = try #require(
                enrolled.errors.firstMatch(of: /As a new device, it cannot approve payments, .+ until (\S+Z)\.\n/),
                "\(enrolled.errors)")
            let until = try Date(String(told.output.1), strategy: .iso8601)
            #expect((86_000...86_400).contains(until.timeIntervalSinceNow))
        }
    }

    @Test("Without --home a wallet is kept below $HOME, and the help says where")
    func home() async throws {
        try await withSharedTerminalWallet { server, wallet, person in
            let home = server.folder.appending(path: "home of ada")
            let signIn = try await wallet.run(
                ["sign-in", "--username", person.username, "--password-stdin"], input: person.password + "\n",
                environment: ["HOME": home.path, "WALLET_HOME": "", "XDG_DATA_HOME": ""])
            #expect(signIn.succeeded, "\(signIn.errors)")
            let profile = home.appending(path: ".local/share/wallet/default/profile.json")
            #expect(FileManager.default.fileExists(atPath: profile.path))
            let help = try await wallet.run("status", "--help")
            #expect(help.output.contains("~/.local/share/wallet"))
        }
    }

    @Test("The audit log names the program, and its version, of each sign-in")
    func userAgent() async throws {
        try await withSharedTerminalWallet { server, wallet, person in
            #expect(try await wallet.signIn(person).succeeded)
            let tail = try await server.require([
                "audit", "tail", "--account", person.username, "--kind", "account.signed_in",
            ])
            let version = try await wallet.run("--version").output
            #expect(tail.contains("\"user_agent\":\"wallet/\(version) (Linux)\""), "\(tail)")
        }
    }

    /// One sign-in enrolls one device, so another one comes first.
    private func enrollAnew(_ wallet: TerminalWallet, _ person: Person) async throws -> CommandResult {
        let signIn = try await wallet.run(
            ["sign-in", "--again", "--two-factors", "--username", person.username],
            answering: [("Password for ", .text(person.password)), ("Code sent by e-mail", .sentCode(digits: 6))])
        #expect(signIn.succeeded, "\(signIn.output)")
        return try await wallet.run("device", "enroll", "Terminal", "--again")
    }

    /// A wallet whose device is enrolled for a person who has just signed in with two factors.
    private func withLinkedTerminal(
        _ body: (RunningServer, TerminalWallet, Person) async throws -> Void
    ) async throws {
        try await withServer { server in
            let client = try await server.makePublicClient(redirectURI: "http://127.0.0.1/callback")
            let person = try await server.makeReachableAccount("grace")
            let wallet = await TerminalWallet(server, client)
            server.ledger.enter(Self.pin)
            #expect(try await wallet.signInByCode(person) == .exited(0))
            let enrolled = try await wallet.run("device", "enroll", "Terminal")
            #expect(enrolled.succeeded, "\(enrolled.errors)")
            #expect(!enrolled.errors.contains("before"), "\(enrolled.errors)")
            try await body(server, wallet, person)
        }
    }
}
