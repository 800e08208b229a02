import Kernel
import Outbound
import Testing

@testable import walletauth

@Suite("Configuration of where stolen passwords are looked for")
struct BreachConfigurationTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private static let entry = "5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8:9545824\r\n"

    @Test("Nothing is asked unless it is configured; a file and a service are asked both")
    func sources() async throws {
        let (none, noFaults) = try await folder.read([])
        #expect(noFaults.isEmpty)
        #expect(none.breaches.lists.sources.isEmpty)
        let path = try folder.write(Self.entry, to: "breaches.txt", mode: 0o644)
        let (both, faults) = try await folder.read([
            "--passwords-breaches-url", "https://api.pwnedpasswords.com", "--passwords-breaches-file", path,
            "--passwords-breaches-minimum-count", "10",
        ])
        #expect(faults.isEmpty)
        #expect(both.breaches.lists.sources.map(\.name) == ["file", "url"])
        #expect(both.breaches.lists.minimumCount == 10)
        #expect(both.breaches.lists.deadline == .seconds(2))
    }

    @Test("A file that is not there, a URL that is none and a count about nothing are faults, for who serves alone")
    func faults() async throws {
        let wrong = ["--passwords-breaches-file", folder.path("none.txt"), "--passwords-breaches-url", "ftp://x"]
        let (_, faults) = try await folder.read(wrong)
        #expect(faults.count == 2)
        #expect(faults.contains { $0.problem.contains("none.txt") })
        #expect(try await folder.read(wrong, for: .administering).faults.isEmpty)
        let (_, lonely) = try await folder.read(["--passwords-breaches-minimum-count", "5"])
        #expect(
            lonely.map(\.problem) == ["--passwords-breaches-minimum-count is set without a list that it applies to"])
    }

    @Test("The doctor looks into the file and asks the service, and says what to do")
    func doctor() async throws {
        let good = try folder.write(Self.entry, to: "breaches.txt", mode: 0o644)
        let bad = try folder.write("password\npassword\n", to: "words.txt", mode: 0o644)
        for (path, status) in [(good, Finding.Status.ok), (bad, .fail)] {
            // Nothing listens on port 1.
            let findings = await Doctor(
                flags: try folder.flags([
                    "--passwords-breaches-file", path, "--passwords-breaches-url", "http://127.0.0.1:1",
                ]), environment: [:]
            ).examine().filter { $0.subject == "breaches" }
            #expect(findings.map(\.status) == [status, .fail])
            #expect(findings.filter { $0.status == .fail }.allSatisfy { $0.remedy != nil })
        }
    }
}
