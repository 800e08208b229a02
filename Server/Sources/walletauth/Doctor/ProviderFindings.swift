import AuthFlows
import AuthStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Whether people could sign in by the identity providers that were added: each is asked what it publishes of itself.
enum ProviderFindings {
    /// - Parameter database: no server runs on it, and its schema is up to date.
    static func of(_ database: any Database, _ configuration: ServerConfiguration) async throws -> [Finding] {
        let probe = ProviderProbe(
            environment: configuration.environment, vendors: OpenedServer.vendors, now: SystemClock().now())
        return try await probe.reports(of: database).flatMap(findings)
    }

    /// Those of the server that runs: it is asked, since it may be reached from it what is not from here.
    static func of(_ server: AdminClient) async throws -> [Finding] {
        struct Answer: Decodable {
            var providers: [ProviderProbe.Report]
        }
        let answer = try await server.answer(to: .provider(.examine))
        guard answer.status == .done else { throw AdminClient.Unreachable.failed(answer.lines.joined(separator: " ")) }
        return try JSONDecoder().decode(Answer.self, from: Data(answer.json.utf8)).providers.flatMap(findings)
    }

    private static func findings(_ report: ProviderProbe.Report) -> [Finding] {
        guard report.countsEmail else { return [finding(report)] }
        let words = "\(report.id) of the brand \(report.brand): \(ProviderProbe.emailCounts)"
        return [finding(report), .warn("provider", words, ProviderProbe.emailCountsRemedy)]
    }

    private static func finding(_ report: ProviderProbe.Report) -> Finding {
        let name = "\(report.id) of the brand \(report.brand), \(report.place),"
        guard !report.problems.isEmpty else { return .ok("provider", "\(name) answers as configured") }
        return .fail(
            "provider", "\(name) \(report.problems.joined(separator: "; "))",
            "Fix it, the connection, or its registration: walletauth provider remove, then add")
    }
}
