import Foundation
import Kernel
import Logging
import TestSupport
import Testing

@testable import walletauth

@Suite("The list of revoked Android keys", .covers("attestation of apps and of biometric keys"))
struct AndroidRevocationFileTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func write(_ serials: String...) throws -> String {
        let entries = serials.map { #""\#($0)":{"status":"REVOKED"}"# }.joined(separator: ",")
        return try folder.write(#"{"entries":{\#(entries)}}"#, to: "status.json")
    }

    @Test("A changed list counts without a restart; one that is none leaves the former in use, and is logged once")
    func reload() async throws {
        let path = try write("a1")
        let (configuration, faults) = try await folder.read(["--devices-android-revocations", path])
        #expect(faults.isEmpty)
        let serials = configuration.devices.attestation.revokedAndroidSerials
        let log = LogRecorder()
        let file = AndroidRevocationFile(
            path: try #require(configuration.androidRevocations), serials: serials,
            logger: Logger(label: "test") { _ in log.handler })
        file.reloadIfChanged()
        #expect(serials.current == ["a1"])
        #expect(log.lines.isEmpty)

        _ = try write("a1", "0B2")
        file.reloadIfChanged()
        #expect(serials.current == ["a1", "b2"])
        #expect(log.lines.count { $0.contains("revoked Android keys reloaded") } == 1)

        _ = try folder.write("half of a downlo", to: "status.json")
        for _ in 0..<3 { file.reloadIfChanged() }
        try FileManager.default.removeItem(atPath: path)
        for _ in 0..<3 { file.reloadIfChanged() }
        #expect(serials.current == ["a1", "b2"])
        #expect(log.lines.count { $0.contains("not reloaded") } == 2, "\(log.lines)")

        _ = try write("c3")
        file.reloadIfChanged()
        #expect(serials.current == ["c3"])
    }
}
