import ArgumentParser
import Foundation
import Operations
import Testing

@testable import walletauth

@Suite("A PostgreSQL database as a setting")
struct PostgreSQLSettingTests {
    private static let secret = "tr0ub4dor"

    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func flags(_ url: String, _ more: [String] = []) throws -> SettingFlags {
        try SettingFlags(
            taking: Settings.all,
            from: ["--database", url, "--postgresql-folder", folder.url.path, "--port", "0"] + more)
    }

    private func read(_ url: String, _ more: [String] = []) async throws -> (ServerConfiguration, faults: [Fault]) {
        await ServerConfiguration.readLeniently(for: .serving, flags: try flags(url, more), environment: [:])
    }

    @Test("Its files lie in their folder; connections are 8, or as many as configured, and there is no pooler")
    func files() async throws {
        let (configuration, faults) = try await read("postgresql://walletauth@db.example.com/walletauth")
        #expect(faults.isEmpty)
        #expect(configuration.postgreSQLConnections == 8)
        #expect(configuration.postgreSQLPooler == .direct)
        #expect(configuration.auditCheckpoints == folder.path("walletauth.checkpoints"))
        #expect(configuration.database.marksPath == folder.path("walletauth.marks"))
        let file = try folder.write(
            "database: postgres://db.example.com/a\npostgresql:\n  connections: 3\n  pooler: session\n", to: "c.yaml")
        let flags = try SettingFlags(taking: Settings.all, from: ["--config", file])
        let (written, none) = await ServerConfiguration.readLeniently(
            for: .serving, flags: flags, environment: [:])
        #expect(none.isEmpty)
        #expect(written.postgreSQLConnections == 3)
        #expect(written.postgreSQLPooler == .session)
        #expect(written.database.path == "walletauth")
    }

    @Test(
        "attack: a password in the URL is neither shown nor digested",
        .threat("A stolen database or file system access"),
        arguments: [
            ("postgresql://ada:\(secret)@db/w?sslmode=verify-full", "postgresql://ada@db/w", "?sslmode=verify-full"),
            ("postgresql://ada:a%40\(secret)@db/w", "postgresql://ada@db/w", ""),
            ("postgres://db/w?password=\(secret)&sslmode=require", "postgres://db/w", "?sslmode=require"),
            ("postgresql://db/w?sslpassword=\(secret)", "postgresql://db/w", ""),
            ("postgresql://ada@/w?host=/run/postgresql", "postgresql://ada@/w?host=/run/postgresql", ""),
            ("postgresql:///w?user=ada&passfile=/a&port=6432", "postgresql:///w?user=ada&port=6432", nil),
        ])
    func redaction(url: String, shown: String, parameters: String?) async throws {
        let (configuration, faults) = try await read(url)
        #expect(faults.isEmpty, "\(faults.count)")
        #expect(configuration.database.shown == shown)
        var everything = ""
        dump(configuration, to: &everything)
        #expect(!everything.contains(Self.secret))
        // The digest is the same as without the password. It covers the parameters that are not shown.
        guard let parameters else { return }
        #expect(configuration.database.withoutSecrets == shown + parameters)
        let (bare, _) = try await read(shown + parameters)
        #expect(configuration.given.given["database"] == bare.given.given["database"])
    }

    @Test(
        "attack: a URL that is refused is not repeated in the fault",
        .threat("A stolen database or file system access"),
        arguments: [
            "postgresql://ada:\(secret)@db:port/w?nonsense=1", "postgresql:ada:\(secret)@db/w",
            "postgre://ada:\(secret)@db/w", "postgresql://ada:\(secret)@x@db/w", "host=db password=\(secret)",
            "postgresql://ada:ab12/\(secret)@db/w", "postgresql://ada:\(secret)/x@db/w",
        ])
    func refusedURL(url: String) async throws {
        let (_, faults) = try await read(url)
        #expect(faults.count == 1)
        #expect(!faults.map(\.line).joined().contains(Self.secret))
        #expect(faults.first?.line.contains("postgresql://USER@HOST/DATABASE") == true)
    }

    @Test("A mistyped parameter is named with the one that was meant, unless it may be a part of the password")
    func mistyped() async throws {
        let (_, faults) = try await read("postgresql://ada:\(Self.secret)@db/w?connect_timeout=5&sslmod=verify-full")
        #expect(faults.first?.line.contains("sslmod is not a parameter: did you mean sslmode?") == true)
        let (_, hidden) = try await read("postgresql://db/w?password=a&sslmod=b")
        #expect(hidden.count == 1)
        #expect(hidden.first?.line.contains("did you mean") == false)
        // libpq takes this as a password with a question mark.
        let (_, none) = try await read("postgresql://ada:a?sslmod=\(Self.secret)@db/w")
        #expect(none.isEmpty)
    }

