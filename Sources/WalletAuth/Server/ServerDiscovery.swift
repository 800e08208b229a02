import Foundation
import WalletAuthTransport
import WalletAuthWire

/// Discovers what the authorization server supports (RFC 8414 or OpenID Connect Discovery).
struct ServerDiscovery: Sendable {
    /// The metadata that the SDK uses. Every URL was checked: https, or http on loopback in the sandbox.
    struct Metadata: Sendable {
        var authorizationURL: URL?
        /// The fault of the authorization endpoint, if the metadata names one that cannot be used.
        var authorizationFault: String?
        var tokenURL: URL
        var challengeURL: URL?
        var revocationURL: URL?
        var userInfoURL: URL?
        /// Whether the server accepts DPoP proofs with ES256.
        var offersDPoP: Bool
        /// Whether every callback carries `iss` (RFC 9207).
        var promisesIssuer: Bool
        /// Whether a refresh may be repeated at any time, because the server recognizes it by its attempt. Only this
        /// project's server promises that.
        var keepsRefreshAttempts: Bool
        /// The supported values of `prompt`; empty if the server does not say.
        var promptValues: [String]
        /// Whether this came from the second location while the first failed. Features it omits may still exist.
        var isProvisional = false
    }

    private struct Found: Sendable {
        var metadata: Metadata
        var at: Duration
    }

    /// How long metadata is valid. A server that moves an endpoint keeps the old one for longer than that.
    static let lifetime = Duration.seconds(3600)

    let issuer: Issuer
    let environment: Wallet.Environment
    let exchange: Exchange
    private let found = LockedValue<Found?>(nil)
    private let flight = SingleFlight<Metadata>(.outlivesItsCallers)

    /// Returns the server's metadata; fetches it if it is unknown, old or provisional.
    func metadata() async throws -> Metadata {
        let now = exchange.time.uptime()
        if let found = found.withLock({ $0 }), !found.metadata.isProvisional, now - found.at < Self.lifetime {
            return found.metadata
        }
        do {
            return try await flight.run { [self] in keep(try await fetch()) }
        } catch {
            // An hour-old answer is a better guess than none.
            if let found = found.withLock({ $0 }) { return found.metadata }
            throw error
        }
    }

    /// Stores fetched metadata. A provisional document never replaces a complete one: a momentary failure must not
    /// weaken later decisions.
    private func keep(_ metadata: Metadata) -> Metadata {
        let now = exchange.time.uptime()
        let kept = found.withLock { found in
            if metadata.isProvisional, let former = found, !former.metadata.isProvisional { return former.metadata }
            found = Found(metadata: metadata, at: now)
            return metadata
        }
        exchange.isOwnKind.withLock { $0 = kept.keepsRefreshAttempts }
        return kept
    }

    /// The metadata known without a request.
    var known: Metadata? { found.withLock { $0?.metadata } }

    /// The result of one of the two well-known locations.
    private enum Finding {
        case document(JSONObject)
        /// Nothing usable; the text is the end of a sentence that begins with the location's URL.
        case nothing(String)
        case anotherIssuer(String?)
        case unavailable(String, WalletError)
    }

    /// Asks both locations, because either may be a front end that answers anything. Only a document that names exactly
    /// this issuer counts (RFC 8414 §3.3).
    private func fetch() async throws -> Metadata {
        // If there is metadata to fall back on, the next call tries again.
        let policy = known == nil ? RetryPolicy.idempotent : .once
        var findings: [Finding] = []
        var texts: [String] = []
        for text in [issuer.oauthMetadataURL, issuer.openIDConfigurationURL] {
            guard let url = URL(string: text) else { throw misconfigured("the issuer is not a URL") }
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
        let answer = try await exchange.send(HTTPRequest(url, method: "GET"), policy: policy)
        guard answer.isSuccess else {
            let what = "returned \(answer.status)"
            if answer.isTemporaryFailure { return .unavailable(what, answer.failure(during: .setUp)) }
            guard let redirect = answer.redirect else { return .nothing(what) }
            return .nothing("\(what), a redirect to \(redirect): configure the issuer at that address")
        }
        guard let object = try? answer.object() else {
            return .nothing("returned \(answer.status) with \(answer.bodyInWords)")
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
                reason: "the server calls itself \(name): configure that issuer")
        }
        return misconfigured("the issuer serves neither RFC 8414 nor OpenID Connect metadata: \(text)")
    }

    /// The required members, and those that decide something. Of the others, an unusable one counts as missing.
    private static let decisive: Set<String> = [
        "token_endpoint", "code_challenge_methods_supported", "authorization_response_iss_parameter_supported",
    ]

    private func read(_ object: JSONObject, at place: URL) throws -> Metadata {
        let metadata: ServerMetadata
        do { metadata = try ServerMetadata(object, of: issuer, reading: Self.decisive) } catch {
            throw misconfigured("\(place.absoluteString): \(error)")
        }
        guard let endpoint = metadata.tokenEndpoint else {
            throw misconfigured("\(place.absoluteString) has no token endpoint")
        }
        guard let tokenURL = usable(endpoint) else {
            throw misconfigured(Self.fault(of: "token_endpoint", in: object, at: place))
        }
        guard metadata.codeChallengeMethods.isEmpty || metadata.codeChallengeMethods.contains(CodeChallenge.method)
        else {
            throw misconfigured("\(place.absoluteString): the server does not support PKCE with S256")
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
            promisesIssuer: metadata.namesIssuerInResponses, keepsRefreshAttempts: metadata.keepsRefreshAttempts,
            promptValues: object["prompt_values_supported"]?.strings ?? [])
    }

    private static func fault(of name: String, in object: JSONObject, at place: URL) -> String {
        let named = (object[name]?.string).map { " (\(String($0.asServerWords.prefix(200))))" } ?? ""
        return "\(place.absoluteString): \(name)\(named) is not a URL that may be used in this environment"
    }

    private func usable(_ url: WebURL) -> URL? {
        URL(string: url.rawValue).flatMap { environment.allows($0) ? $0 : nil }
    }

    private func misconfigured(_ reason: String) -> WalletError {
        WalletError(.unsupportedByServer, .misconfigured, during: .setUp, reachedServer: true, reason: reason)
    }
}
