import Foundation
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

    @Test("Its files lie in their folder; connections are 8, or as many as configured")
    func files() async throws {
        let (configuration, faults) = try await read("postgresql://walletauth@db.example.com/walletauth")
        #expect(faults.isEmpty)
        #expect(configuration.postgreSQLConnections == 8)
        #expect(configuration.adminSocketPath == folder.path("walletauth.sock"))
        #expect(configuration.auditCheckpoints == folder.path("walletauth.checkpoints"))
        #expect(configuration.database.epochPath == folder.path("walletauth.epoch"))
        let file = try folder.write(
            "database: postgres://db.example.com/a\npostgresql:\n  connections: 3\n", to: "c.yaml")
        let flags = try SettingFlags(taking: Settings.all, from: ["--config", file])
        let (written, none) = await ServerConfiguration.readLeniently(
            for: .serving, flags: flags, environment: [:])
        #expect(none.isEmpty)
        #expect(written.postgreSQLConnections == 3)
        #expect(written.database.path == "walletauth")
    }

    @Test(
        "attack: a password in the URL is neither shown nor digested",
        arguments: [
            ("postgresql://ada:\(secret)@db/w?sslmode=verify-full", "postgresql://ada@db/w?sslmode=verify-full"),
            ("postgresql://ada:a%40\(secret)@db/w", "postgresql://ada@db/w"),
            ("postgres://db/w?password=\(secret)&sslmode=require", "postgres://db/w?sslmode=require"),
            ("postgresql://db/w?sslpassword=\(secret)", "postgresql://db/w"),
            ("postgresql://ada@/w?host=/run/postgresql", "postgresql://ada@/w?host=/run/postgresql"),
        ])
    func redaction(url: String, shown: String) async throws {
        let (configuration, faults) = try await read(url)
        #expect(faults.isEmpty, "\(faults.count)")
        #expect(configuration.database.shown == shown)
        var everything = ""
        dump(configuration, to: &everything)
        #expect(!everything.contains(Self.secret))
        // The digest is the same as without the password.
        let (bare, _) = try await read(shown)
        #expect(configuration.given.given["database"] == bare.given.given["database"])
    }

    @Test(
        "attack: a URL that is refused is not repeated in the fault",
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

    @Test("In production it is refused, for a server and for a command", arguments: ["serving", "administering"])
    func production(purpose: String) async throws {
        let url = "postgresql://walletauth@db.example.com/walletauth?sslmode=verify-full"
        let flags = try SettingFlags(
            taking: Settings.all, from: ["--environment", "production", "--database", url])
        let (_, faults) = await ServerConfiguration.readLeniently(
            for: purpose == "serving" ? .serving : .administering, flags: flags, environment: [:])
        #expect(faults.contains { $0.line.contains("PostgreSQL is a preview, for the sandbox only") })
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
        #expect(refusal?.description.contains(Self.secret) == false)
    }
}
