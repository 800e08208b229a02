import AuthFlows
import AuthStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Whether an operator should look at how a client is registered.
enum ClientFindings {
    /// - Parameter database: no server runs on it, and its schema is up to date.
    static func of(_ database: any Database) async throws -> [Finding] {
        try await ClientWarning.reports(of: database).flatMap(findings)
    }

    /// Those of the server that runs.
    static func of(_ server: AdminClient) async throws -> [Finding] {
        struct Answer: Decodable {
            var clients: [ClientWarning.Report]
        }
        let answer = try await server.answer(to: .client(.list))
        guard answer.status == .done else { throw AdminClient.Unreachable.failed(answer.lines.joined(separator: " ")) }
        return try JSONDecoder().decode(Answer.self, from: Data(answer.json.utf8)).clients.flatMap(findings)
    }

    private static func findings(_ report: ClientWarning.Report) -> [Finding] {
        (report.warnings ?? []).map { warning in
            .warn("clients", "\(report.clientID): \(warning.text)", warning.remedy(for: report.clientID))
        }
    }
}
