import ArgumentParser
import Kernel
import Logging
import Operations
import Testing
import WalletAuthWire

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
        var shown = await administration.execute(.brand(.show(id: "default")))
        for option in [
            ["--name", "Acme"], ["--color", "336699"], ["--logo-url", "https://cdn.example.com/logo.svg"],
            ["--terms-url", "https://example.com/terms"], ["--new-device", "allow"], ["--secret-questions", "on"],
            ["--account-pin", "on"], ["--password-days", "90"],
        ] {
            let parsed = try WalletAuthCommand.parseAsRoot(["brand", "update", "--id", "default"] + option)
            let command = try #require(parsed as? BrandUpdate).command()
            guard case .brand(.update(_, let change)) = command else {
                Issue.record("another command: \(command)")
                continue
            }
            let given = Mirror(reflecting: change).children.filter { !Mirror(reflecting: $0.value).children.isEmpty }
            #expect(given.count == 1, "\(option)")
            fields.formUnion(given.compactMap { $0.label })
            let answer = await administration.execute(command)
            #expect(answer.status == .done, "\(answer.lines)")
            let before = shown
            shown = await administration.execute(.brand(.show(id: "default")))
            #expect(shown.lines != before.lines, "\(option)")
            #expect(shown.json != before.json, "\(option)")
        }
        #expect(Self.labels(of: BrandChange()).subtracting(fields) == [])
        let stored = Self.labels(of: try BrandProfile(json: "{}")).subtracting(["endOfPINs"])
        #expect(stored.symmetricDifference(fields.subtracting(["name"])) == [])
        let tail = await administration.execute(.audit(.tail(account: nil, kind: "brand.changed", limit: nil)))
        let entries = try tail.document()["entries"]?.array ?? []
        let logged = Set(entries.flatMap { $0.object?["details"]?.object?.names ?? [] }.map { $0.lowercased() })
        #expect(Set(fields.map { $0.lowercased() }).subtracting(logged) == [])
        await opened.close()
    }

    private static func labels(of value: some Any) -> Set<String> {
        Set(Mirror(reflecting: value).children.compactMap { $0.label })
    }
}
