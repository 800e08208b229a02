import Foundation
import Programs
import Store
import Testing

@testable import Operations
@testable import walletauth

@Suite("How the program reports an error")
struct FailureReportTests {
    private static func document(_ error: any Error, in arguments: [String] = []) throws -> [String: Any] {
        let report = FailureReport(error, in: arguments, flags: [])
        let json = try JSONSerialization.jsonObject(with: JSONEncoder().encode(report.document))
        return try #require((json as? [String: Any])?["error"] as? [String: Any])
    }

    @Test("A refusal's remedy is the hint, and the line for people has both")
    func refusal() throws {
        let answer = AdministrationAnswer.refused(AdministrationRefusal.notFound("client", "app"))
        let error = Refusal(answer)
        let document = try Self.document(error)
        #expect(document["code"] as? String == "not_found")
        #expect(document["message"] as? String == "There is no client app.")
        #expect(document["hint"] as? String == "See `walletauth client list`.")
        let line = FailureReport(error, in: [], flags: []).line
        #expect(line == "There is no client app. See `walletauth client list`.")
        #expect(answer.lines == [line])
    }

    @Test("Several faults of a configuration are causes, each with its remedy; the only one is the failure itself")
    func faults() throws {
        let faults = [Fault("no issuer is configured", "Set one"), Fault("port is not a number", "Use 1 to 65535")]
        let several = try Self.document(FaultyConfiguration(faults: faults))
        #expect(several["code"] as? String == "invalid_configuration")
        let causes = try #require(several["causes"] as? [[String: String]])
        #expect(causes.map { $0["message"] } == faults.map(\.problem))
        #expect(causes.map { $0["hint"] } == faults.map(\.remedy))
        let one = try Self.document(FaultyConfiguration(faults: [faults[0]]))
        #expect(one["message"] as? String == "no issuer is configured")
        #expect(one["hint"] as? String == "Set one")
        #expect(one["causes"] == nil)
    }

    @Test("A failure of the database has the store's code, and any other error a code of its own")
    func otherErrors() throws {
        #expect(try Self.document(StoreError(.full, "the disk is full"))["code"] as? String == "full")
        #expect(try Self.document(OlderDatabase(description: "older"))["code"] as? String == "older_database")
        #expect(try Self.document(CancellationError())["code"] as? String == "internal_error")
    }

    @Test("A script asks for JSON by --json, but not after `--`")
    func request() {
        #expect(FailureDocument.isRequested(by: ["client", "show", "app", "--json"]))
        #expect(!FailureDocument.isRequested(by: ["account", "show", "--", "--json"]))
        #expect(!FailureDocument.isRequested(by: ["client", "list"]))
    }
}
