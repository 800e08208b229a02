import Kernel
import Testing

@testable import walletauth

@Suite("One fault, told once")
struct FaultTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func production(_ arguments: [String], key: Bool = true) async throws -> [Fault] {
        var common = [
            "--environment", "production", "--issuer", "https://id.example.com", "--database",
            "sqlite:\(folder.path("walletauth.db"))",
        ]
        if key { common += ["--master-key-file", try folder.write(sampleMasterKey, to: "key")] }
        let flags = try SettingFlags(taking: Settings.all, from: common + arguments)
        return await ServerConfiguration.readLeniently(for: .serving, flags: flags, environment: [:]).faults
    }

    @Test("A certificate without its key is not told as missing TLS as well")
    func halfTLS() async throws {
        let found = try await production(["--tls-certificate", "a.pem"])
        #expect(found.map(\.problem) == ["--tls-certificate is set without tls.key"])
    }

    @Test("Proxies that do not fit are not told as missing TLS as well")
    func proxies() async throws {
        let found = try await production(["--trusted-proxies", "localhost"])
        #expect(found.map(\.problem) == ["--trusted-proxies \"localhost\" is not valid"])
    }

    @Test("An unknown environment is reported alone: what it would require is not known")
    func environment() async throws {
        let flags = try SettingFlags(taking: Settings.all, from: ["--environment", "prod"])
        let found = await ServerConfiguration.readLeniently(for: .serving, flags: flags, environment: [:]).faults
        #expect(found.count == 1)
    }

    @Test("Each TLS file that is missing, no PEM or another's is reported by its path and the reason")
    func files() async throws {
        let proxyless = folder.path("none.pem")
        let text = try folder.write("no certificate", to: "text.pem")
        let missing = try await production(["--tls-certificate", proxyless, "--tls-key", text])
        let noKey = "the TLS key \(text) contains no unencrypted PEM private key"
        #expect(missing.map(\.problem) == ["the TLS certificate \(proxyless) does not exist", noKey])
        let noPEM = try await production(["--tls-certificate", text, "--tls-key", text])
        #expect(noPEM.map(\.problem) == ["the TLS certificate \(text) contains no PEM certificate", noKey])
    }

    @Test(
        "A master key's file that another user owns is refused: they know the key, and can replace it",
        .enabled(if: Ownership.isRoot, "only root can give a file to another user"))
    func foreignKey() throws {
        let key = try folder.write(sampleMasterKey, to: "key")
        try #require(Ownership.give(key, to: Ownership.stranger))
        let found = MasterKeySource.file(key).faults(in: .production)
        #expect(found.map(\.problem).contains { $0.contains("belongs to user \(Ownership.stranger)") })
    }
}
