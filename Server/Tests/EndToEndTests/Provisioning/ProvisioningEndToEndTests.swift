import Foundation
import Testing

/// `scim_check.py`: scim2-tester, which knows nothing of this server but what it says of itself.
@Suite("Provisioning by an independent client", .covers("SCIM 2.0 (RFC 7643, RFC 7644)"))
struct ProvisioningEndToEndTests {
    private struct Report: Decodable, Sendable {
        /// How often each check held, by its name, and by the type of resource and its name.
        let passed: [String: Int]
        let broken: [String]
        let secrets: [String]
    }

    @Test("scim2-tester, unmodified, finds nothing that does not hold")
    func conformance() async throws {
        try await withServer(["--scim", "true"]) { server in
            let client = try await server.makeConfidentialClient(scope: "scim scim_groups")
            let result = try await ChildProcess.run(
                Programs.python,
                [Programs.peers.appending(path: "scim_check.py").path, await server.issuer.absoluteString, client.id],
                folder: server.folder, input: "\(try #require(client.secret))\n", limit: Duration.patience * 4)
            let report = try #require(
                try? JSONDecoder().decode(Report.self, from: Data(result.output.utf8)),
                "it stopped: \(result.errors.suffix(3_000))")
            report.secrets.forEach(server.ledger.enter)
            for fault in report.broken { Issue.record("\(fault)") }
            for check in [
                "service_provider_config_endpoint", "query_all_schemas", "query_all_resource_types", "random_url",
                "object_creation", "object_query", "object_query_without_id", "object_query_with_attributes",
                "search_with_attributes", "object_replacement", "object_deletion",
            ] { #expect(report.passed[check] ?? 0 > 0, "\(check)") }
            // One for each attribute.
            for check in ["check_add_attribute", "check_remove_attribute", "check_replace_attribute"] {
                #expect(report.passed["User \(check)"] ?? 0 > 5, "\(check)")
                // The id of the client's own, and the members.
                #expect(report.passed["Group \(check)"] ?? 0 >= 2, "\(check)")
            }
        }
    }
}
