import AuthAdministration
import AuthCredentials
import AuthStore
import WalletAuthWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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
        let answer = try await server.answer(to: .passkey(.examine))
        guard answer.status == .done else { throw AdminClient.Unreachable.failed(answer.lines.joined(separator: " ")) }
        return try JSONDecoder().decode(Answer.self, from: Data(answer.json.utf8)).formerDomains.map(finding)
    }

    private static func finding(_ report: PasskeyProbe.Report) -> Finding {
        .warn(
            "passkeys",
            "passkeys for \(report.relyingParty), a former domain of this server, no longer work (passkeys: "
                + "\(report.passkeys), accounts: \(report.accounts))",
            "Ask their holders to sign in another way and add new ones at \(Endpoints.accountSecurity.path); "
                + "`walletauth passkey remove` removes the old ones")
    }
}
