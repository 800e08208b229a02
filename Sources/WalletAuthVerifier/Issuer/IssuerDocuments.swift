internal import WalletAuthTransport
internal import WalletAuthWire

/// Fetches the documents that an issuer publishes: metadata (RFC 8414, or OpenID Connect Discovery), then keys (RFC
/// 7517).
struct IssuerDocuments: Sendable {
    /// A key set and its lifetime.
    struct KeyDocument: Sendable {
        var set: JWKSet
        var lifetime: Duration

        /// The keys' verifiers. RSA keys are skipped: they sign ID tokens, which a backend does not verify.
        var verifiers: [any JWSVerifier] { self.set.keys.compactMap { try? $0.verifier() } }
    }

    private struct Found: Sendable {
        var metadata: ServerMetadata
        var at: Duration
    }

    /// How long to use the metadata. A server that moves an endpoint keeps the old one for longer than that.
    private static let metadataLifetime = Duration.seconds(3600)

    let issuer: Issuer
    let settings: TrustedIssuer.Settings
    let transport: any BackendTransport
    let clock: any BackendClock
    private let found = LockedValue<Found?>(nil)
    private let discovery = SingleFlight<ServerMetadata>(.outlivesItsCallers)

    /// The server's metadata. It is fetched if it is missing or out of date; if that fails, the old metadata is used.
    func metadata() async throws -> ServerMetadata {
        if let found = found.withLock({ $0 }), clock.uptime() - found.at < Self.metadataLifetime {
            return found.metadata
        }
        do {
            return try await discovery.run { [self] in
                let metadata = try await discover()
                found.withLock { $0 = Found(metadata: metadata, at: clock.uptime()) }
                return metadata
            }
        } catch {
            if let found = found.withLock({ $0 }) { return found.metadata }
            throw error
        }
    }

    /// Fetches the server's keys.
    func keys() async throws -> KeyDocument {
        guard let url = try await metadata().keysURL else {
            throw IssuerUnavailable(reason: "the metadata names no jwks_uri")
        }
        do {
            let answer = try await get(url.rawValue)
            guard answer.status == 200 else {
                throw IssuerUnavailable(
                    reason: "the server responded to the request for its keys with status \(answer.status)")
            }
            let document = KeyDocument(
                set: try JWKSet(try JSONValue.object(parsing: answer.body)), lifetime: lifetime(of: answer))
            if document.verifiers.isEmpty { forgetMetadata() }
            return document
        } catch {
            forgetMetadata()
            throw error
        }
    }

    /// Drops the metadata, so that the next fetch looks up the keys' URL again.
    private func forgetMetadata() {
        found.withLock { $0?.at = clock.uptime() - Self.metadataLifetime }
    }

    private func discover() async throws -> ServerMetadata {
        for url in [issuer.oauthMetadataURL, issuer.openIDConfigurationURL] {
            let answer = try await get(url)
            guard answer.status == 200 else {
                // Only a "not found" leads to the other location. A failing server would fail there too.
                guard (400...499).contains(answer.status), answer.status != 429 else {
                    throw IssuerUnavailable(
                        reason: "the server responded to the request for its metadata with status \(answer.status)")
                }
                continue
            }
            let metadata = try ServerMetadata(
                try JSONValue.object(parsing: answer.body), of: issuer, reading: ["jwks_uri", "token_endpoint"])
            for endpoint in [metadata.keysURL, metadata.tokenEndpoint] {
                guard endpoint?.isInsecure != true || issuer.isInsecure else {
                    throw IssuerUnavailable(reason: "the metadata of an https issuer names an http URL")
                }
            }
            return metadata
        }
        throw IssuerUnavailable(reason: "the issuer serves neither RFC 8414 nor OpenID Connect metadata")
    }

    private func get(_ url: String) async throws -> OutboundResponse {
        do {
            return try await transport.send(
                OutboundRequest(
                    method: "GET", url: url, headers: [HeaderField("Accept", "application/json")],
                    timeout: settings.requestTimeout))
        } catch { throw OutboundFailure(error) }
    }

    /// `max-age` minus `Age` (RFC 9111 sections 4.2.3 and 5.2.2.1), within the limits of the settings.
    private func lifetime(of answer: OutboundResponse) -> Duration {
        let directives = (answer.header("Cache-Control") ?? "").lowercased().split(separator: ",").map {
            $0.trimmingPrefix(while: { $0 == " " })
        }
        var lifetime = settings.keyLifetime
        if directives.contains(where: { $0.hasPrefix("no-store") || $0.hasPrefix("no-cache") }) {
            lifetime = .zero
        } else if let directive = directives.first(where: { $0.hasPrefix("max-age=") }),
            let seconds = Int64(directive.dropFirst("max-age=".count).prefix { $0 != " " })
        {
            let age = answer.header("Age").flatMap { Int64($0) } ?? 0
            lifetime = .seconds(min(max(seconds, 0), 31_536_000) - min(max(age, 0), 31_536_000))
        }
        return min(max(lifetime, settings.shortestKeyLifetime), settings.longestKeyLifetime)
    }
}
