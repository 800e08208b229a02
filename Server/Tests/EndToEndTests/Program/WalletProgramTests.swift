import Foundation
import Testing

/// The terminal wallet as a person or a script uses it.
@Suite("The wallet program")
struct WalletProgramTests {
    @Test(
        "Sign-in in the browser over a loopback redirect, status, a call, a refresh, sign-out: each its own process",
        .onceForAllEngines)
    func wholeJourney() async throws {
        try await withSharedTerminalWallet { server, wallet, person in
            let signIn = try await wallet.startBrowserSignIn()
            #expect(try await wallet.finish(signIn, as: person) == .exited(0))

            let status = try await wallet.run("status", "--json")
            #expect(try status.json["signedIn"] as? Bool == true)
            #expect(try status.json["tokenType"] as? String == "DPoP")
            let call = try await wallet.run("call", await server.url("/oauth2/userinfo").absoluteString, "--json")
            #expect(try call.json["status"] as? Int == 200)
            let refresh = try await wallet.run("refresh")
            #expect(refresh.succeeded, "\(refresh.errors)")
            let out = try await wallet.run("sign-out")
            #expect(out.succeeded, "\(out.errors)")
            let after = try await wallet.run("status")
            #expect(after.ending == .exited(1))
        }
    }

    @Test(
        "A sign-out while the server is down is not called revoked, and the next command makes up for it",
        .onceForAllEngines)
    func signOutOffline() async throws {
        try await withTerminalWallet { server, wallet, person in
            let signIn = try await wallet.signIn(person)
            #expect(signIn.succeeded, "\(signIn.errors)")
            await server.crash()
            let out = try await wallet.run("sign-out", "--json")
            #expect(try out.json["revoked"] as? Bool == false)
            #expect(try out.json["wasSignedIn"] as? Bool == true)
            let again = try await wallet.run("sign-out", "--json")
            #expect(try again.json["revoked"] as? Bool == false)
            #expect(try again.json["wasSignedIn"] as? Bool == false)
            try await server.start()
            #expect(try await server.require(["audit", "tail", "--kind", "session.signed_out"]) == "No entries.")
            let status = try await wallet.run("status")
            #expect(status.ending == .exited(1))
            #expect(try await server.require(["audit", "tail", "--kind", "session.signed_out"]) != "No entries.")
            let last = try await wallet.run("sign-out", "--json")
            #expect(last.succeeded, "\(last.errors)")
            #expect(try last.json["revocation"] == nil, "nothing was left to revoke")
        }
    }

    @Test("A sign-in whose output is no longer read goes on, and is there afterwards", .onceForAllEngines)
    func outputClosed() async throws {
        try await withSharedTerminalWallet { _, wallet, person in
            let signIn = try await wallet.startBrowserSignInReadOnce()
            #expect(try await wallet.finish(signIn, as: person) == .exited(0))
            let status = try await wallet.run("status")
            #expect(status.succeeded, "\(status.errors)")
        }
    }

    @Test(
        "Native sign-in reads the password from standard input; a wrong one is one clear line and exit 1",
        .onceForAllEngines)
    func native() async throws {
        try await withTerminalWallet { _, wallet, person in
            let wrong = try await wallet.signIn(Person(username: person.username, password: "wrong-password-1"))
            #expect(wrong.ending == .exited(1))
            #expect(wrong.errorLines.count == 1, "\(wrong.errors)")
            #expect(wrong.errors.contains("the user name or the password is wrong"), "\(wrong.errors)")
            let right = try await wallet.signIn(person)
            #expect(right.succeeded, "\(right.errors)")
        }
    }

    @Test("The session's holder is named by user name and account id", .onceForAllEngines)
    func username() async throws {
        try await withSharedTerminalWallet { _, wallet, person in
            let signIn = try await wallet.signIn(person)
            let issuer = await wallet.server.issuer.absoluteString
            for told in [signIn, try await wallet.run("status"), try await wallet.run("refresh")] {
                #expect(told.output.hasPrefix("Signed in at \(issuer) as \(person.username).\n"), "\(told.output)")
                #expect(told.output.contains("  account       "), "\(told.output)")
            }
            let status = try await wallet.run("status", "--json")
            #expect(try status.json["username"] as? String == person.username)
        }
    }

    @Test("Eight wallets refreshing one session at once, as processes: all are served, and none is signed out")
    func processesAtOnce() async throws {
        try await withSharedTerminalWallet { _, wallet, person in
            let signIn = try await wallet.signIn(person)
            #expect(signIn.succeeded, "\(signIn.errors)")
            try await withThrowingTaskGroup(of: CommandResult.self) { group in
                for _ in 0..<8 { group.addTask { try await wallet.run("refresh") } }
                for try await result in group { #expect(result.succeeded, "\(result.errors)") }
            }
            let status = try await wallet.run("status")
            #expect(status.succeeded, "\(status.errors)")
        }
    }

    @Test(
        "With the server down the wallet names it, exits 1, and is still signed in when it is back", .onceForAllEngines)
    func serverDown() async throws {
        try await withTerminalWallet { server, wallet, person in
            let signIn = try await wallet.signIn(person)
            #expect(signIn.succeeded, "\(signIn.errors)")
            await server.crash()
            let refresh = try await wallet.run("refresh")
            #expect(refresh.ending == .exited(1))
            let issuer = await server.issuer.absoluteString
            #expect(refresh.errors.contains("\(issuer) cannot be reached ("), "\(refresh.errors)")
            #expect(!refresh.errors.contains("URLError") && refresh.errorLines.count == 1, "\(refresh.errors)")
            try await server.start()
            let again = try await wallet.run("refresh")
            #expect(again.succeeded, "\(again.errors)")
        }
    }
}
