internal import AuthFlows
internal import Foundation
internal import WalletAuthWire

/// An app's developer account at Apple, as the operator described it.
struct AppleSettings: Codable, Sendable, Hashable {
    /// Apple's own service, the only one in production.
    static let appleBase = "https://appleid.apple.com"

    /// The service's URL, which is its issuer too.
    var base: String
    /// The bundle ids of the apps, and the Services ID.
    var clientIDs: [String]
    /// The id of the private key.
    var keyID: String
    /// The client of hosted pages, one of ``clientIDs``; `nil` if there is none.
    var servicesID: String?
    /// The team, within which people's identifiers mean something.
    var teamID: String

    /// The paths of the service.
    enum Endpoint: String {
        case authorize = "/auth/authorize"
        case token = "/auth/token"
        case keys = "/auth/keys"
        case revoke = "/auth/revoke"
        case migration = "/auth/usermigrationinfo"
    }

    func url(_ endpoint: Endpoint) -> String { base + endpoint.rawValue }

    /// The scope of subjects: each team knows a person by another identifier.
    var namespace: String { "\(base)\0\(teamID)" }

    /// The client of a native code that comes without an identity token.
    var firstBundleID: String? { clientIDs.first { $0 != servicesID } }

    /// Which addresses may be connected to.
    func reach(in environment: ServerSettings.Environment) -> ProviderHTTP.Reach {
        .outside(to: (try? WebURL(base))?.host ?? "", in: environment)
    }

    /// The settings as they are stored: the same settings always give the same bytes.
    func encoded() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}
