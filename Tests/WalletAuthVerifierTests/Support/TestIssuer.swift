import Crypto
import Testing
import WalletAuthTransport
import WalletAuthWire

@testable import WalletAuthVerifier

/// An authorization server in memory: it publishes keys, makes tokens and answers what a test scripts.
final class TestIssuer: BackendTransport {
    typealias Handler = @Sendable (OutboundRequest) throws -> OutboundResponse

    struct State {
        var keys: [P256Signer]
        var published: JSONObject
        var cacheControl: String? = "public, max-age=300"
        var isDown = false
        var status = 200
        var metadata: JSONObject
        var handlers: [String: Handler] = [:]
        var requests: [OutboundRequest] = []
    }

    let issuer: Issuer
    let clock = ManualBackendClock()
    let state: LockedValue<State>
    /// Closed, it keeps answers back, for tests of what comes meanwhile.
    let gate = Gate()

    init(_ text: String = "https://auth.example") throws {
        issuer = try Issuer(text)
        let key = P256Signer(P256.Signing.PrivateKey(), keyID: "key-1")
        var metadata = ServerMetadata(issuer: issuer)
        metadata.keysURL = try WebURL(issuer.url(path: Endpoints.keys.path))
        metadata.tokenEndpoint = try WebURL(issuer.url(path: Endpoints.token.path))
        state = LockedValue(State(keys: [key], published: Self.set([key]), metadata: metadata.json))
    }

    static func set(_ keys: [P256Signer]) -> JSONObject { JWKSet(keys.compactMap(\.publicJWK)).json }

    /// Signs with this key from now on.
    @discardableResult func rollOver(to name: String, publishing: Bool = true) -> P256Signer {
        let key = P256Signer(P256.Signing.PrivateKey(), keyID: name)
        state.withLock { state in
            state.keys.append(key)
            if publishing { state.published = Self.set(state.keys) }
        }
        return key
    }

    func publish(_ keys: [P256Signer]) { state.withLock { $0.published = Self.set(keys) } }

    func on(_ method: String, _ path: String, _ handler: @escaping Handler) {
        state.withLock { $0.handlers["\(method) \(issuer.url(path: path))"] = handler }
    }

    var key: P256Signer { state.withLock { $0.keys[$0.keys.count - 1] } }

    func requests(to path: String) -> [OutboundRequest] {
        let url = issuer.url(path: path)
        return state.withLock { $0.requests.filter { $0.url == url } }
    }

    /// How often the keys were asked for.
    var keyFetches: Int { requests(to: Endpoints.keys.path).count }

    func send(_ request: OutboundRequest) async throws -> OutboundResponse {
        let snapshot = state.withLock { state in
            state.requests.append(request)
            return state
        }
        await gate.pass()
        if snapshot.isDown { throw OutboundFailure(.notSent, reason: "connection refused") }
        if let handler = snapshot.handlers["\(request.method) \(request.url)"] { return try handler(request) }
        switch request.url {
        case issuer.oauthMetadataURL: return OutboundResponse(status: 200, body: snapshot.metadata.bytes)
        case issuer.url(path: Endpoints.keys.path):
            let headers = snapshot.cacheControl.map { [HeaderField("cache-control", $0)] } ?? []
            return OutboundResponse(status: snapshot.status, headers: headers, body: snapshot.published.bytes)
        default: return OutboundResponse(status: 404)
        }
    }
}

extension TestIssuer {
    static let account = "0b5ad25f-3dd1-4c4c-9b65-9f6a4f9d3c11"
    static let session = "5f0c7b52-9d60-4ed4-8f6e-4c2f8e6d7a22"
    static let audience = "https://api.example"

    func trusted(_ settings: TrustedIssuer.Settings = TrustedIssuer.Settings()) -> TrustedIssuer {
        TrustedIssuer(issuer, settings: settings, transport: self, clock: clock)
    }

    func verifier(_ change: (inout AccessTokenVerifier.Settings) -> Void = { _ in }) throws -> AccessTokenVerifier {
        var settings = AccessTokenVerifier.Settings()
        change(&settings)
        return AccessTokenVerifier(
            issuer: trusted(), audience: Self.audience, externalURL: try WebURL("https://api.example/pay/"),
            settings: settings)
    }

    /// A token as the server makes them, but for what a test changes. A change to nil takes the member away.
    func token(
        _ changes: [String: JSONValue?] = [:], header changesOfHeader: [String: JSONValue?] = [:],
        by signer: (any JWSSigner)? = nil
    ) throws -> String {
        let signer = signer ?? key
        var claims = JSONObject()
        claims.set("iss", issuer)
        claims.set("sub", Self.account)
        claims.set("aud", Self.audience)
        claims.set("client_id", "app")
        claims.set("exp", clock.now().advanced(by: .seconds(300)))
        claims.set("iat", clock.now())
        claims.set("jti", Randomness.token())
        claims.set("scope", "payments accounts")
        claims.set("sid", Self.session)
        claims.set("auth_time", clock.now().advanced(by: .seconds(-60)))
        claims.set("acr", AuthenticationStrength.twoFactors[0])
        for (name, value) in changes { claims[name] = value }
        var header = JSONObject()
        header.set("typ", "at+jwt")
        header.set("alg", signer.algorithm.rawValue)
        header.set("kid", signer.keyID)
        for (name, value) in changesOfHeader { header[name] = value }
        return try Self.compact(header, claims, by: signer)
    }

    static func compact(_ header: JSONObject, _ claims: JSONObject, by signer: any JWSSigner) throws -> String {
        let input = Base64URL.encode(header.bytes) + "." + Base64URL.encode(claims.bytes)
        return input + "." + Base64URL.encode(try signer.sign(Array(input.utf8)))
    }

    /// A proof for a request of this backend.
    func proof(
        by key: P256Signer, for token: String, method: String = "POST", url: String = "https://api.example/pay/orders",
        id: String = Randomness.token(), nonce: String? = nil, at time: NumericDate? = nil
    ) throws -> String {
        try DPoPProofContent(
            id: id, method: method, target: try HTTPTarget(url), issuedAt: time ?? clock.now(),
            nonce: try nonce.map { try Nonce($0) }, accessToken: try AccessToken(token)
        ).signed(by: key)
    }
}

extension PresentedRequest {
    static func bearer(_ token: String) -> PresentedRequest {
        PresentedRequest(method: "POST", path: "/orders?x=1", authorization: ["Bearer \(token)"])
    }

    static func dpop(_ token: String, _ proofs: String...) -> PresentedRequest {
        PresentedRequest(method: "POST", path: "/orders?x=1", authorization: ["DPoP \(token)"], proofs: proofs)
    }
}

extension AccessTokenVerifier {
    /// The refusal of a request, or nil where it is let in.
    func refusal(
        of request: PresentedRequest, for requirement: AccessRequirement = AccessRequirement()
    ) async -> AccessRefusal? {
        do {
            _ = try await verify(request, for: requirement)
            return nil
        } catch { return error }
    }
}

extension AccessTokenVerifier {
    /// The refusal of a request that must not be let in.
    func requiredRefusal(
        of request: PresentedRequest, for requirement: AccessRequirement = AccessRequirement()
    ) async throws -> AccessRefusal {
        let refusal = await refusal(of: request, for: requirement)
        return try #require(refusal)
    }
}

extension ProblemAnswer {
    func values(_ name: String) -> [String] { headers.filter { $0.name == name }.map(\.value) }
}
