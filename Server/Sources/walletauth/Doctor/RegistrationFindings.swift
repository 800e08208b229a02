import HTTP
import Kernel
import Operations
import SignIn
import Store
import WalletAuthWire

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
        let answer = try await server.answer(to: ["client", "list"])
        guard answer.status == .done else { throw AdminClient.Unreachable.failed(answer.lines.joined(separator: " ")) }
        return try JSONDecoder().decode(Answer.self, from: Data(answer.json.utf8)).clients.flatMap(findings)
    }

    private static func findings(_ report: ClientWarning.Report) -> [Finding] {
        (report.warnings ?? []).map { warning in
            .warn("clients", "\(report.clientID): \(warning.text)", warning.remedy(for: report.clientID))
        }
    }
}

/// Checks for unusable passkeys. A browser offers a passkey only to the domain it was created for.
enum PasskeyFindings {
    /// - Parameters:
    ///   - database: a database that no server uses, with the current schema.
    ///   - recorded: the issuer in the database; nil if it was never served and so has no passkeys.
    static func of(_ database: any Database, recorded: String?) async throws -> [Finding] {
        guard let issuer = recorded.flatMap({ try? Issuer($0) }) else { return [] }
        return try await PasskeyProbe.reports(of: database, under: issuer).map(finding)
    }

    /// The findings of the running server, under its own issuer.
    static func of(_ server: AdminClient) async throws -> [Finding] {
        struct Answer: Decodable {
            var formerDomains: [PasskeyProbe.Report]
        }
        let answer = try await server.answer(to: ["passkey", "examine"])
        guard answer.status == .done else { throw AdminClient.Unreachable.failed(answer.lines.joined(separator: " ")) }
        return try JSONDecoder().decode(Answer.self, from: Data(answer.json.utf8)).formerDomains.map(finding)
    }

    private static func finding(_ report: PasskeyProbe.Report) -> Finding {
        .warn(
            "passkeys",
            "passkeys for \(report.relyingParty), a former domain of this server, no longer work (passkeys: "
                + "\(report.passkeys), accounts: \(report.accounts))",
            "Ask their owners to sign in another way and add new ones at \(Endpoints.accountPage.path); "
                + "`walletauth passkey remove` removes the old ones")
    }
}

/// Checks that people can sign in with the registered identity providers, by requesting each provider's metadata.
enum ProviderFindings {
    /// - Parameter database: a database that no server uses, with the current schema.
    static func of(_ database: any Database, _ configuration: ServerConfiguration) async throws -> [Finding] {
        let probe = ProviderProbe(
            environment: configuration.environment, vendors: Features.vendors, now: SystemClock().now())
        return try await probe.reports(of: database).flatMap(findings)
    }

    /// The findings of the running server, which may reach providers that this machine's user cannot.
    static func of(_ server: AdminClient) async throws -> [Finding] {
        struct Answer: Decodable {
            var providers: [ProviderProbe.Report]
        }
        let answer = try await server.answer(to: ["provider", "examine"])
        guard answer.status == .done else { throw AdminClient.Unreachable.failed(answer.lines.joined(separator: " ")) }
        return try JSONDecoder().decode(Answer.self, from: Data(answer.json.utf8)).providers.flatMap(findings)
    }

    private static func findings(_ report: ProviderProbe.Report) -> [Finding] {
        let name = "\(report.id) of the brand \(report.brand)"
        if let day = report.adoptionEnded {
            return [.warn("provider", "\(name): \(ProviderProbe.adoptionEnded(day))", ProviderProbe.adoptionRemedy)]
        }
        guard report.emailIsSecondFactor else { return [finding(report)] }
        let words = "\(name): \(ProviderProbe.emailFactorRisk)"
        return [finding(report), .warn("provider", words, ProviderProbe.emailFactorRemedy)]
    }

    private static func finding(_ report: ProviderProbe.Report) -> Finding {
        let name = "\(report.id) of the brand \(report.brand), \(report.place),"
        guard !report.problems.isEmpty else { return .ok("provider", "\(name) responds as configured") }
        return .fail(
            "provider", "\(name) \(report.problems.joined(separator: "; "))",
            "Fix the provider or the connection, or register it again: walletauth provider remove, then add")
    }
}