    @Test("A value of sslmode that libpq does not know is refused with those that it knows, and is not repeated")
    func unknownSSLMode() async throws {
        let (_, faults) = try await read("postgresql://ada@db/w?sslmode=\(Self.secret)")
        #expect(faults.count == 1)
        let line = faults.first?.line ?? ""
        let modes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]
        #expect(line.contains("sslmode must be one of \(modes.joined(separator: ", "))"))
        #expect(!line.contains(Self.secret))
        for mode in modes {
            let (_, none) = try await read("postgresql://ada@db/w?sslmode=\(mode)")
            #expect(none.isEmpty, "\(mode)")
        }
    }

    @Test(
        "A URL without a database's name is refused: libpq would take the role's name, which may be another database",
        arguments: [
            ("postgresql://walletauth@db.example.com", false), ("postgresql://walletauth@db.example.com/", false),
            ("postgresql://walletauth@one,two:5433?connect_timeout=5", false), ("postgresql://", false),
            ("postgresql://walletauth:a?dbname=b@db/", false), ("postgresql://db/?dbname=", false),
            ("postgresql://db?dbname=w", true), ("postgresql:///w?host=/run/postgresql", true),
            ("postgresql:///?host=/run/postgresql", false), ("postgresql://w@[::1]:5433/w", true),
            ("postgres:///?service=wallet", true), ("postgresql://w:a?b@db/w?sslmode=require", true),
        ])
    func unnamedDatabase(url: String, isAccepted: Bool) async throws {
        let (_, faults) = try await read(url)
        #expect(faults.isEmpty == isAccepted)
        guard !isAccepted else { return }
        #expect(faults.count == 1)
        #expect(faults.first?.line.contains("it names no database") == true)
    }

    @Test("A socket for commands is refused: they change the database, also where no server runs")
    func socket() async throws {
        let url = "postgresql://walletauth@db.example.com/walletauth"
        let (_, faults) = try await read(url, ["--admin-socket", folder.path("socket")])
        #expect(faults.map(\.problem).count == 1)
        #expect(faults.first?.line.contains("--admin-socket is set") == true)
        #expect(faults.first?.line.contains("Leave it out") == true)
        // The folder's path limits no socket.
        let long = try folder.write("", to: String(repeating: "x", count: 120))
        let (_, none) = await ServerConfiguration.readLeniently(
            for: .serving,
            flags: try SettingFlags(
                taking: Settings.all, from: ["--database", url, "--postgresql-folder", long, "--port", "0"]),
            environment: [:])
        #expect(none.isEmpty)
    }

    private static let remote = "postgresql://walletauth@db.example.com/walletauth"

    @Test(
        "attack: in production, a connection that leaves the machine verifies the server, or it is refused",
        arguments: [
            (remote, false), (remote + "?sslmode=require", false), (remote + "?sslmode=verify-ca", false),
            (remote + "?sslmode=verify-full", true), ("postgresql://w@/w?host=/run/postgresql", true),
            ("postgresql://w@localhost/w", true), ("postgresql://w@127.0.0.1:6432/w", true),
            ("postgresql://w@[::1]/w", true), ("postgresql://w@127.0.0.1.example.com/w", false),
            ("postgresql://w@localhost,db.example.com/w", false),
            ("postgresql://w@localhost/w?hostaddr=192.0.2.7", false), ("postgresql://w@/w?service=elsewhere", false),
        ])
    func production(url: String, isPrivate: Bool) async throws {
        for purpose in [ServerConfiguration.Purpose.serving, .administering] {
            let flags = try SettingFlags(
                taking: Settings.all, from: ["--environment", "production", "--database", url])
            let (_, faults) = await ServerConfiguration.readLeniently(for: purpose, flags: flags, environment: [:])
            #expect(faults.contains { $0 == .unprotectedDatabase } != isPrivate)
            #expect(!faults.contains { $0.line.contains("preview") })
        }
    }

    @Test("In production a server needs a folder for what this machine has seen, which is writable; commands do not")
    func folderInProduction() async throws {
        let arguments = [
            "--environment", "production", "--issuer", "https://id.example.com", "--trusted-proxies", "10.0.0.1",
            "--master-key-file", try folder.write(sampleMasterKey, to: "key"), "--database",
            "postgresql://w@127.0.0.1:1/w", "--port", "0",
        ]
        func read(
            _ more: [String], for purpose: ServerConfiguration.Purpose = .serving
        ) async throws -> (ServerConfiguration, faults: [Fault]) {
            let flags = try SettingFlags(taking: Settings.all, from: arguments + more)
            return await ServerConfiguration.readLeniently(for: purpose, flags: flags, environment: [:])
        }
        let (_, missing) = try await read([])
        #expect(missing.map(\.problem).count == 1)
        #expect(missing.first?.line.contains("--postgresql-folder") == true)
        let (_, none) = try await read([], for: .administering)
        #expect(none.isEmpty)

        let (given, faultless) = try await read(["--postgresql-folder", folder.url.path])
        #expect(faultless.isEmpty)
        let unreachable = await #expect(throws: Refusal.self) { _ = try await OwnedDatabase.open(given) }
        #expect(unreachable?.description.contains("cannot be used") == true)
        // Nothing remains of the attempt to write.
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["key"])
    }

    #if os(Linux)
        @Test("A folder that cannot be written is refused in production before the database is asked, in one line")
        func unwritableFolder() async throws {
            // Not even root can create a file there.
            let flags = try SettingFlags(
                taking: Settings.all,
                from: [
                    "--environment", "production", "--issuer", "https://id.example.com", "--trusted-proxies",
                    "10.0.0.1", "--master-key-file", try folder.write(sampleMasterKey, to: "key"), "--database",
                    "postgresql://w@127.0.0.1:1/w", "--port", "0", "--postgresql-folder", "/proc",
                ])
            let (configuration, faults) = await ServerConfiguration.readLeniently(
                for: .serving, flags: flags, environment: [:])
            #expect(faults.isEmpty)
            let refusal = await #expect(throws: Refusal.self) { _ = try await OwnedDatabase.open(configuration) }
            #expect(refusal?.description.contains("the folder /proc of postgresql.folder cannot be written to") == true)
            #expect(refusal?.description.contains("--postgresql-folder") == true)
            // A command only reads there.
            let command = await #expect(throws: Refusal.self) {
                _ = try await OwnedDatabase.open(configuration, for: .administering)
            }
            #expect(command?.description.contains("cannot be used") == true)
        }
    #endif

    @Test("The sandbox's key is not replaced if a database has keys, and two starts at once make one")
    func masterKey() async throws {
        let location = DatabaseLocation(postgreSQL: SecretText(Self.remote), folder: folder.url.path)
        let source = MasterKeySource.generated(location.generatedMasterKeyPath)
        for hasKeys in [true, nil] {
            let refusal = await #expect(throws: Refusal.self) {
                try await source.read(for: location, hasKeys: hasKeys)
            }
            #expect(refusal?.description.contains("Copy that file from the machine that created it") == true)
            #expect(FileStatus(path: location.generatedMasterKeyPath) == nil)
        }
        #expect(source.isToBeGenerated)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<16 {
                group.addTask { _ = try await source.read(for: location, hasKeys: false) }
            }
            try await group.waitForAll()
        }
        let key = try String(contentsOfFile: location.generatedMasterKeyPath, encoding: .utf8)
        _ = try await source.read(for: location, hasKeys: true)
        #expect(try String(contentsOfFile: location.generatedMasterKeyPath, encoding: .utf8) == key)
        // A start clears away what was left unfinished, but not what another one is about to finish.
        let unfinished = try folder.write("key", to: "walletauth.master-key.7.new")
        DurableFile.discardUnfinished(of: location.generatedMasterKeyPath, olderThan: .seconds(3600))
        #expect(FileStatus(path: unfinished) != nil)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -7200)], ofItemAtPath: unfinished)
        DurableFile.discardUnfinished(of: location.generatedMasterKeyPath, olderThan: .seconds(3600))
        #expect(FileStatus(path: unfinished) == nil)
    }

    @Test("A command says where it changed something; one that only reads does not")
    func effects() throws {
        func effect(_ words: String) throws -> CommandEffect {
            let subcommand = try WalletAuthCommand.parseAsRoot(words.split(separator: " ").map(String.init))
            return try #require(subcommand as? any OperatorCommand, "\(words)").effect
        }
        for words in [
            "client delete a", "account erase ada", "keys rotate", "database sweep", "outbox retry a",
            "brand create a --name A",
        ] {
            #expect(try effect(words) == .changes, "\(words)")
        }
        for words in [
            "client list", "account show ada", "keys list", "outbox list", "audit key", "database restore-report",
        ] {
            #expect(try effect(words) == .reads, "\(words)")
        }
        #expect(try effect("database change-issuer https://id.example.com") == .replacesSettings)
        #expect(try effect("database migrate") == .migrates)
        #expect(try effect("keys rotate-master") == .rewrapsKeys)
    }

    @Test("A server that does not answer: the doctor says what to check, without the password")
    func unreachable() async throws {
        // Nothing listens on port 1.
        let url = "postgresql://ada:\(Self.secret)@127.0.0.1:1/w"
        let findings = await Doctor(flags: try flags(url), environment: [:]).examine()
        let finding = try #require(findings.first { $0.subject == "database" })
        #expect(finding.status == .fail)
        #expect(finding.remedy?.contains("host and port") == true)
        #expect(!findings.map(\.line).joined().contains(Self.secret))
        let (configuration, _) = try await read(url)
        let refusal = await #expect(throws: Refusal.self) { _ = try await OwnedDatabase.open(configuration) }
        #expect(refusal?.description.contains("postgresql://ada@127.0.0.1:1/w cannot be used") == true)
        #expect(refusal?.description.contains("Check that the server runs") == true)
        #expect(refusal?.description.contains(Self.secret) == false)
    }
}
