import Foundation
import WalletAuthWire

/// Finds out what the authorization server offers, at any server that follows RFC 8414 or OpenID Connect Discovery.
final class ServerDiscovery: Sendable {
    /// What the SDK uses of the metadata. Every URL was checked: https, or http on loopback in the sandbox.
    struct Metadata: Sendable {
        var authorizationURL: URL?
        /// What is wrong with the authorization endpoint, where the metadata names one that cannot be used.
        var authorizationFault: String?
        var tokenURL: URL
        var challengeURL: URL?
        var revocationURL: URL?
        var userInfoURL: URL?
        /// Whether the server takes DPoP proofs by ES256.
        var offersDPoP: Bool
        /// Whether every callback bears `iss` (RFC 9207).
        var promisesIssuer: Bool
        /// Whether a refresh may be repeated whenever: the server knows it by its attempt. Only this project's own says so.
        var keepsRefreshAttempts: Bool
        /// The values of `prompt` that the server takes; empty where it does not say.
        var promptValues: [String]
        /// Whether it is the second place's word while the first was in trouble. What it leaves out may be offered all the same.
        var isProvisional = false
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

    /// The server's metadata, fetched when it is not known, old or provisional.
    func metadata() async throws -> Metadata {
        let now = server.time.uptime()
        if let found = found.withLock({ $0 }), !found.metadata.isProvisional, now - found.at < Self.lifetime {
            return found.metadata
        }
        do {
            return try await flight.run { [self] in keep(try await fetch()) }
        } catch {
            // What was good an hour ago is a better guess than nothing.
            if let found = found.withLock({ $0 }) { return found.metadata }
            throw error
        }
    }

    /// Keeps what was fetched. What is provisional takes no place of what the server said in full: trouble of the moment must not
    /// have anything decided less strictly than before.
    private func keep(_ metadata: Metadata) -> Metadata {
        let now = server.time.uptime()
        let kept = found.withLock { found in
            if metadata.isProvisional, let former = found, !former.metadata.isProvisional { return former.metadata }
            found = Found(metadata: metadata, at: now)
            return metadata
        }
        server.isOwnKind.withLock { $0 = kept.keepsRefreshAttempts }
        return kept
    }

    /// What is known without asking.
    var known: Metadata? { found.withLock { $0?.metadata } }

    /// What one of the two well-known places had.
    private enum Finding {
        case document(JSONObject)
        /// Nothing to go by; the text is the end of a sentence that begins with the place's URL.
        case nothing(String)
        case anotherIssuer(String?)
        case unavailable(String, WalletError)
    }

    /// Asks both places, as either may be a front's that answers whatever it is asked. The first document that names this issuer
    /// to the letter (RFC 8414 §3.3) is the server's; no other counts.
    private func fetch() async throws -> Metadata {
        // Where something is known to go by, the next call asks again.
        let policy = known == nil ? RetryPolicy.idempotent : .once
        var findings: [Finding] = []
        var texts: [String] = []
        for text in [issuer.oauthMetadataURL, issuer.openIDConfigurationURL] {
            guard let url = URL(string: text) else { throw misconfigured("the issuer is no URL") }
            let finding = try await look(at: url, policy)
            switch finding {
            case .document(let object):
                var metadata = try read(object, at: url)
                metadata.isProvisional = findings.contains { if case .unavailable = $0 { true } else { false } }
                return metadata
            case .nothing(let what), .unavailable(let what, _): texts.append("\(text) \(what)")
            case .anotherIssuer(let name):
                texts.append("\(text) \(name.map { "names the issuer \($0)" } ?? "names no issuer")")
            }
            findings.append(finding)
        }
        throw failure(findings, texts.joined(separator: "; "))
    }

    private func look(at url: URL, _ policy: RetryPolicy) async throws -> Finding {
        let answer = try await server.send(ServerConnection.Call(method: "GET", url: url, policy: policy))
        guard answer.isSuccess else {
            let what = "answered \(answer.status)"
            if answer.isTemporaryFailure { return .unavailable(what, answer.failure(during: .setUp)) }
            guard let redirect = answer.redirect else { return .nothing(what) }
            return .nothing("\(what), a redirect to \(redirect): configure the issuer that is there")
        }
        guard let object = try? answer.object() else {
            return .nothing("answered \(answer.status) with \(answer.bodyInWords)")
        }
        guard object["issuer"]?.string == issuer.rawValue else {
            return .anotherIssuer((object["issuer"]?.string).map { String($0.asServerWords.prefix(200)) })
        }
        return .document(object)
    }

    private func failure(_ findings: [Finding], _ text: String) -> WalletError {
        for case .unavailable(_, let error) in findings {
            return WalletError(
                error.code, error.outcome, during: .setUp, statusCode: error.statusCode, reachedServer: true,
                traceID: error.traceID, answeredBy: error.answeredBy, reason: text)
        }
        for case .anotherIssuer(let name?) in findings {
            return WalletError(
                .issuerMismatch, .misconfigured, during: .setUp, reachedServer: true,
                reason: "the server calls itself \(name): configure that issuer (\(text))")
        }
        return misconfigured("the issuer serves neither RFC 8414 nor OpenID Connect metadata: \(text)")
    }

    /// The members that cannot be done without, or by which something is decided. Of the others, what cannot be used is not there.
    private static let decisive: Set<String> = [
        "token_endpoint", "code_challenge_methods_supported", "authorization_response_iss_parameter_supported",
    ]

    private func read(_ object: JSONObject, at place: URL) throws -> Metadata {
        let told: ServerMetadata
        do { told = try ServerMetadata(object, of: issuer, reading: Self.decisive) } catch {
            throw misconfigured("\(place.absoluteString): \(error)")
        }
        guard let endpoint = told.tokenEndpoint else {
            throw misconfigured("\(place.absoluteString) has no token endpoint")
        }
        guard let tokenURL = usable(endpoint) else {
            throw misconfigured(Self.fault(of: "token_endpoint", in: object, at: place))
        }
        guard told.codeChallengeMethods.isEmpty || told.codeChallengeMethods.contains(CodeChallenge.method) else {
            throw misconfigured("\(place.absoluteString): the server does not take PKCE with S256")
        }
        func optional(_ name: String) -> URL? {
            object[name]?.string.flatMap { try? WebURL($0, field: name) }.flatMap(usable)
        }
        let authorizationURL = optional("authorization_endpoint")
        let hasUnusable = authorizationURL == nil && object["authorization_endpoint"]?.string != nil
        return Metadata(
            authorizationURL: authorizationURL,
            authorizationFault: hasUnusable ? Self.fault(of: "authorization_endpoint", in: object, at: place) : nil,
            tokenURL: tokenURL, challengeURL: optional("authorization_challenge_endpoint"),
            revocationURL: optional("revocation_endpoint"), userInfoURL: optional("userinfo_endpoint"),
            offersDPoP: object["dpop_signing_alg_values_supported"]?.array?
                .contains(.string(SigningAlgorithm.es256.rawValue)) ?? false,
            promisesIssuer: told.namesIssuerInResponses, keepsRefreshAttempts: told.keepsRefreshAttempts,
            promptValues: object["prompt_values_supported"]?.strings ?? [])
    }

    private static func fault(of name: String, in object: JSONObject, at place: URL) -> String {
        let named = (object[name]?.string).map { " (\(String($0.asServerWords.prefix(200))))" } ?? ""
        return "\(place.absoluteString): \(name)\(named) is not a URL that may be used in this environment"
    }

    private func usable(_ told: WebURL) -> URL? {
        URL(string: told.rawValue).flatMap { environment.allows($0) ? $0 : nil }
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
