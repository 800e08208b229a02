import Foundation
import WalletAuthWire

/// Finds out what the authorization server offers, at any server that follows RFC 8414 or OpenID Connect Discovery.
final class ServerDiscovery: Sendable {
    /// What the SDK uses of the metadata. Every URL was checked: https, or http on loopback in the sandbox.
    struct Metadata: Sendable {
        var authorizationURL: URL?
        var tokenURL: URL
        var challengeURL: URL?
        var revocationURL: URL?
        var userInfoURL: URL?
        /// Whether the server takes DPoP proofs by ES256.
        var offersDPoP: Bool
        /// Whether every callback bears `iss` (RFC 9207).
        var promisesIssuer: Bool
    }

    private struct Found: Sendable {
        var metadata: Metadata
        var at: Duration
    }

    /// How long an answer is good. A server that moves an endpoint keeps the old one for longer than that.
    static let lifetime = Duration.seconds(3600)

    private let issuer: Issuer
    private let environment: Wallet.Environment
    private let server: ServerConnection
    private let found = Protected<Found?>(nil)
    private let flight = SingleFlight<Metadata>(.outlivesItsCallers)

    init(issuer: Issuer, environment: Wallet.Environment, server: ServerConnection) {
        self.issuer = issuer
        self.environment = environment
        self.server = server
    }

    /// The server's metadata, fetched when it is not known or old.
    func metadata() async throws -> Metadata {
        let now = server.time.uptime()
        if let found = found.withLock({ $0 }), now - found.at < Self.lifetime { return found.metadata }
        do {
            return try await flight.run { [self] in
                let metadata = try await fetch()
                found.withLock { $0 = Found(metadata: metadata, at: server.time.uptime()) }
                return metadata
            }
        } catch {
            // What was good an hour ago is a better guess than nothing.
            if let found = found.withLock({ $0 }) { return found.metadata }
            throw error
        }
    }

    /// What is known without asking.
    var known: Metadata? { found.withLock { $0?.metadata } }

    private func fetch() async throws -> Metadata {
        if let object = try await document(issuer.oauthMetadataURL) { return try read(object) }
        if let object = try await document(issuer.openIDConfigurationURL) { return try read(object) }
        throw misconfigured("the issuer serves neither RFC 8414 nor OpenID Connect metadata")
    }

    /// One of the two documents, or nil when the server does not have it.
    private func document(_ text: String) async throws -> JSONObject? {
        guard let url = URL(string: text) else { throw misconfigured("the issuer is no URL") }
        let answer = try await server.send(ServerConnection.Call(method: "GET", url: url, policy: .idempotent))
        if answer.isSuccess { return try answer.object() }
        guard answer.isTemporaryFailure else { return nil }
        throw answer.failure(during: .setUp)
    }

    private func read(_ object: JSONObject) throws -> Metadata {
        // To the letter (RFC 8414 §3.3): otherwise one server could pass for another.
        guard object["issuer"]?.string == issuer.rawValue else {
            throw WalletError(
                .issuerMismatch, .misconfigured, during: .setUp, reachedServer: true,
                reason: object["issuer"]?.string.map {
                    "the server calls itself \($0.prefix(200)): configure that issuer"
                }
                    ?? "the metadata names no issuer")
        }
        let told = try ServerMetadata(object, of: issuer)
        guard let tokenURL = try url("token_endpoint", told.tokenEndpoint) else {
            throw misconfigured("the metadata has no token endpoint")
        }
        guard told.codeChallengeMethods.isEmpty || told.codeChallengeMethods.contains(CodeChallenge.method) else {
            throw misconfigured("the server does not take PKCE with S256")
        }
        return Metadata(
            authorizationURL: try url("authorization_endpoint", told.authorizationEndpoint), tokenURL: tokenURL,
            challengeURL: try url("authorization_challenge_endpoint", told.authorizationChallengeEndpoint),
            revocationURL: try url("revocation_endpoint", told.revocationEndpoint),
            userInfoURL: try url("userinfo_endpoint", told.userInfoEndpoint), offersDPoP: told.offersDPoP,
            promisesIssuer: told.namesIssuerInResponses)
    }

    private func url(_ name: String, _ told: WebURL?) throws -> URL? {
        guard let told else { return nil }
        guard let url = URL(string: told.rawValue), environment.allows(url) else {
            throw misconfigured("\(name) is not a URL that may be used in this environment")
        }
        return url
    }

    private func misconfigured(_ reason: String) -> WalletError {
        WalletError(.unsupportedByServer, .misconfigured, during: .setUp, reachedServer: true, reason: reason)
    }
}

extension Wallet.Environment {
    /// Whether something that matters may be sent there: https, or http to this very device in the sandbox.
    func allows(_ url: URL) -> Bool {
        guard url.user() == nil, url.password() == nil, url.host() != nil else { return false }
        switch (url.scheme?.lowercased(), self) {
        case ("https", _): return true
        case ("http", .sandbox): return url.isLoopback
        default: return false
        }
    }
}
