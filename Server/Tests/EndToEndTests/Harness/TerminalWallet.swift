import Foundation
import Testing

/// The `wallet` program with a folder of its own, set up for a server and a client by its environment.
struct TerminalWallet: Sendable {
    let server: RunningServer
    private let home: String
    private let settings: [String: String]

    /// - Parameter name: of its folder in the server's.
    init(_ server: RunningServer, _ client: RegisteredClient, in name: String = "wallet") async {
        self.server = server
        home = server.folder.appending(path: name).path
        settings = ["WALLET_ISSUER": await server.issuer.absoluteString, "WALLET_CLIENT_ID": client.id]
    }

    private init(_ server: RunningServer, home: String, settings: [String: String] = [:]) {
        self.server = server
        self.home = home
        self.settings = settings
    }

    /// A wallet of the same app on another device.
    func onAnotherDevice(_ name: String) -> TerminalWallet {
        TerminalWallet(server, home: server.folder.appending(path: name).path, settings: settings)
    }

    /// The same folder, and an environment that says nothing.
    var withoutSettings: TerminalWallet { TerminalWallet(server, home: home) }

    var environment: [String: String] { program.environment }

    private var program: WalletHome {
        WalletHome(folder: server.folder, environment: settings.merging(["WALLET_HOME": home]) { $1 })
    }

    func run(_ arguments: String...) async throws -> CommandResult { try await run(arguments) }

    func run(
        _ arguments: [String], input: String = "", environment more: [String: String] = [:]
    ) async throws -> CommandResult {
        try await program.run(arguments, input: input, environment: more)
    }

    /// Runs a command in a session of its own, which has no terminal.
    func runDetached(_ arguments: [String]) async throws -> CommandResult {
        try await ChildProcess.run(
            URL(filePath: "/usr/bin/env"), ["setsid", "--wait", Programs.wallet.path] + arguments,
            environment: environment, folder: server.folder)
    }

    /// What a person answers at a terminal.
    enum TypedAnswer: Sendable {
        case text(String)
        /// The newest code of so many digits that was sent.
        case sentCode(digits: Int)
        /// Ctrl-C.
        case interrupt
    }

    /// Runs a command at a terminal, where a person answers what is asked.
    /// - Parameter answers: each question, or the beginning of one, with its answer; in their order.
    func run(_ arguments: [String], answering answers: [(question: String, answer: TypedAnswer)]) async throws
        -> CommandResult
    {
        let outbox = await server.url("/sandbox/outbox").absoluteString
        let script: [[Any]] = answers.map { question, answer in
            switch answer {
            case .text(let text): [question, text]
            case .interrupt: [question, ["keys": "\u{3}"]]
            case .sentCode(let digits): [question, ["outbox": outbox, "digits": digits] as [String: Any]]
            }
        }
        let input = String(decoding: try JSONSerialization.data(withJSONObject: script), as: UTF8.self)
        return try await ChildProcess.run(
            Programs.python, [Programs.peers.appending(path: "terminal.py").path, Programs.wallet.path] + arguments,
            environment: environment, folder: server.folder, input: input)
    }

    /// Signs a person in by password.
    func signIn(_ person: Person, _ arguments: String...) async throws -> CommandResult {
        try await run(
            ["sign-in", "--username", person.username, "--password-stdin"] + arguments, input: person.password + "\n")
    }

    /// Signs a person in by password and the code that is sent then, which a person reads and types.
    func signInByCode(_ person: Person) async throws -> ChildProcess.Ending {
        try await run(
            ["sign-in", "--username", person.username, "--password-stdin"], typing: person.password + "\n"
        ) { [server] in
            (try? await server.newestCode()).map { $0 + "\n" }
        }.ending
    }

    /// Runs a command that is answered while it runs: at once, and with what comes later, such as a code.
    func run(
        _ arguments: [String], typing first: String, then letter: @escaping @Sendable () async throws -> String?
    ) async throws -> CommandResult {
        try await program.run(arguments, typing: first, then: letter)
    }

    /// A sign-in in the browser that has begun.
    typealias BrowserSignIn = WalletHome.BrowserSignIn

    /// Starts a sign-in in the browser; the wallet tells the page's address on its standard error.
    func startBrowserSignIn(_ arguments: String...) async throws -> BrowserSignIn {
        try await startSignIn(arguments)
    }

    /// The same, on whatever page the arguments lead to.
    func startSignIn(_ arguments: [String], input: String = "") async throws -> BrowserSignIn {
        try await program.startSignIn(arguments, input: input)
    }

    /// The same, read by a program that wants one line and closes the pipe.
    func startBrowserSignInReadOnce() async throws -> BrowserSignIn {
        let script = "\"$0\" sign-in --no-open 2>&1 | head -n 1"
        let log = server.folder.appending(path: "sign-in.log")
        let process = try ChildProcess(
            URL(filePath: "/bin/sh"), ["-c", script, Programs.wallet.path], environment: environment,
            folder: server.folder, log: log)
        return try await WalletHome.begun(process, log: log)
    }

    /// Does what the person does in the browser, and waits for the wallet.
    /// - Parameter ledger: of the server whose page it is; by default the wallet's own.
    func finish(
        _ signIn: BrowserSignIn, as person: Person, ledger: SecretLedger? = nil
    ) async throws -> ChildProcess.Ending {
        let callback = try await HeadlessBrowser(ledger: ledger ?? server.ledger).signIn(
            at: signIn.page, typing: ["username": person.username, "password": person.password],
            until: signIn.redirectURI)
        _ = try await WebClient(ledger: server.ledger).get(callback)
        return try await within(.patience, "the wallet to finish") {
            await signIn.process.wait()
        } otherwise: {
            signIn.process.send(SIGKILL)
        }
    }
}

/// Runs a test's body with a server, a person and a wallet of theirs.
func withTerminalWallet(_ body: (RunningServer, TerminalWallet, Person) async throws -> Void) async throws {
    try await withServer { server in
        let person = try await server.makeAccount()
        let client = try await server.makePublicClient(redirectURI: "http://127.0.0.1/callback")
        try await body(server, await TerminalWallet(server, client), person)
    }
}

/// The same at the server that tests share, where the body changes nothing but what is the person's, and types no wrong password.
func withSharedTerminalWallet(_ body: (RunningServer, TerminalWallet, Person) async throws -> Void) async throws {
    // The turnstile is behind the shared server, which would stop while all its tests wait.
    try await SharedServer.use { server, client in
        await Turnstile.servers.enter()
        defer { Task { await Turnstile.servers.leave() } }
        let person = try await server.makeAccount("terminal-\(randomText(4).lowercased())")
        let wallet = await TerminalWallet(server, client.client, in: "wallet of \(person.username)")
        try await body(server, wallet, person)
    }
}

extension CommandResult {
    /// The one JSON document that was printed.
    var json: [String: Any] {
        get throws {
            try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any], "\(errors)")
        }
    }

    /// What the document says in place of the result of a command that failed.
    var failure: [String: Any] {
        get throws { try #require(try json["error"] as? [String: Any], "\(output) \(errors)") }
    }

    /// The lines on standard error.
    var errorLines: [Substring] { errors.split(separator: "\n") }
}

extension TerminalWallet {
    /// Runs a command that has to work.
    @discardableResult
    func succeeds(
        _ arguments: String..., input: String = "", sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> CommandResult {
        let result = try await run(arguments, input: input)
        #expect(result.succeeded, "\(arguments): \(result.errors)", sourceLocation: sourceLocation)
        return result
    }
}
