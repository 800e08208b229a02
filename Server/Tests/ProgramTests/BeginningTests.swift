import Core
import Foundation
import Kernel
import Logging
import Operations
import Programs
import Store
import StoreSQLite
import Testing
import WalletAuthWire

@testable import walletauth

@Suite(
    "Where a database begins, and whose it is", .threat("A stolen database or file system access"),
    .covers("a database is created explicitly and bound to its issuer"))
struct BeginningTests {
    let folder: TemporaryFolder
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    init() throws {
        folder = try TemporaryFolder()
    }

    private func configuration(_ arguments: [String] = []) async throws -> ServerConfiguration {
        let flags = try SettingFlags(
            taking: Settings.all, from: ["--database", "sqlite:\(folder.path("walletauth.db"))"] + arguments)
        return try await ServerConfiguration.read(for: .administering, flags: flags, environment: [:])
    }

    private var left: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.url.path) }
    }

    @Test(
        "No command but database migrate creates a database: all others print the same line, and leave nothing behind")
    func oneBeginning() async throws {
        let channel = AdministrationChannel(configuration: try await configuration())
        let commands: [AdminRequest] = [
            ["account", "create", "ada"],
            ["client", "create", "--name", "App"],
            ["brand", "create", "blue", "--name", "Blue"],
            ["merchant", "create", "--name", "Shop"], ["client", "list"], ["keys", "list"], ["database", "check"],
            ["database", "backup", "--to", folder.path("copy.db")],
            ["database", "change-issuer", "https://id.example.com"],
        ]
        let line = Refusal(channel.configuration.database.missing).description
        #expect(line.contains("there is no database at \(folder.path("walletauth.db"))"))
        // Where the path is wrong, a second database is no help.
        let folderAdvice = try #require(line.firstRange(of: "Check that database names the server's file."))
        let relative = DatabaseLocation(path: "walletauth.db").missing.remedy
        #expect(relative.hasPrefix("Run this in the folder where the server runs"), "\(relative)")
        let creation = try #require(line.firstRange(of: "`walletauth database migrate`"))
        #expect(folderAdvice.upperBound < creation.lowerBound)
        #expect(throws: Refusal.self) { try channel.requireDestination() }
        for command in commands {
            await #expect("\(command.words)") {
                _ = try await channel.answer(to: command)
            } throws: { "\($0)" == line }
        }
        #expect(try left == [])
        let made = try await channel.answer(to: ["database", "migrate"], for: .migrates)
        #expect(made.lines == ["Created the schema: version \(Schema.newest)."])
        let again = try await channel.answer(to: ["database", "migrate"], for: .migrates)
        #expect(again.lines.first?.hasPrefix("The schema is up to date: version \(Schema.newest)") == true)
        let listed = try await channel.answer(to: ["client", "list"])
        #expect(listed.status == .done)
    }

    @Test("In production serve makes no database either: an empty one at a mistyped path would know no account")
    func production() async throws {
        let key = try folder.write(sampleMasterKey, to: "key")
        var production = try await configuration([
            "--environment", "production", "--master-key-file", key, "--issuer", "https://id.example.com",
        ])
        production.port = 0
        let process = ServerProcess(configuration: production)
        await #expect {
            try await process.run()
        } throws: { error in
            let told = "\(error)"
            return told.contains("there is no database at") && told.contains("`walletauth database migrate`")
                && !told.contains("sandbox") && (error as? Refusal)?.status == ExitStatus.outOfService
        }
        #expect(try left == ["key"])
        production.database = DatabaseLocation(path: folder.path("none/walletauth.db"))
        await #expect {
            try await ServerProcess(configuration: production).run()
        } throws: {
            "\($0)".contains("there is no folder") && ($0 as? Refusal)?.status == ExitStatus.outOfService
        }
    }

    @Test("An address that is not available has a code of its own, and is a reason to try again")
    func address() {
        do {
            _ = try PortReservation(host: "192.0.2.1", port: 0)
            Issue.record("an address of no machine was reserved")
        } catch {
            let report = FailureReport(error, in: ["serve"], flags: [])
            #expect(report.status == 1)
            #expect(report.document.error.code == "port_unavailable")
            #expect(report.line.contains("cannot listen on 192.0.2.1"))
        }
    }

    @Test("A database is served under the issuer of its first start; another one is refused, and says what it breaks")
    func issuer() async throws {
        let configuration = try await configuration()
        let owned = try await OwnedDatabase.open(configuration)
        try await owned.belong(to: Issuer("https://auth.example.com"))
        try await owned.belong(to: Issuer("https://auth.example.com"))
        for other in ["https://auth.example.com/", "https://id.example.com"] {
            await #expect {
                try await owned.belong(to: Issuer(other))
            } throws: { error in
                ["https://auth.example.com", "database change-issuer \(other)", "tokens", "passkeys", "link"]
                    .allSatisfy { "\(error)".contains($0) }
            }
        }
        await owned.close()
        // A command that is given no issuer works under the database's own.
        let opened = try await OpenedServer.open(configuration, logger: logger)
        #expect(opened.server.context.settings.issuer.rawValue == "https://auth.example.com")
        await opened.close()
        // Changed on purpose, the other one serves.
        let channel = AdministrationChannel(configuration: configuration)
        let changed = try await channel.answer(to: ["database", "change-issuer", "https://id.example.com"])
        #expect(changed.status == .done)
        let again = try await OwnedDatabase.open(configuration)
        try await again.belong(to: Issuer("https://id.example.com"))
        await again.close()
    }

    @Test("doctor fails where the configuration says another issuer than the database")
    func doctor() async throws {
        let owned = try await OwnedDatabase.open(try await configuration())
        try await owned.belong(to: Issuer("https://auth.example.com"))
        let masterKeyed = try await OpenedServer.open(
            owned, try await configuration(), issuer: Issuer("https://auth.example.com"), logger: logger)
        await masterKeyed.close()
        func findings(_ issuer: String) async throws -> [Finding] {
            let flags = try SettingFlags(
                taking: Settings.all,
                from: ["--database", "sqlite:\(folder.path("walletauth.db"))", "--port", "0", "--issuer", issuer])
            return await Doctor(flags: flags, environment: [:]).examine().filter { $0.subject == "issuer" }
        }
        let same = try await findings("https://auth.example.com")
        let other = try await findings("https://id.example.com")
        #expect(same.map(\.status) == [.ok])
        #expect(other.map(\.status) == [.fail])
        #expect(other.first?.remedy?.contains("change-issuer") == true)
    }

    @Test("A wrong master key is reported with its remedy, the doctor's own")
    func wrongMasterKey() async throws {
        await (try OpenedServer.open(try await configuration(), logger: logger)).close()
        let other = try folder.write("deadbeef000102030405060708090a0b0c0d0e0f101112131415161718191a1c", to: "key")
        let wrong = try await configuration(["--master-key-file", other])
        await #expect {
            _ = try await OpenedServer.open(wrong, logger: logger)
        } throws: { error in
            "\(error)".hasPrefix(
                "the master key does not open the database's keys: the database's keys are wrapped under ")
                && "\(error)".contains("Specify the key that the database was created with or last rotated to")
        }
    }

    @Test(
        "Where a key is missing and the others are wrapped under two master keys, a start names the command, which runs without a server"
    )
    func mixedMasterKeys() async throws {
        await (try OpenedServer.open(try await configuration(), logger: logger)).close()
        let file = "walletauth.db.master-key"
        let former = try String(contentsOfFile: folder.path(file), encoding: .utf8)
        _ = try folder.write("\(sampleMasterKey)\n\(former)", to: file)
        let opened = try await OpenedServer.open(try await configuration(), logger: logger)
        let database = opened.server.context.database
        let row = try #require(try await database.read { try DataKeys.all(on: $0).last })
        #expect(await opened.server.administration.execute(["keys", "rotate-master"]).status == .done)
        try await database.write { connection in
            _ = try connection.execute(
                "UPDATE data_keys SET wrapped = $1 WHERE purpose = $2 AND kid = $3",
                [.blob(row.wrapped), .text(row.purpose), .integer(row.kid)])
            // As the database of a version that did not know the purpose.
            _ = try connection.execute("DELETE FROM data_keys WHERE purpose = 'pin'", [])
        }
        await opened.close()
        for _ in 0..<2 {
            await #expect {
                _ = try await OpenedServer.open(try await configuration(), logger: logger)
            } throws: { error in
                (error as? Refusal)?.status == ExitStatus.outOfService
                    && "\(error)".hasPrefix("the database lacks a key that this version needs, and none can be made: ")
                    && "\(error)".contains("run `walletauth keys rotate-master`")
            }
        }
        let channel = AdministrationChannel(configuration: try await configuration())
        await #expect(throws: Refusal.self) { _ = try await channel.answer(to: ["keys", "list"]) }
        #expect(try await channel.answer(to: ["keys", "rotate-master"], for: .rewrapsKeys).status == .done)
        let again = try await OpenedServer.open(try await configuration(), logger: logger)
        _ = try again.server.context.keyRing.active(.pin)
        await again.close()
    }

    @Test(
        "attack: a database that others on the machine can open is not used until its mode is mended",
        arguments: ["", "-wal"], [0o644, 0o640, 0o606])
    func exposed(suffix: String, mode: Int) async throws {
        let configuration = try await configuration()
        await (try OpenedServer.open(configuration, logger: logger)).close()
        let path = folder.path("walletauth.db") + suffix
        if !suffix.isEmpty { _ = try folder.write("", to: "walletauth.db" + suffix) }
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        var serving = configuration
        serving.port = 0
        let served = await #expect(throws: Refusal.self) {
            try await ServerProcess(configuration: serving).run()
        }
        let channel = AdministrationChannel(configuration: configuration)
        let listed = await #expect(throws: Refusal.self) { _ = try await channel.answer(to: ["client", "list"]) }
        for refusal in [served, listed] {
            let text = refusal?.description ?? ""
            #expect(text.contains("\(path) has mode 0\(String(mode, radix: 8)), so others can open it"), "\(text)")
            #expect(text.contains("chmod 600 \(path)"), "\(text)")
            #expect(refusal?.status == ExitStatus.outOfService)
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        #expect(try await channel.answer(to: ["client", "list"]).status == .done)
    }

    @Test(
        "A badly damaged file is named with its path and what to do, by serve, commands and the doctor",
        arguments: [0, 100, 4096])
    func damaged(offset: UInt64) async throws {
        var configuration = try await configuration()
        await (try OpenedServer.open(configuration, logger: logger)).close()
        let path = folder.path("walletauth.db")
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.seek(toOffset: offset)
        try file.write(contentsOf: Data(repeating: 0xA5, count: 3000))
        try file.close()
        configuration.port = 0
        let served = await #expect(throws: Refusal.self) {
            try await ServerProcess(configuration: configuration).run()
        }
        let channel = AdministrationChannel(configuration: configuration)
        let listed = await #expect(throws: Refusal.self) { _ = try await channel.answer(to: ["client", "list"]) }
        for refusal in [served, listed] {
            let text = refusal?.description ?? ""
            #expect(text.contains("the database \(path) is damaged"), "\(text)")
            #expect(text.contains("`walletauth database restore --from FILE`"), "\(text)")
            #expect(refusal?.status == ExitStatus.outOfService)
        }
        let found = await DatabaseFindings.read(configuration).filter { $0.status == .fail }
        #expect(!found.isEmpty)
        for finding in found {
            #expect(finding.detail.hasPrefix("\(path) "), "\(finding.detail)")
            #expect(finding.remedy == "Restore a backup: walletauth database restore --from FILE")
        }
    }

    @Test("A second server on the same database says who serves it, although its port is taken too")
    func secondServer() async throws {
        let configuration = try await configuration()
        let owned = try await OwnedDatabase.open(configuration)
        let taken = try PortReservation(host: "127.0.0.1", port: 0)
        var second = configuration
        second.port = taken.port
        await #expect {
            try await ServerProcess(configuration: second).run()
        } throws: { error in
            "\(error)".contains("is open in")
                && "\(error)".contains("process \(ProcessInfo.processInfo.processIdentifier)")
        }
        await owned.close()
        withExtendedLifetime(taken.port) {}
    }

    @Test("After a clean stop the database is one file: no log and no shared memory remain")
    func oneFile() async throws {
        let opened = try await OpenedServer.open(try await configuration(), logger: logger)
        let made = await opened.server.administration.execute(["brand", "create", "blue", "--name", "Blue"])
        #expect(made.status == .done)
        #expect(FileStatus(path: folder.path("walletauth.db-wal")) != nil)
        await opened.close()
        #expect(FileStatus(path: folder.path("walletauth.db-wal")) == nil)
        #expect(FileStatus(path: folder.path("walletauth.db-shm")) == nil)
        // Copied as the one file that it is, it holds everything.
        try FileManager.default.copyItem(
            atPath: folder.path("walletauth.db"), toPath: folder.path("copy.db"))
        let copy = try SQLiteDatabase.open(path: folder.path("copy.db"))
        let brand = try await copy.read { try Brands.find("blue", on: $0) }
        #expect(brand?.name == "Blue")
        await copy.close()
    }
}
