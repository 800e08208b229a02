import Foundation
import Testing

/// `openapi_check.py`: Schemathesis and openapi-spec-validator, which know nothing of this server but its description.
@Suite("The description of the endpoints", .covers("GET /openapi.json"))
struct OpenAPITests {
    @Test(
        "Schemathesis finds no answer that the description does not have, and none of 5xx", .onceForAllEngines)
    func conformance() async throws {
        try await withServer { server in
            let client = try await server.makeConfidentialClient(
                scope: "wallet_operations transactions login_nonces", options: ["--transactions-without-account"])
            let result = try await ChildProcess.run(
                Programs.python,
                [
                    Programs.peers.appending(path: "openapi_check.py").path, await server.issuer.absoluteString,
                    client.id,
                ], folder: server.folder, input: "\(try #require(client.secret))\n", limit: Duration.patience * 4)
            let report = try #require(
                try? JSONDecoder().decode(Report.self, from: Data(result.output.utf8)),
                "it stopped: \(result.errors.suffix(3_000))")
            for fault in report.broken { Issue.record("\(fault)") }
            #expect(report.asked.count > 40)
            #expect(report.asked.filter { $0.value == 0 }.isEmpty)
            #expect(report.asked["POST /v1/wallet-operations"] ?? 0 > 1)
            #expect(report.followed["getTransaction"] == 200)
            #expect(report.followed["cancelTransaction"] == 204)
        }
    }

    private struct Report: Decodable, Sendable {
        /// How many requests each operation got.
        let asked: [String: Int]
        /// What the links of a transaction led to, as the status of each operation.
        let followed: [String: Int]
        let broken: [String]
    }
}
