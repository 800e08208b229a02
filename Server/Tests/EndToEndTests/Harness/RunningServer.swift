import Foundation
import TestSupport
import Testing

/// The built `walletauth` program, serving on a free port from a folder of its own.
actor RunningServer {
    /// The program did not come up; the log says why.
    struct NotReady: Error, CustomStringConvertible {
        let description: String
    }

    nonisolated let folder: URL
    nonisolated let ledger: SecretLedger
    nonisolated var log: URL { folder.appending(path: "serve.log") }
    private let arguments: [String]
    /// The URL of a PostgreSQL database; `nil` for a SQLite file in the folder.
    private let database: String?
    /// Further settings, as environment variables.
    private let settings: [String: String]
    /// The port that it listens on, if the issuer is a proxy's address.
    private let ownPort: Int?
    private var process: ChildProcess?
    /// The public base URL. It outlives a restart, so that what was issued before stays valid.
    private(set) var issuer = URL(filePath: "/")

    /// - Parameter database: the URL of a PostgreSQL database; `nil` for a SQLite file in the folder. A test that is for both
    ///   engines uses ``onNewDatabase(folder:arguments:)``.
    init(
        folder: URL, arguments: [String] = [], database: String?, settings: [String: String] = [:],
        port: Int? = nil, ledger: SecretLedger = SecretLedger()
    ) {
        self.folder = folder
        self.database = database
        self.arguments = arguments
        self.settings = settings
        self.ledger = ledger
        ownPort = port
    }

    /// What every command needs to find this server: its database. Nothing else is configured, as for a new user.
    nonisolated var environment: [String: String] {
        var environment = settings
        environment["WALLETAUTH_DATABASE"] = database ?? "sqlite:\(databaseName)"
        if database != nil { environment["WALLETAUTH_POSTGRESQL_FOLDER"] = folder.path }
        return environment
    }

    /// The database as the scripts in `Peers` take it: the URL of a PostgreSQL database, or the path of a SQLite file.
    nonisolated var databaseName: String { database ?? folder.appending(path: "a.db").path }

    /// The name of a file that the program keeps for its database, in the server's folder.
    /// - Parameter kind: `checkpoints` or `master-key`.
    nonisolated func file(_ kind: String) -> String { (database == nil ? "a.db." : "walletauth.") + kind }

    var port: Int { ownPort ?? issuer.port ?? 0 }
    var processID: Int32 { process?.processID ?? 0 }

    /// Starts the program, or starts it again on the same port and database, and waits for its ready line.
    func start() async throws {
        let port = try ownPort ?? issuer.port ?? FreePorts.next()
        let child = try ChildProcess(
            Programs.walletauth, ["serve", "--port", String(port)] + arguments, environment: environment,
            folder: folder, log: log)
        process = child
        let ready = try await within(.patience, "the ready line") {
            for await line in child.lines where line.hasPrefix("walletauth ready at ") {
                return line.dropFirst("walletauth ready at ".count).trimmingCharacters(in: .whitespaces)
            }
            return ""
        } otherwise: {
            child.send(SIGKILL)
        }
        guard let url = URL(string: ready), url.host() != nil else {
            throw NotReady(description: "no ready line; the log says: \(logText().suffix(2_000))")
        }
        issuer = url
    }

    /// Ends the program as an operator does, and waits for it.
    func stop() async throws -> ChildProcess.Ending {
        guard let process else { return .exited(0) }
        process.send(SIGTERM)
        defer { self.process = nil }
        return try await within(.patience, "a graceful stop") {
            await process.wait()
        } otherwise: {
            process.send(SIGKILL)
        }
    }

    /// Asks the program to end as an operator does, and does not wait for it.
    func terminate() { process?.send(SIGTERM) }

    /// Ends the program as a power cut does.
    func crash() async {
        guard let process else { return }
        process.send(SIGKILL)
        _ = await process.wait()
        self.process = nil
    }

    /// Waits for the program to end by itself.
    func ended() async throws -> ChildProcess.Ending {
        guard let process else { return .exited(0) }
        defer { self.process = nil }
        return try await within(.patience, "the program to end by itself") {
            await process.wait()
        } otherwise: {
            process.send(SIGKILL)
        }
    }

    /// Runs an administration command against this server's database.
    nonisolated func administer(_ arguments: [String], input: String = "") async throws -> CommandResult {
        try await ChildProcess.run(
            Programs.walletauth, arguments, environment: environment, folder: folder, input: input)
    }

    /// Runs an administration command at a terminal, where an operator answers what is asked.
    /// - Parameter answers: each question with its answer, in their order.
    nonisolated func administer(
        _ arguments: [String], answering answers: [(question: String, answer: String)]
    ) async throws -> CommandResult {
        try await administer(arguments, script: answers.map { [$0.question, $0.answer] })
    }

    /// Runs an administration command at a terminal, where an operator presses Ctrl-C at a question.
    nonisolated func administer(_ arguments: [String], interruptingAt question: String) async throws -> CommandResult {
        try await administer(arguments, script: [[question, ["keys": "\u{3}"]]])
    }

    private nonisolated func administer(_ arguments: [String], script answers: [[Any]]) async throws -> CommandResult {
        let script = try JSONSerialization.data(withJSONObject: answers)
        return try await ChildProcess.run(
            Programs.python,
            [Programs.peers.appending(path: "terminal.py").path, Programs.walletauth.path] + arguments,
            environment: environment, folder: folder, input: String(decoding: script, as: UTF8.self))
    }

    /// Runs a program of `Peers`, which has to succeed.
    /// - Returns: what it printed.
    nonisolated func peer(
        _ script: String, _ arguments: [String], environment: [String: String] = [:], input: String = "",
        limit: Duration = .patience
    ) async throws -> Data {
        let result = try await ChildProcess.run(
            Programs.python, [Programs.peers.appending(path: script).path] + arguments, environment: environment,
            folder: folder, input: input, limit: limit)
        try #require(result.succeeded, "\(script) stopped: \(result.errors.suffix(3_000))")
        return Data(result.output.utf8)
    }

    /// Everything the server wrote to its standard error so far.
    nonisolated func logText() -> String {
        (try? String(contentsOf: log, encoding: .utf8)) ?? ""
    }

    nonisolated func url(_ path: String) async -> URL {
        let base = await issuer.absoluteString
        return URL(string: base + path) ?? URL(filePath: "/")
    }

    /// The same path at this process, past a proxy.
    nonisolated func ownURL(_ path: String) async -> URL {
        let own = await port
        return URL(string: "http://127.0.0.1:\(own)\(path)") ?? URL(filePath: "/")
    }
}

