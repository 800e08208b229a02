import Foundation
import Testing

/// The terminal wallet as a person or a script uses it.
@Suite("The wallet program")
struct WalletProgramTests {
    /// A wallet in a folder of its own.
    private struct TerminalWallet: Sendable {
        let server: RunningServer
        let environment: [String: String]

        init(_ server: RunningServer, _ client: RegisteredClient) async {
            self.server = server
            environment = [
                "WALLET_ISSUER": await server.issuer.absoluteString, "WALLET_CLIENT_ID": client.id,
                "WALLET_HOME": server.folder.appending(path: "wallet").path,
            ]
        }

        func run(_ arguments: String..., input: String = "") async throws -> CommandResult {
            try await ChildProcess.run(
                Programs.wallet, arguments, environment: environment, folder: server.folder, input: input)
        }

        /// Starts a sign-in in the browser; the wallet tells the page's address on its standard error.
        func startBrowserSignIn() throws -> ChildProcess {
            try ChildProcess(
                Programs.wallet, ["sign-in", "--no-open", "--json"], environment: environment, folder: server.folder,
                log: server.folder.appending(path: "sign-in.log"), watching: .standardError)
        }
    }

    private func withWallet(
        _ body: (RunningServer, TerminalWallet, Person) async throws -> Void
    ) async throws {
        try await withServer { server in
            let person = try await server.makeAccount()
            let client = try await server.makePublicClient(redirectURI: "http://127.0.0.1/callback")
            try await body(server, await TerminalWallet(server, client), person)
        }
    }

    private func json(_ result: CommandResult) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
    }

    @Test("Sign-in in the browser over a loopback redirect, status, a call, a refresh, sign-out: each its own process")
    func wholeJourney() async throws {
        try await withWallet { server, wallet, person in
            let signIn = try wallet.startBrowserSignIn()
            let page = try await within(.seconds(30), "the page's address") {
                for await line in signIn.lines {
                    if let match = line.firstMatch(of: /http:\/\/\S+\/oauth2\/authorize\S+/) {
                        return String(match.output)
                    }
                }
                return ""
            }
            let url = try #require(URL(string: page))
            let redirect = try #require(queryItems(of: page)["redirect_uri"])
            let browser = HeadlessBrowser(ledger: server.ledger)
            let callback = try await browser.signIn(
                at: url, typing: ["username": person.username, "password": person.password], until: redirect)
            _ = try await WebClient(ledger: server.ledger).get(callback)
            let ending = try await within(.seconds(30), "the wallet to finish") { await signIn.wait() }
            #expect(ending == .exited(0))

            let status = try await wallet.run("status", "--json")
            #expect(try json(status)["signedIn"] as? Bool == true)
            #expect(try json(status)["tokenType"] as? String == "DPoP")
            let call = try await wallet.run("call", await server.url("/oauth2/userinfo").absoluteString, "--json")
            #expect(try json(call)["status"] as? Int == 200)
            let refresh = try await wallet.run("refresh")
            #expect(refresh.succeeded, "\(refresh.errors)")
            let out = try await wallet.run("sign-out")
            #expect(out.succeeded, "\(out.errors)")
            let after = try await wallet.run("status")
            #expect(after.ending == .exited(1))
        }
    }

    @Test("Native sign-in reads the password from standard input; a wrong one is one clear line and exit 1")
    func native() async throws {
        try await withWallet { _, wallet, person in
            let wrong = try await wallet.run(
                "sign-in", "--username", person.username, "--password-stdin", input: "wrong-password-1\n")
            #expect(wrong.ending == .exited(1))
            #expect(wrong.errors.split(separator: "\n").count == 1, "\(wrong.errors)")
            let right = try await wallet.run(
                "sign-in", "--username", person.username, "--password-stdin", input: person.password + "\n")
            #expect(right.succeeded, "\(right.errors)")
        }
    }

    @Test("Eight wallets refreshing one session at once, as processes: all are served, and nobody is signed out")
    func processesAtOnce() async throws {
        try await withWallet { _, wallet, person in
            let signIn = try await wallet.run(
                "sign-in", "--username", person.username, "--password-stdin", input: person.password + "\n")
            #expect(signIn.succeeded, "\(signIn.errors)")
            try await withThrowingTaskGroup(of: CommandResult.self) { group in
                for _ in 0..<8 { group.addTask { try await wallet.run("refresh") } }
                for try await result in group { #expect(result.succeeded, "\(result.errors)") }
            }
            let status = try await wallet.run("status")
            #expect(status.succeeded, "\(status.errors)")
        }
    }

    @Test("With the server down the wallet says so, exits 1, and is still signed in when it is back")
    func serverDown() async throws {
        try await withWallet { server, wallet, person in
            let signIn = try await wallet.run(
                "sign-in", "--username", person.username, "--password-stdin", input: person.password + "\n")
            #expect(signIn.succeeded, "\(signIn.errors)")
            await server.crash()
            let refresh = try await wallet.run("refresh")
            #expect(refresh.ending == .exited(1))
            try await server.start()
            let again = try await wallet.run("refresh")
            #expect(again.succeeded, "\(again.errors)")
        }
    }
}
