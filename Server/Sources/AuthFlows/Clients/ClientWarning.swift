package import AuthStore

/// What an operator decided about a client and should know the price of.
package enum ClientWarning: String, Sendable, Codable, CaseIterable {
    /// A first-party app that may use bearer tokens.
    case bearerTokens = "bearer_tokens"
    /// A backend that passes passwords on.
    case guestPasswords = "guest_passwords"

    /// What is wrong, in one line.
    package var text: String {
        switch self {
        case .bearerTokens:
            "the app accepts bearer tokens, so a copied refresh token renews its session until the app itself does"
        case .guestPasswords:
            "the client's backend sees people's passwords, and a second factor cannot be asked for there"
        }
    }

    /// What to do, in one line.
    /// - Parameter client: the client's id.
    package func remedy(for client: String) -> String {
        switch self {
        case .bearerTokens:
            "Once every version in use sends DPoP proofs: walletauth client update \(CommandLineSyntax.quoted(client))"
                + " --require-dpop"
        case .guestPasswords:
            "Once its apps sign in by themselves: walletauth client update \(CommandLineSyntax.quoted(client))"
                + " --no-guest-passwords"
        }
    }
}

extension ClientWarning {
    /// A client and what an operator should know of it.
    package struct Report: Sendable, Hashable, Codable {
        /// The client's id.
        package var clientID: String
        /// Absent where there is nothing to say.
        package var warnings: [ClientWarning]?

        private enum CodingKeys: String, CodingKey {
            case clientID = "clientId"
            case warnings
        }
    }

    /// All clients of a database.
    /// - Parameter database: its schema has to be up to date.
    /// - Throws: ``StoreError``.
    package static func reports(of database: any Database) async throws -> [Report] {
        var reports: [Report] = []
        while true {
            let last = reports.last?.clientID ?? ""
            let page = try await database.read { try Clients.list(after: last, limit: 1_000, on: $0) }
            guard !page.isEmpty else { return reports }
            reports += try page.map { Report(clientID: $0.id, warnings: try RegisteredClient($0).warnings) }
        }
    }
}

extension RegisteredClient {
    /// What an operator should know of it.
    var warnings: [ClientWarning] {
        var warnings: [ClientWarning] = []
        if kind == .public, isFirstParty, !requiresDPoP { warnings.append(.bearerTokens) }
        if mayBringGuestPasswords { warnings.append(.guestPasswords) }
        return warnings
    }
}
