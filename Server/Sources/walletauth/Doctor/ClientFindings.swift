import AuthAdministration
import AuthStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Checks the registration of clients.
enum ClientFindings {
    /// - Parameter database: a database that no server uses, with the current schema.
    static func of(_ database: any Database) async throws -> [Finding] {
        try await ClientWarning.reports(of: database).flatMap(findings)
    }

    /// The findings of the running server.
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
