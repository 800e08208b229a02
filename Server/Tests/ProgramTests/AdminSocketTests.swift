import ArgumentParser
import Foundation
import Kernel
import Logging
import NIOCore
import NIOPosix
import Testing

@testable import Operations
@testable import walletauth

@Suite(
    "Administration socket",
    .covers("commands go through the running server", "a changed configuration file is assumed to be in effect"))
struct AdminSocketTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func configuration() async throws -> ServerConfiguration {
        let flags = try SettingFlags(
            taking: Settings.all, from: ["--database", "sqlite:\(folder.path("walletauth.db"))"])
        return try await ServerConfiguration.read(for: .administering, flags: flags, environment: [:])
    }

    private func socket(
        of opened: OpenedServer, at path: String, settings: ConfiguredSettings? = nil
    ) -> AdminSocket {
        AdminSocket(
            path: path, administration: opened.server.administration,
            status: ServerStatus(
                version: "test", processIdentifier: 1, environment: .sandbox, issuer: "http://x", settings: settings),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// Runs a body while a server listens on the socket and nowhere else.
    private func serving(_ body: (ServerConfiguration) async throws -> Void) async throws {
        let configuration = try await configuration()
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let opened = try await OpenedServer.open(configuration, logger: logger)
        let socket = socket(of: opened, at: configuration.adminSocketPath, settings: configuration.given)
        try await socket.serving(logger: logger) { try await body(configuration) }
        await opened.close()
    }

    @Test("While a server runs, a command goes through its socket, which only its owner may open")
    func throughTheSocket() async throws {
        try await serving { configuration in
            #expect(FileStatus(path: configuration.adminSocketPath)?.mode == 0o600)
            let channel = AdministrationChannel(configuration: configuration)
            let made = try await channel.answer(to: ["brand", "create", "blue", "--name", "Blue"])
            let missing = try await channel.answer(to: ["brand", "show", "none"])
            let server = try await AdminClient(path: configuration.adminSocketPath).status(within: .minutes(5))
            #expect(made.status == .done)
            #expect(missing.status == .refused)
            #expect(server.version == "test")
        }
        // The server is gone: the same command works on the database itself, and finds what was made.
        let channel = AdministrationChannel(configuration: try await configuration())
        let found = try await channel.answer(to: ["brand", "show", "blue"])
        #expect(found.status == .done)
    }

    @Test("The doctor names the settings that a running server was started without")
    func restartNeeded() async throws {
        try await serving { configuration in
            let file = try folder.write("sca:\n  idleLimit: 2m\n", to: "later.yaml")
            let same = await ServerFindings.of(configuration, within: .minutes(5)).findings
            #expect(!same.contains { $0.detail.contains("settings that differ") })
            let flags = try SettingFlags(
                taking: Settings.all,
                from: ["--database", "sqlite:\(folder.path("walletauth.db"))", "--config", file])
            let (later, _) = await ServerConfiguration.readLeniently(for: .serving, flags: flags, environment: [:])
            let finding = try #require(
                await ServerFindings.of(later, within: .minutes(5)).findings.first {
                    $0.detail.contains("settings that differ")
                })
            #expect(finding.status == .warn)
            #expect(finding.detail.hasSuffix(": sca.idleLimit"))
            #expect(finding.remedy?.contains("Restart it") == true)
        }
    }

    @Test("A socket that a killed server left behind is taken away, and what is no socket stays")
    func stale() async throws {
        let configuration = try await configuration()
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let opened = try await OpenedServer.open(configuration, logger: logger)
        let path = try folder.write("another file", to: "walletauth.db.sock")
        #expect(throws: Refusal.self) { try socket(of: opened, at: path).removeStale() }
        #expect(FileStatus(path: path)?.kind == .file)
        let (bound, left) = (folder.path("bound.sock"), folder.path("left.sock"))
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(unixDomainSocketPath: bound).get()
        // Closing removes the file under the name that was bound, which a killed server cannot do.
        try FileManager.default.moveItem(atPath: bound, toPath: left)
        try await listener.close()
        #expect(FileStatus(path: left)?.kind == .socket)
        try socket(of: opened, at: left).removeStale()
        #expect(FileStatus(path: left) == nil)
        await opened.close()
    }

    @Test("Without a database only what begins one makes it: a mistyped path is reported")
    func mistypedPath() async throws {
        let channel = AdministrationChannel(configuration: try await configuration())
        await #expect(throws: Refusal.self) { try await channel.answer(to: ["client", "list"]) }
        #expect(FileStatus(path: folder.path("walletauth.db")) == nil)
    }

    @Test("A database that is open elsewhere, with no server on the socket, is reported as such")
    func ownedWithoutServer() async throws {
        let configuration = try await configuration()
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let opened = try await OpenedServer.open(configuration, logger: logger)
        await #expect {
            try await AdministrationChannel(configuration: configuration).answer(to: ["client", "list"])
        } throws: { error in
            "\(error)".contains("is open in") && "\(error)".contains("--admin-socket")
        }
        await opened.close()
    }

    @Test("A database made in the sandbox is refused in production")
    func environmentsApart() async throws {
        let sandbox = try await configuration()
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        await (try OpenedServer.open(sandbox, logger: logger)).close()
        var production = sandbox
        production.environment = .production
        production.masterKey = .file(sandbox.database.generatedMasterKeyPath)
        await #expect(throws: Refusal.self) { try await OpenedServer.open(production, logger: logger) }
    }

    @Test("The log names a command and none of its values")
    func titles() async throws {
        let opened = try await OpenedServer.open(
            try await configuration(), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        for (words, title) in [
            (["account", "create", "alice", "--email", "alice@example.com"], "account create"),
            (["account", "set-password", "--account", "1"], "account set-password"),
            (["account", "consents", "alice", "--withdraw", "app"], "account consents --withdraw"),
        ] {
            let command = try opened.server.administration.command(for: AdminRequest(words, input: "correct horse"))
            #expect(command.loggedTitle == title)
        }
        for words in [["account", "destroy", "alice"], ["account", "show", "--secret"]] {
            #expect(await opened.server.administration.executeForLog(AdminRequest(words)).title == "unknown")
        }
        await opened.close()
    }

    /// The words of each subcommand that executes an administrative command.
    private static func subcommands(of command: any ParsableCommand.Type) -> [[String]] {
        command.configuration.subcommands.flatMap { child in
            let own = [child.configuration.commandName ?? ""]
            return child is any OperatorCommand.Type ? [own] : subcommands(of: child).map { own + $0 }
        }
    }

    @Test("A server knows each subcommand by the words of the command line, and a command by no others")
    func words() async throws {
        let opened = try await OpenedServer.open(
            try await configuration(), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let administration = opened.server.administration
        let all = Self.subcommands(of: WalletAuthCommand.self)
        #expect(all.contains(["provider", "add", "apple"]))
        for words in all {
            #expect(administration.command(named: words)?.title == words.joined(separator: " "))
        }
        #expect(administration.command(named: ["account"]) == nil)
        for words in [
            ["account", "destroy", "ada"], ["account", "show", "--help"], ["account", "show", "a", "b"], [],
            ["account", "show", "---completion", "--", "positional@-1", "0", "0"],
            ["account", "show", "---completion"], ["account", "list", "--brand", "---ada"],
        ] {
            let answer = await administration.execute(AdminRequest(words))
            #expect(answer.refusal?.code == "malformed", "\(words)")
        }
        let dashed = await administration.execute(AdminRequest(["account", "show", "--", "---ada"]))
        #expect(dashed.refusal?.code == "not_found", "after `--` it is a name")
        await opened.close()
    }

    @Test("A command that needs a secret or a file is refused without it, and changes nothing")
    func missingInput() async throws {
        let opened = try await OpenedServer.open(
            try await configuration(), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let administration = opened.server.administration
        for (words, missing) in [
            (["account", "create", "ada", "--password-stdin"], "password"),
            (["account", "set-password", "ada"], "new password"),
            (["client", "create", "app", "--name", "App", "--jwks", "keys.json"], "file"),
            (["provider", "add", "google", "--client-id", "1234", "--client-secret-stdin"], "client secret"),
        ] {
            let answer = await administration.execute(AdminRequest(words))
            #expect(answer.refusal?.code == "malformed", "\(words)")
            #expect(answer.lines == ["The request has no input: send the \(missing) with the words."])
        }
        for words in [["account", "show", "ada"], ["client", "show", "app"]] {
            #expect(await administration.execute(AdminRequest(words)).refusal?.code == "not_found")
        }
        await opened.close()
    }

    @Test("A request with too many or too long words is refused before it is parsed, and a long input is not")
    func bounds() async throws {
        let opened = try await OpenedServer.open(
            try await configuration(), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let administration = opened.server.administration
        let (most, longest) = (AdminRequest.mostWords, AdminRequest.longestWords)
        let cases: [(options: [String], isParsed: Bool)] = [
            (Array(repeating: "a", count: most - 2), true),
            (Array(repeating: "a", count: most - 1), false),
            ([String(repeating: "a", count: longest - "accountlist".utf8.count)], true),
            ([String(repeating: "a", count: longest - "accountlist".utf8.count + 1)], false),
        ]
        for (options, isParsed) in cases {
            let answer = await administration.execute(AdminRequest(["account", "list"] + options))
            #expect(answer.refusal?.code == "malformed")
            #expect(answer.lines.joined().hasPrefix("A command has at most") == !isParsed)
        }
        let long = AdminRequest(["account", "set-password", "ada"], input: String(repeating: "a", count: 2 * longest))
        #expect(throws: Never.self) { try administration.command(for: long) }
        await opened.close()
    }

    @Test("A request and a parsed command show neither their words nor their input")
    func redacted() async throws {
        let opened = try await OpenedServer.open(
            try await configuration(), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let request = AdminRequest(["account", "set-password", "ada"], input: "correct horse")
        let command = try opened.server.administration.command(for: request)
        #expect("\(request) \(command)" == "<redacted> <redacted>")
        #expect("\(String(reflecting: request)) \(String(reflecting: command))" == "<redacted> <redacted>")
        var dumped = ""
        dump(request, to: &dumped)
        #expect(!dumped.contains("horse") && !dumped.contains("ada"))
        await opened.close()
    }
}
