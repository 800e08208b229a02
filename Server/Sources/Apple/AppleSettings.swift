internal import Core
internal import Foundation
internal import Kernel
internal import WalletAuthWire

/// An app's developer account at Apple, as the operator registered it.
struct AppleSettings: Codable, Sendable, Hashable {
    /// Apple's own service, the only one in production.
    static let appleBase = "https://appleid.apple.com"
    static let mostClients = 20

    /// The service's URL, which is also its issuer.
    var base: String
    /// The bundle IDs of the apps, and the Services ID.
    var clientIDs: [String]
    var keyID: String
    /// The client of hosted pages, one of ``clientIDs``; `nil` if there is none.
    var servicesID: String?
    /// The team, which is the scope of people's identifiers.
    var teamID: String

    enum Endpoint: String {
        case authorize = "/auth/authorize"
        case token = "/auth/token"
        case keys = "/auth/keys"
        case revoke = "/auth/revoke"
        case migration = "/auth/usermigrationinfo"
    }

    func url(_ endpoint: Endpoint) -> String { Self.url(endpoint, at: base) }

    static func url(_ endpoint: Endpoint, at base: String) -> String { base + endpoint.rawValue }

    /// The scope of subjects: each team knows a person by another identifier.
    var namespace: String { "\(base)\0\(teamID)" }

    /// The client of a native code that comes without an identity token.
    var firstBundleID: String? { clientIDs.first { $0 != servicesID } }

    /// The addresses that may be connected to.
    func reach(in environment: ServerSettings.Environment) -> ProviderHTTP.Reach {
        Self.reach(to: base, in: environment)
    }

    static func reach(to base: String, in environment: ServerSettings.Environment) -> ProviderHTTP.Reach {
        .outside(to: (try? WebURL(base))?.host ?? "", in: environment)
    }

    /// The stored form: the same settings always give the same bytes.
    func encoded() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}

/// The server's client secret at Apple: a JWT that it signs for one request and never stores.
struct AppleClientSecret {
    /// Apple accepts six months. A secret that leaks from a log or a proxy should be useful for minutes only.
    static let lifetime = Duration.minutes(5)

    let settings: AppleSettings
    let key: ApplePrivateKey

    /// - Parameter clientID: the bundle ID or Services ID that the request is for.
    /// - Throws: the library's error.
    func text(for clientID: String, now: Timestamp) throws -> String {
        let issuedAt = NumericDate(clamping: now.seconds)
        var claims = JSONObject()
        claims.set("iss", settings.teamID)
        claims.set("iat", issuedAt)
        claims.set("exp", issuedAt.advanced(by: Self.lifetime))
        claims.set("aud", settings.base)
        claims.set("sub", clientID)
        let signer = key.signer(keyID: settings.keyID)
        return try CompactJWSEncoder(signer: signer, type: nil).encode(claims.bytes, signer: signer)
    }
}
