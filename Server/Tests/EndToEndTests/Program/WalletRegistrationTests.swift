import Foundation
import Testing

/// What the wallet program says where the client, a scope or a provider is wrong: before a secret is typed, and who mends it how.
@Suite(
    "The wallet program's client, scopes and provider", .covers("a password is typed for a client"), .onceForAllEngines)
struct WalletRegistrationTests {
    @Test("An unknown client is reported, with the place that names it, before the password is asked for")
    func client() async throws {
        try await withSharedTerminalWallet { server, wallet, person in
            let typed = try await wallet.run(
                ["sign-in", "--username", person.username, "--client-id", "com.example.typo"], answering: [])
            #expect(typed.ending == .exited(1))
            #expect(typed.output.contains("has no client \"com.example.typo\" (from --client-id)"), "\(typed.output)")
            #expect(typed.output.contains("walletauth client create com.example.typo"))
            #expect(!typed.output.contains("Password"), "\(typed.output)")
            let variable = try await wallet.run(
                ["sign-in", "--username", person.username, "--password-stdin", "--again"],
                input: person.password + "\n", environment: ["WALLET_CLIENT_ID": "com.example.typo"])
            #expect(variable.errors.contains("(from WALLET_CLIENT_ID)"), "\(variable.errors)")
            let page = try await wallet.run("sign-in", "--no-open", "--client-id", "com.example.typo")
            #expect(page.ending == .exited(1))
            #expect(!page.errors.contains("Open this page"), "\(page.errors)")
            let recovery = try await wallet.run(
                "recover", "--username", person.username, "--client-id", "com.example.typo", "--answers-stdin")
            #expect(recovery.errors.contains("has no client"), "\(recovery.errors)")
        }
    }

