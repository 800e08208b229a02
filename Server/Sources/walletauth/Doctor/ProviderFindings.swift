import AuthAdministration
import AuthCredentials
import AuthFoundation
import AuthStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Checks that people can sign in with the registered identity providers, by requesting each provider's metadata.
enum ProviderFindings {
    /// - Parameter database: a database that no server uses, with the current schema.
    static func of(_ database: any Database, _ configuration: ServerConfiguration) async throws -> [Finding] {
        let probe = ProviderProbe(
            environment: configuration.environment, vendors: OpenedServer.vendors, now: SystemClock().now())
        return try await probe.reports(of: database).flatMap(findings)
    }

    /// The findings of the running server, which may reach providers that this machine's user cannot.
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
