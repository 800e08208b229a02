import Kernel
import Logging
import Testing
import WalletAuthWire

@testable import Operations
@testable import walletauth

@Suite("The fields of a brand")
struct BrandFieldTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("Each field of a brand has an option of `brand update`, which is applied, shown and in the audit log")
    func everywhere() async throws {
        let flags = try SettingFlags(
            taking: Settings.all, from: ["--database", "sqlite:\(folder.path("walletauth.db"))"])
        let configuration = try await ServerConfiguration.read(for: .administering, flags: flags, environment: [:])
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let opened = try await OpenedServer.open(configuration, logger: logger)
        let administration = opened.server.administration
        var fields: Set<String> = []
        var shown = await administration.execute(["brand", "show", "default"])
        for option in [
            ["--name", "Acme"], ["--color", "336699"], ["--logo-url", "https://cdn.example.com/logo.svg"],
            ["--terms-url", "https://example.com/terms"], ["--support", "help@example.com"],
            ["--new-device", "allow"], ["--secret-questions", "on"],
            ["--account-pin", "on"], ["--scan-sign-in", "on"], ["--registration", "on"], ["--password-days", "90"],
            ["--closing-days", "14"], ["--own-names", "on"],
        ] {
            fields.insert(String(option[0].dropFirst(2)).replacing("-", with: ""))
            let command = AdminRequest(["brand", "update", "default"] + option)
            let answer = await administration.execute(command)
            #expect(answer.status == .done, "\(answer.lines)")
            let before = shown
            shown = await administration.execute(["brand", "show", "default"])
            #expect(shown.lines != before.lines, "\(option)")
            #expect(shown.json != before.json, "\(option)")
        }
        let options = Set(Mirror(reflecting: BrandChange()).children.compactMap { $0.label?.dropFirst().lowercased() })
        #expect(options.symmetricDifference(fields) == [])
        let stored = Set(
            Mirror(reflecting: try BrandProfile(json: "{}")).children.compactMap { $0.label?.lowercased() })
        // The option for registration has a value for passkeys.
        #expect(
            stored.subtracting(["endofpins", "texts", "registersbypasskey"]).symmetricDifference(
                fields.subtracting(["name"])) == [])
        let tail = await administration.execute(["audit", "tail", "--kind", "brand.changed"])
        let entries = try tail.document()["entries"]?.array ?? []
        let logged = Set(entries.flatMap { $0.object?["details"]?.object?.names ?? [] }.map { $0.lowercased() })
        #expect(fields.subtracting(logged) == [])
        await opened.close()
    }
}