    @Test(
        "The error names a client that a variable or an option put in the place of the remembered one, and how to undo it"
    )
    func anotherClient() async throws {
        try await withTerminalWallet { server, wallet, person in
            #expect(try await wallet.signIn(person).succeeded)
            try await server.require([
                "client", "create", "com.example.other", "--name", "Other", "--public", "--first-party",
                "--redirect-uri", "http://127.0.0.1/callback", "--scope", "openid",
            ])
            for command in [["status"], ["transactions", "list"], ["transactions", "create", "--state", "a"]] {
                let variable = try await wallet.run(command, environment: ["WALLET_CLIENT_ID": "com.example.other"])
                #expect(variable.ending == .exited(1))
                #expect(
                    variable.errors.contains("as the client \"com.example.other\" (from WALLET_CLIENT_ID)"),
                    "\(command): \(variable.errors)")
                #expect(
                    variable.errors.contains("last used as \"com.example.wallet\": unset WALLET_CLIENT_ID"),
                    "\(command): \(variable.errors)")
            }
            let option = try await wallet.run("status", "--client-id", "com.example.other")
            #expect(option.errors.contains("omit --client-id"), "\(option.errors)")
            let own = try await wallet.run(["status"])
            #expect(own.succeeded, "\(own.errors)")
            let typo = try await wallet.run(
                ["sign-in", "--username", person.username, "--password-stdin", "--again"],
                input: person.password + "\n", environment: ["WALLET_CLIENT_ID": "com.example.typo"])
            #expect(typo.errors.contains("has no client \"com.example.typo\" (from WALLET_CLIENT_ID)"))
            #expect(typo.errors.contains("unset WALLET_CLIENT_ID to keep using that client"), "\(typo.errors)")
        }
    }

    @Test("A sign-out of another client than is signed in is refused, and names the one that is; that session goes on")
    func signOutOfAnotherClient() async throws {
        try await withTerminalWallet { server, wallet, person in
            #expect(try await wallet.signIn(person).succeeded)
            let variable = try await wallet.run(["sign-out"], environment: ["WALLET_CLIENT_ID": "com.example.other"])
            let option = try await wallet.run("sign-out", "--client-id", "com.example.other")
            for (result, source) in [(variable, "WALLET_CLIENT_ID"), (option, "--client-id")] {
                #expect(result.ending == .exited(1))
                #expect(
                    result.errors.contains("\"com.example.other\" (from \(source)) is not signed in"),
                    "\(result.errors)")
                #expect(result.errors.contains("wallet sign-out --client-id com.example.wallet"), "\(result.errors)")
            }
            #expect(try await wallet.run("status").succeeded)
            // As the other client it was never signed out, since it was never signed in.
            let other = try await wallet.run("status", "--client-id", "com.example.other")
            #expect(!other.errors.contains("you signed out"), "\(other.errors)")
            await server.crash()
            let offline = try await wallet.run("sign-out", "--client-id", "com.example.other")
            #expect(offline.ending == .exited(1))
            try await server.start()
            #expect(try await wallet.run("sign-out", "--client-id", "com.example.wallet").succeeded)
            let nobody = try await wallet.run("sign-out", "--client-id", "com.example.other")
            #expect(nobody.succeeded, "\(nobody.errors)")
        }
    }

    @Test("Of several scopes those are named that the client may not ask for, with the command that allows them")
    func scopes() async throws {
        try await withTerminalWallet { server, wallet, person in
            let arguments = ["sign-in", "--username", person.username, "--scope", "openid payments profile accounts"]
            let refused = try await wallet.run(arguments, answering: [])
            #expect(refused.ending == .exited(1))
            #expect(!refused.output.contains("Password"), "\(refused.output)")
            #expect(
                refused.output.contains("may not request the scopes \"payments\", \"accounts\""), "\(refused.output)")
            #expect(
                refused.output.contains(
                    "walletauth client update com.example.wallet --add-scope \"payments accounts\""))
            try await server.require([
                "client", "update", "com.example.wallet", "--add-scope", "payments accounts",
            ])
            let allowed = try await wallet.run(arguments + ["--password-stdin"], input: person.password + "\n")
            #expect(allowed.succeeded, "\(allowed.errors)")
        }
    }

    @Test("A client that signs people in on the page alone says to use the browser, and opens it")
    func browserAlone() async throws {
        try await withSharedTerminalWallet { server, wallet, person in
            try await server.require([
                "client", "create", "com.example.page", "--name", "Page", "--public", "--redirect-uri",
                "http://127.0.0.1/callback", "--scope", "openid",
            ])
            let native = try await wallet.run(
                ["sign-in", "--username", person.username, "--client-id", "com.example.page"], answering: [])
            #expect(native.output.contains("wallet sign-in --browser"), "\(native.output)")
            let begun = try await wallet.startBrowserSignIn("--client-id", "com.example.page")
            #expect(try await wallet.finish(begun, as: person) == .exited(0))
        }
    }

    @Test(
        "An unknown provider is reported before a password is asked for, and an impossible name is wrong usage")
    func provider() async throws {
        try await withSharedTerminalWallet { _, wallet, _ in
            let unknown = try await wallet.run(
                ["sign-in", "--provider", "nobody", "--username", "ada"], answering: [])
            #expect(unknown.ending == .exited(1))
            #expect(unknown.output.contains("has no identity provider \"nobody\""), "\(unknown.output)")
            #expect(unknown.output.contains("walletauth provider list"))
            #expect(
                unknown.output.contains("walletauth provider add oidc, add apple or add repository"),
                "\(unknown.output)")
            #expect(!unknown.output.contains("Password"), "\(unknown.output)")
            let impossible = try await wallet.run("sign-in", "--provider", "no body", "--username", "ada")
            #expect(impossible.ending == .exited(64))
        }
    }

    @Test("Without a terminal, one sufficient option is named, and the help for others")
    func nobody() async throws {
        try await withSharedTerminalWallet { _, wallet, person in
            // Without a controlling terminal there is no /dev/tty either.
            for (arguments, option) in [
                (["sign-in", "--username", person.username], "--password-stdin"),
                (["sign-in", "--nonce"], "--nonce-stdin"),
                (["recover", "--username", person.username], "--answers-stdin"),
            ] {
                let result = try await wallet.runDetached(arguments)
                #expect(result.ending == .exited(1))
                #expect(result.errors.contains("use \(option); see --help for other ways"), "\(result.errors)")
                let options = result.errors.split(separator: "; use ").last.map(String.init) ?? ""
                #expect(options.matches(of: /--[a-z-]+/).count == 2, "\(result.errors)")
            }
        }
    }
}
