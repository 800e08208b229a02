import CFaultyDisk
import Core
import Foundation
import Kernel
import Logging
import Operations
import Store
import Testing
import WalletAuthWire

@testable import walletauth

/// SQLite's result codes, whose macros do not cross into Swift.
private enum FailingCode {
    static let full: CInt = 13
    static let sync: CInt = 10 | 4 << 8
}

@Suite("Doctor", .article("29(2)(c) synchronized times"))
struct DoctorTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func examine(_ arguments: [String] = []) async throws -> [Finding] {
        await Doctor(flags: try folder.flags(arguments), environment: [:]).examine()
    }

    @Test("A sandbox that was never started has nothing that fails")
    func freshSandbox() async throws {
        let findings = try await examine()
        #expect(findings.filter { $0.status == .fail } == [])
        #expect(findings.contains { $0.subject == "database" && $0.status == .warn })
    }

    @Test("The examination changes nothing: neither database nor key is made")
    func changesNothing() async throws {
        _ = try await examine()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
    }

    @Test("A file system that claims more space than can be counted has enough")
    func endlessSpace() {
        #expect(FilesFindings.bytes(of: .max, each: 4096) == .max)
        #expect(FilesFindings.bytes(of: 65_536, each: 4096) == FilesFindings.leastFreeBytes)
    }

    @Test("Each fault of the configuration fails, with what to do, and a missing database too")
    func faults() async throws {
        let findings = try await examine(["--environment", "production"])
        let failures = findings.filter { $0.status == .fail }
        #expect(failures.map(\.subject) == ["configuration", "configuration", "configuration", "database"])
        #expect(failures.allSatisfy { $0.remedy != nil })
        #expect(!findings.contains { $0.subject == "tls" })
    }

    @Test(
        "In production it says what is lost without a mail server or an SMS service, and what a known password costs then"
    )
    func withoutMail() async throws {
        let findings = try await examine(["--environment", "production"])
        for subject in ["email", "sms"] {
            let finding = try #require(findings.first { $0.subject == subject })
            #expect(finding.status == .warn)
            #expect(finding.detail.contains("not at all once their password is found to be common or stolen"))
        }
        #expect(
            findings.contains { $0.subject == "email" && $0.detail.contains("forgotten passwords cannot be recovered") }
        )
        let sandbox = try await examine()
        #expect(!sandbox.contains { $0.subject == "email" })
    }

    @Test("The remedy is a sentence of its own, whether the finding quotes a whole sentence or not")
    func sentences() {
        #expect(Finding.fail("database", "It failed.", "Mend it").line.hasSuffix("  It failed. Mend it"))
        #expect(Finding.fail("database", "it failed", "Mend it").line.hasSuffix("  it failed. Mend it"))
        #expect(Finding.ok("database", "it works").line.hasSuffix("  it works"))
    }

    @Test("A database that others can read fails")
    func readableDatabase() async throws {
        _ = try folder.write("", to: "walletauth.db-wal", mode: 0o644)
        let findings = try await examine()
        #expect(findings.contains { $0.status == .fail && $0.detail.contains("0644") })
    }

    @Test("Where the file of the sandbox's master key is gone, the advice is given once")
    func lostMasterKey() async throws {
        let (configuration, faults) = try await folder.read(["--issuer", "http://127.0.0.1:8730"])
        try #require(faults.isEmpty)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        try await OpenedServer.open(configuration, logger: logger).close()
        try FileManager.default.removeItem(atPath: configuration.database.generatedMasterKeyPath)
        let keys = try #require(try await examine().first { $0.subject == "keys" })
        #expect(keys.status == .fail && keys.detail.hasSuffix("does not"), "\(keys)")
        #expect(keys.remedy?.contains("put the key's file back") == true, "\(keys)")
        #expect(keys.line.components(separatedBy: "--master-key-file").count == 2, "\(keys.line)")
    }

    @Test("It says which master keys the database needs, before and after a rotation, and which one a start would lack")
    func masterKeys() async throws {
        func open() async throws -> OpenedServer {
            let (configuration, faults) = try await folder.read(["--issuer", "http://127.0.0.1:8730"])
            try #require(faults.isEmpty)
            return try await OpenedServer.open(
                configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        }
        func keys() async throws -> Finding { try #require(try await examine().first { $0.subject == "keys" }) }
        try await open().close()
        let file = "walletauth.db.master-key"
        let former = try String(contentsOfFile: folder.path(file), encoding: .utf8)
        #expect(try await keys().status == .ok)

        _ = try folder.write("\(sampleMasterKey)\n\(former)", to: file)
        let before = try await keys()
        #expect(before.status == .warn && before.remedy?.contains("keys rotate-master") == true, "\(before)")
        let opened = try await open()
        let database = opened.server.context.database
        let row = try #require(try await database.read { try DataKeys.all(on: $0).last })
        #expect(await opened.server.administration.execute(["keys", "rotate-master"]).status == .done)
        try await database.write { connection in
            _ = try connection.execute(
                "UPDATE data_keys SET wrapped = $1 WHERE purpose = $2 AND kid = $3",
                [.blob(row.wrapped), .text(row.purpose), .integer(row.kid)])
        }
        await opened.close()
        let mixed = try await keys()
        #expect(mixed.status == .warn && mixed.detail.contains("no new one can be made"), "\(mixed)")
        let again = try await open()
        #expect(await again.server.administration.execute(["keys", "rotate-master"]).status == .done)
        await again.close()
        let after = try await keys()
        #expect(after.status == .warn && after.remedy?.contains("take it out") == true, "\(after)")

        _ = try folder.write(sampleMasterKey, to: file)
        #expect(try await keys().status == .ok)
        _ = try folder.write(former, to: file)
        let lacking = try await keys()
        #expect(lacking.status == .fail && lacking.detail.contains("wrapped under the master key"), "\(lacking)")
        await #expect(throws: Refusal.self) { _ = try await open() }
    }

    @Test(
        "Where no server runs, a database that can be read and keeps no write fails, and the disk is named as the cause",
        arguments: [
            ("-wal", FAULTY_WRITE, FailingCode.full), ("-wal", FAULTY_SYNC, FailingCode.sync),
            ("", FAULTY_SYNC, FailingCode.sync),
        ])
    func keepsNothing(file: String, operation: faulty_operation, code: CInt) async throws {
        faulty_disk_install()
        let (configuration, faults) = try await folder.read(["--issuer", "http://127.0.0.1:8730"])
        try #require(faults.isEmpty)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        try await OpenedServer.open(configuration, logger: logger).close()
        #expect(try await examine().filter { $0.subject == "database" }.allSatisfy { $0.status == .ok })

        let path = configuration.database.path + file
        faulty_disk_fail(path, operation, code, -1)
        defer { faulty_disk_heal(path) }
        let failed = try await examine().filter { $0.subject == "database" && $0.status == .fail }
        #expect(failed.count == 1, "\(failed)")
        #expect(failed.first?.remedy?.contains("Free space on its disk") == true, "\(failed)")
    }

    @Test("A folder that is not there fails, and so does one that everybody may write")
    func folders() async throws {
        let elsewhere = ["--database", "sqlite:\(folder.path("none/walletauth.db"))"]
        let flags = try SettingFlags(taking: Settings.all, from: elsewhere)
        let findings = await Doctor(flags: flags, environment: [:]).examine()
        #expect(findings.contains { $0.subject == "files" && $0.status == .fail })

        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.url.path)
        #expect(try await examine().contains { $0.subject == "files" && $0.status == .fail })
    }

    @Test(
        "An invalid setting is one failure, and what its default would cause is none",
        arguments: ["--port", "--issuer", "--master-key-file", "--sca-idle-limit"])
    func consequences(flag: String) async throws {
        let (configuration, faults) = try await folder.read(["--issuer", "http://127.0.0.1:8730"])
        try #require(faults.isEmpty)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let owned = try await OwnedDatabase.open(configuration)
        try await owned.belong(to: Issuer("http://127.0.0.1:8730"))
        try await OpenedServer.open(owned, configuration, issuer: Issuer("http://127.0.0.1:8730"), logger: logger)
            .close()
        var settings = ["--database": "sqlite:\(folder.path("walletauth.db"))", "--port": "0"]
        // By their defaults, the server could not listen, and the database would be another issuer's.
        if flag == "--port" { settings["--host"] = "192.0.2.1" }
        if flag == "--issuer" { settings["--port"] = "8731" }
        settings[flag] = "eight and nine"
        let flags = try SettingFlags(taking: Settings.all, from: settings.flatMap { [$0.key, $0.value] })
        let findings = await Doctor(flags: flags, environment: [:]).examine()
        let failures = findings.filter { $0.status == .fail }
        #expect(failures.map(\.subject) == ["configuration"], "\(failures)")
    }

    @Test("A clock behind the database fails")
    func clock() async throws {
        _ = try folder.write("", to: "walletauth.db")
        let flags = try SettingFlags(
            taking: Settings.all, from: ["--database", "sqlite:\(folder.path("walletauth.db"))"])
        let (configuration, _) = await ServerConfiguration.readLeniently(
            for: .serving, flags: flags, environment: [:])
        let yesterday = Date().addingTimeInterval(-86_400)
        #expect(ClockFindings.of(configuration, now: yesterday).map(\.status) == [.fail])
        #expect(ClockFindings.of(configuration).map(\.status) != [.fail])
    }

    @Test("A clock far from the time that servers have recorded is reported, with the command that confirms it")
    func recordedTime() async throws {
        let (configuration, faults) = try await folder.read(["--issuer", "http://127.0.0.1:8730"])
        try #require(faults.isEmpty)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let opened = try await OpenedServer.open(configuration, logger: logger)
        let (database, now) = (opened.database, SystemClock().now())
        let cases: [(Duration, [Finding.Status])] = [(.hours(1), []), (.days(90), [.warn]), (.days(-1), [.fail])]
        for (absence, statuses) in cases {
            _ = try await database.write { connection in
                try ClockRecords.record(
                    now - absence, known: nil, after: .zero, retention: .days(548), on: connection)
            }
            let findings = try await ClockFindings.recorded(in: database, now: now)
            #expect(findings.map(\.status) == statuses)
            #expect(findings.allSatisfy { $0.remedy?.contains("walletauth clock accept") == true })
        }
        let asked = await opened.server.administration.execute(["clock", "show"])
        #expect(asked.status == .done && ClockFindings.of(asked).isEmpty)
        let comparison = #"{"comparison":"the clock is 40 days ahead","serves":false,"removes":false}"#
        let refusing = try AdministrationAnswer.done([], JSONValue.object(parsing: Array(comparison.utf8)))
        #expect(ClockFindings.of(refusing).map(\.status) == [.fail])
        await opened.close()
    }

    @Test("It reports whether the system keeps the clock synchronized, and what to do if it does not")
    func synchronization() {
        let unsynchronized = ClockFindings.finding(of: .unsynchronized)
        #expect(unsynchronized.status == .warn)
        #expect(unsynchronized.remedy?.contains("NTP") == true)
        #expect(ClockFindings.finding(of: .synchronized).status == .ok)
    }

    @Test("A socket without a listener is a warning: its server did not end by itself")
    func staleSocket() async throws {
        let program = "import socket,sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])"
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-c", program, folder.path("walletauth.db.sock")]
        try process.run()
        process.waitUntilExit()
        let findings = try await examine()
        #expect(findings.contains { $0.subject == "server" && $0.status == .warn && $0.remedy != nil })
    }

    @Test("Where it is not known which installation is meant, no other one is examined")
    func partial() async throws {
        let findings = try await examine(["--config", folder.path("none.yaml")])
        #expect(findings.map(\.subject) == ["configuration", "configuration"])
        #expect(findings.map(\.status) == [.fail, .warn])
    }

    @Test("A file of another user is a matter of its owner and not of the disk, which a file of this user is")
    func inaccessibleFile() {
        let error = StoreError(.file, "cannot open /srv/w.db.lock: Permission denied")
        let remedy = DatabaseFindings.remedy(for: error, inaccessible: "/srv/w.db.lock")
        #expect(remedy.contains("make it the owner of /srv/w.db.lock"))
        #expect(!remedy.contains("space"))
        #expect(DatabaseFindings.remedy(for: error).contains("Free space"))
        let full = DatabaseFindings.remedy(for: StoreError(.full, "no room"), inaccessible: "/srv/w.db.lock")
        #expect(full.contains("Free space"))
    }

    @Test("A line for a person names status, subject, finding and remedy")
    func line() {
        #expect(
            Finding.fail("tls", "the certificate expired", "Renew it").line
                == "fail  tls            the certificate expired. Renew it")
    }
}
