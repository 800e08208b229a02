internal import Kernel
package import Store
internal import WalletAuthWire

/// A setting of a client that costs security. The operator should know.
package enum ClientWarning: String, Sendable, Codable, CaseIterable {
    /// A first-party app may use bearer tokens.
    case bearerTokens = "bearer_tokens"
    /// A backend relays passwords.
    case guestPasswords = "guest_passwords"

    /// The risk, in one line.
    package var text: String {
        switch self {
        case .bearerTokens:
            "the app accepts bearer tokens, so a copied refresh token renews its session until the app itself does"
        case .guestPasswords:
            "the client's backend sees people's passwords, and a second factor cannot be asked for there"
        }
    }

    /// The remedy, in one line.
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
    /// A client with its warnings.
    package struct Report: Sendable, Hashable, Codable {
        package var clientID: String
        /// Absent if there are none.
        package var warnings: [ClientWarning]?

        private enum CodingKeys: String, CodingKey {
            case clientID = "clientId"
            case warnings
        }
    }

    /// Reports on all clients of a database, whose schema has to be up to date.
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

extension ClientRegistration {
    /// The id of the client that the sandbox's test sign-in uses.
    package static let sandboxSignInID = "sandbox-sign-in"
}

extension RegisteredClient {
    var warnings: [ClientWarning] {
        var warnings: [ClientWarning] = []
        // The tokens of the test sign-in stay in the server.
        if kind == .public, isFirstParty, !requiresDPoP, id.rawValue != ClientRegistration.sandboxSignInID {
            warnings.append(.bearerTokens)
        }
        if mayUseGuestPasswords { warnings.append(.guestPasswords) }
        return warnings
    }
}
