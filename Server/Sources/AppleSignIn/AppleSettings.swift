internal import AuthFlows
internal import Foundation
internal import WalletAuthWire

/// How an app's developer account at Apple is set up, as the operator said it.
struct AppleSettings: Codable, Sendable, Hashable {
    /// Apple's own service. In production there is no other.
    static let appleBase = "https://appleid.apple.com"

    /// Where the service is; also its issuer.
    var base: String
    /// The bundle ids of the apps, and the Services ID.
    var clientIDs: [String]
    /// Which of the team's keys the private key is.
    var keyID: String
    /// The client of hosted pages; `nil` where there is none. It is one of ``clientIDs``.
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

    /// Whose subjects these are: Apple gives one person another identifier for each team.
    var namespace: String { "\(base)\0\(teamID)" }

    /// The client that a native code is for, where no identity token says it.
    var firstBundleID: String? { clientIDs.first { $0 != servicesID } }

    /// Which addresses may be connected to.
    func reach(in environment: ServerSettings.Environment) -> ProviderHTTP.Reach {
        .outside(to: (try? WebURL(base))?.host ?? "", in: environment)
    }

    /// The settings as they are stored: the same bytes whenever they are written.
    func encoded() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}