/// Runs a test's body against a server of its own, stops it, and then searches every log of the run for every secret
/// that was used in it.
/// - Parameter database: the URL of a PostgreSQL database; `nil` for a new database of the engine under test.
func withServer(
    _ arguments: [String] = [], database: String? = nil, settings: [String: String] = [:],
    sourceLocation: SourceLocation = #_sourceLocation, _ body: (RunningServer) async throws -> Void
) async throws {
    await Turnstile.servers.enter()
    defer { Task { await Turnstile.servers.leave() } }
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    var url = database
    if url == nil { url = try await TestEngine.newDatabase() }
    let server = RunningServer(folder: folder.url, arguments: arguments, database: url, settings: settings)
    try await server.start()
    do {
        try await body(server)
    } catch {
        await server.crash()
        Issue.record("the server's log ends with: \(server.logText().suffix(3_000))", sourceLocation: sourceLocation)
        throw error
    }
    let ending = try await server.stop()
    #expect(ending == .exited(0), "SIGTERM ends the server with status 0", sourceLocation: sourceLocation)
    try expectNoSecrets(in: folder.url, of: server.ledger, sourceLocation: sourceLocation)
}

/// Searches the logs of a folder, those of commands included, for the secrets of a ledger.
func expectNoSecrets(
    in folder: URL, of ledger: SecretLedger, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    where file.pathExtension == "log" {
        let found = ledger.found(in: try Data(contentsOf: file))
        #expect(found.isEmpty, "\(file.lastPathComponent) holds secrets", sourceLocation: sourceLocation)
    }
}
