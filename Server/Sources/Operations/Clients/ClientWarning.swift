internal import Kernel
package import Store
internal import WalletAuthWire

/// A setting of a client that costs security. The operator should know.
package enum ClientWarning: String, Sendable, Codable, CaseIterable {
    /// A first-party app may use bearer tokens.
    case bearerTokens = "bearer_tokens"
    /// A backend relays passwords.
    case guestPasswords = "guest_passwords"
    /// A confidential client may leave PKCE out.
    case withoutPKCE = "without_pkce"
    /// An app enrolls devices without an attestation, and another app of its brand requires one.
    case unattestedDevices = "unattested_devices"
    /// A client without an app that could attest itself enrolls devices, and an app of its brand requires an attestation.
    case unattestableDevices = "unattestable_devices"
    /// An app requires an attestation, and another app of its brand does not.
    case undercutAttestation = "undercut_attestation"

    /// The risk, in one line.
    package var text: String {
        switch self {
        case .bearerTokens:
            "the app accepts bearer tokens, so a copied refresh token renews its session until the app itself does"
        case .guestPasswords:
            "the client's backend sees people's passwords, and a second factor cannot be asked for there"
        case .withoutPKCE:
            "its authorization requests may lack PKCE, so only the client's check of the nonce keeps out a stolen code"
        case .unattestedDevices:
            "its devices need no attestation, and approve payments like those of the brand's app that requires one"
        case .unattestableDevices:
            "it has no app that could attest itself, and its devices approve payments like those of the brand's app that does"
        case .undercutAttestation:
            "another app of its brand enrolls devices without an attestation, and these approve payments too"
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
        case .withoutPKCE:
            "Once its library sends code_challenge: walletauth client update \(CommandLineSyntax.quoted(client))"
                + " --require-pkce"
        case .unattestedDevices:
            "Once every version in use attests itself: walletauth client update \(CommandLineSyntax.quoted(client))"
                + " --attest required"
        case .unattestableDevices:
            "If it has an app: walletauth client update \(CommandLineSyntax.quoted(client)) --attest required, with "
                + "--add-apple-app-id or --add-android-app. If no one needs it: walletauth client delete "
                + CommandLineSyntax.quoted(client)
        case .undercutAttestation:
            "Require one there too: it has the warning \(Self.unattestedDevices.rawValue) or "
                + "\(Self.unattestableDevices.rawValue) in walletauth client list --json"
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
        let own = try await database.read { try Clients.ownApps(on: $0) }
        while true {
            let last = reports.last?.clientID ?? ""
            let page = try await database.read { try Clients.list(after: last, limit: 1_000, on: $0) }
            guard !page.isEmpty else { return reports }
            reports += try page.map {
                Report(clientID: $0.id, warnings: try RegisteredClient($0).warnings(among: own))
            }
        }
    }
}

extension ClientRegistration {
    /// The id of the client that the sandbox's test sign-in uses.
    package static let sandboxSignInID = "sandbox-sign-in"
}

extension RegisteredClient {
    /// - Parameter own: the operator's own apps (``Clients/ownApps(on:)``).
    func warnings(among own: [RegisteredClient]) -> [ClientWarning] {
        var warnings: [ClientWarning] = []
        if isOwnApp, !requiresDPoP { warnings.append(.bearerTokens) }
        if mayUseGuestPasswords { warnings.append(.guestPasswords) }
        if mayOmitPKCE { warnings.append(.withoutPKCE) }
        if isOwnApp, own.contains(where: { isUnlike($0) }) {
            warnings.append(
                settings.attestation == .required
                    ? .undercutAttestation : settings.namesApps ? .unattestedDevices : .unattestableDevices)
        }
        return warnings
    }

    /// Whether it is on people's devices. The tokens of the sandbox's test sign-in stay in the server.
    private var isOwnApp: Bool {
        kind == .public && isFirstParty && id.rawValue != ClientRegistration.sandboxSignInID
    }

    /// Whether only one of two apps for the same accounts requires an attestation.
    private func isUnlike(_ other: RegisteredClient) -> Bool {
        other.id != id && other.isOwnApp && (brand == nil || other.brand == nil || brand == other.brand)
            && (settings.attestation == .required) != (other.settings.attestation == .required)
    }
}
