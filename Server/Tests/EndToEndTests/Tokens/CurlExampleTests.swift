import Foundation
import Testing

/// The scripts of Examples/Curl, with the clients that its README registers.
@Suite("OAuth by curl", .onceForAllEngines)
struct CurlExampleTests {
    private static let examples = Programs.repository.appending(path: "Examples/Curl")

    /// The server's folder with the scripts in it, and the secret of the service.
    private struct Shell {
        let server: RunningServer
        let issuer: String
        var secret = ""

        init(at server: RunningServer) async throws {
            self.server = server
            issuer = await server.issuer.absoluteString
            for name in try FileManager.default.contentsOfDirectory(atPath: CurlExampleTests.examples.path)
            where name != "README.md" {
                try FileManager.default.copyItem(
                    at: CurlExampleTests.examples.appending(path: name), to: server.folder.appending(path: name))
            }
        }

        var environment: [String: String] {
            let programs = [Programs.python, Programs.walletauth].map { $0.deletingLastPathComponent().path }
            let own = [
                "PATH": (programs + ["/usr/bin", "/bin"]).joined(separator: ":"), "ISSUER": issuer, "SECRET": secret,
            ]
            return server.environment.merging(own) { _, new in new }
        }

        /// Runs a script, which has to succeed.
        /// - Returns: what it printed.
        func run(_ script: String, input: String = "") async throws -> String {
            let result = try await ChildProcess.run(
                URL(filePath: "/bin/sh"), ["-ec", script], environment: environment, folder: server.folder, input: input
            )
            try #require(result.succeeded, "\(script): \(result.errors) \(result.output)")
            return result.output
        }

        /// The same, of a script that prints a JSON object.
        func members(_ script: String, input: String = "") async throws -> [String: Any] {
            let output = try await run(script, input: input)
            let object = try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any]
            enter(object)
            return try #require(object, "\(script) printed no object")
        }

        func enter(_ tokens: [String: Any]?) {
            for name in ["access_token", "refresh_token"] { server.ledger.enter(tokens?[name] as? String) }
        }
    }

    /// Registers the clients as the README does.
    private static func register(at server: RunningServer) async throws -> Shell {
        var shell = try await Shell(at: server)
        let page = try String(contentsOf: examples.appending(path: "README.md"), encoding: .utf8)
        let block = try #require(page.components(separatedBy: "```sh\n").dropFirst().first)
        let registered = try await shell.run(try #require(block.components(separatedBy: "```").first))
        shell.secret = String(try #require(registered.firstMatch(of: /wcs_[\w\-]+/)).output)
        server.ledger.enter(shell.secret)
        return shell
    }

    @Test(
        "The scripts push a request, redeem, call, introspect, exchange and renew with proofs, sign out, and let a device in"
    )
    func scripts() async throws {
        try await withServer { server in
            let shell = try await Self.register(at: server)
            let person = try await server.makeAccount()
            let browser = HeadlessBrowser(ledger: server.ledger)
            let address = try await shell.run("./fapi.sh push")
            let pushed = try #require(URL(string: address))
            #expect(queryItems(of: pushed.absoluteString).keys.sorted() == ["client_id", "request_uri"])
            let callback = try await browser.signIn(
                at: pushed, typing: ["username": person.username, "password": person.password],
                until: "https://partner.example.com/callback")
            let code = try #require(queryItems(of: callback.absoluteString)["code"])
            let identity = try await shell.members("./fapi.sh redeem \(code)")
            let subject = try #require(identity["sub"] as? String)
            #expect(try await shell.members("./fapi.sh call")["sub"] as? String == subject)

            let token = try await shell.run("python3 oauth.py member access_token < tokens.json")
            server.ledger.enter(token)
            let statement = try await shell.members("./introspect.sh", input: token)
            let introspected = try #require(statement["token_introspection"] as? [String: Any])
            #expect(introspected["active"] as? Bool == true)
            #expect(introspected["sub"] as? String == subject)
            let exchanged = try await shell.members("./exchange.sh https://stock.example.com", input: token)
            #expect(exchanged["token_type"] as? String == "DPoP")
            #expect(exchanged["scope"] as? String == "payments")

            #expect(try await shell.members("./fapi.sh renew")["token_type"] as? String == "DPoP")
            #expect(try await shell.run("./logout.sh") == "303 https://partner.example.com/goodbye?state=see-you")
            #expect(try await shell.members("./fapi.sh renew")["error"] as? String == "invalid_grant")
            try await signInOnDevice(shell, as: person)
        }
    }

    private func signInOnDevice(_ shell: Shell, as person: Person) async throws {
        let device = try ChildProcess(
            URL(filePath: "/bin/sh"), ["./device.sh"], environment: shell.environment, folder: shell.server.folder,
            log: shell.server.folder.appending(path: "device.log"))
        let lines = try await within(.patience, "the device to be let in") {
            var lines: [String] = []
            for await line in device.lines {
                lines.append(line)
                guard lines.count == 1 else { continue }
                let shown = try #require(line.wholeMatch(of: /Open (\S+) and type (\S+)/)).output
                let entry = try #require(URL(string: String(shown.1)))
                let browser = HeadlessBrowser(ledger: shell.server.ledger)
                let opened = try await browser.open(entry, until: "none:").shown
                let asked = try await browser.press("enter", on: opened, typing: ["user_code": String(shown.2)])
                let named = try await browser.press(
                    "sign_in", on: asked, typing: ["username": person.username, "password": person.password])
                let consent = try await browser.press("connect", on: named)
                _ = try await browser.press("allow", on: consent)
            }
            return lines
        } otherwise: {
            device.send(SIGKILL)
        }
        let tokens = try JSONSerialization.jsonObject(with: Data(try #require(lines.last).utf8)) as? [String: Any]
        shell.enter(tokens)
        #expect(tokens?["token_type"] as? String == "Bearer")
    }
}
