import Foundation
import Testing

@testable import walletauth

@Suite("The settings of a running server, held against those that are configured")
struct ConfiguredSettingsTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func given(_ file: String, _ flags: [String] = []) async throws -> ConfiguredSettings {
        let path = try folder.write(file, to: "c.yaml")
        let (configuration, faults) = try await folder.read(["--config", path] + flags)
        #expect(faults.isEmpty, "\(faults)")
        return configuration.given
    }

    @Test(
        "What the file says now and said otherwise, or not at all, when the server read it is named, and nothing else")
    func file() async throws {
        let running = try await given("sca:\n  idleLimit: 2m\nlog:\n  level: error\n")
        let same = try await given("log:\n  level: error\nsca:\n  idleLimit: 2m\n")
        #expect(same.differences(from: running) == [])
        let changed = try await given("sca:\n  idleLimit: 3m\nshutdownTimeout: 3s\n")
        #expect(changed.differences(from: running) == ["log.level", "sca.idleLimit", "shutdownTimeout"])
    }

    @Test("A flag that the server was started with counts for it still, also where the file says another")
    func flags() async throws {
        let running = try await given("sca:\n  idleLimit: 2m\n", ["--log-level", "error"])
        let bare = try await given("sca:\n  idleLimit: 2m\nlog:\n  level: info\n")
        #expect(bare.differences(from: running) == [])
        let flagged = try await given("sca:\n  idleLimit: 2m\n", ["--log-level", "info"])
        #expect(flagged.differences(from: running) == ["log.level"])
    }

    @Test(
        "A relative and an absolute path of one file are the same setting, and so is one text in two working directories"
    )
    func paths() async throws {
        let here = FileManager.default.currentDirectoryPath
        let running = try await given("audit:\n  checkpoints: \(here)/log/a.checkpoints\n")
        for path in ["log/a.checkpoints", "./log/../log/a.checkpoints", "\(here)/log/a.checkpoints/"] {
            let same = try await given("audit:\n  checkpoints: \(path)\n")
            #expect(same.differences(from: running) == [], "\(path)")
            #expect(running.differences(from: same) == [], "\(path)")
        }
        let other = try await given("audit:\n  checkpoints: a.checkpoints\n")
        #expect(other.differences(from: running) == ["audit.checkpoints"])

        func database(_ text: String) async throws -> ConfiguredSettings {
            let flags = try SettingFlags(taking: Settings.all, from: ["--database", text])
            return await ServerConfiguration.readLeniently(for: .administering, flags: flags, environment: [:]).0.given
        }
        let file = try await database("sqlite:\(here)/a.db")
        #expect(try await database("sqlite:a.db").differences(from: file) == [])
        #expect(try await database("sqlite:b.db").differences(from: file) == ["database"])

        // The doctor runs elsewhere than the server.
        var (found, configured) = (ConfiguredSettings(), ConfiguredSettings())
        found.given["audit.checkpoints"] = ConfiguredSettings.Given(
            digest: "text", pathDigest: "one", isInFile: true)
        configured.given["audit.checkpoints"] = ConfiguredSettings.Given(
            digest: "text", pathDigest: "other", isInFile: true)
        #expect(configured.differences(from: found) == [])
    }

    @Test("Neither a value nor a secret's digest is shown")
    func secrets() async throws {
        let flags = try folder.flags(["--email-smtp-host", "smtp.example.com", "--email-from", "a@example.com"])
        let (configuration, _) = await ServerConfiguration.readLeniently(
            for: .serving, flags: flags, environment: ["WALLETAUTH_MASTER_KEY": sampleMasterKey])
        #expect(configuration.given.given["email.smtp.host"]?.digest.count == 64)
        #expect(configuration.given.given["masterKey"] == nil)
        #expect(!"\(configuration.given)".contains("example.com"))
    }
}
