import Crypto
import Foundation

/// An OAuth client of the plain kind, written against the RFCs alone: nothing above HTTP is shared with the SDK or the
/// server, so that a fault common to both cannot hide.
struct StandardClient: Sendable {
    /// An answer other than the one expected.
    struct Unexpected: Error, CustomStringConvertible {
        let description: String
    }

    /// A pair of tokens as answered.
    struct Tokens: Sendable, Equatable {
        var access: String
        var refresh: String
        var type: String
        var idToken: String?
    }

    let server: RunningServer
    let client: RegisteredClient
    let web: WebClient
    /// With a key, every token is bound to it by DPoP (RFC 9449); without, tokens are bearer tokens.
    var key: P256.Signing.PrivateKey?

    init(
        _ client: RegisteredClient, at server: RunningServer, key: P256.Signing.PrivateKey? = nil, connections: Int = 6
    ) {
        self.client = client
        self.server = server
        self.key = key
        web = WebClient(ledger: server.ledger, connections: connections)
    }

    /// A request for authorization with its verifier and state.
    struct Journey: Sendable {
        let url: URL
        let verifier: String
        let state: String
    }

    /// Begins the code flow.
    ///
    /// - Parameter changes: parameters to add or, where the value is nil, to leave out.
    func beginAuthorization(scope: String = "openid offline_access", changes: [String: String?] = [:]) async -> Journey
    {
        let verifier = randomText(32)
        let state = randomText(16)
        server.ledger.enter(verifier)
        var parameters: [String: String?] = [
            "response_type": "code", "client_id": client.id, "redirect_uri": client.redirectURI, "scope": scope,
            "state": state, "code_challenge": base64URL(Data(SHA256.hash(data: Data(verifier.utf8)))),
            "code_challenge_method": "S256", "nonce": randomText(16),
        ]
        parameters.merge(changes) { _, new in new }
        let fields = parameters.sorted { $0.key < $1.key }.compactMap { name, value in value.map { (name, $0) } }
        return Journey(
            url: await server.url("/oauth2/authorize?" + formEncoded(fields)), verifier: verifier, state: state)
    }

    /// Signs a person in by the hosted page and returns the code.
    func authorizationCode(
        for person: Person, _ journey: Journey, in browser: HeadlessBrowser? = nil
    ) async throws -> String {
        let browser = browser ?? HeadlessBrowser(ledger: server.ledger)
        let callback = try await browser.signIn(
            at: journey.url, typing: ["username": person.username, "password": person.password],
            until: client.redirectURI)
        let items = queryItems(of: callback.absoluteString)
        guard let code = items["code"], items["state"] == journey.state else {
            throw Unexpected(description: "no code in the callback: \(items.filter { $0.key != "code" })")
        }
        guard items["iss"] == (await server.issuer.absoluteString) else {
            throw Unexpected(description: "the callback names another issuer: \(items["iss"] ?? "none")")
        }
        return code
    }

    /// The whole of it: page, code, tokens.
    func signIn(_ person: Person, scope: String = "openid offline_access") async throws -> Tokens {
        let journey = await beginAuthorization(scope: scope)
        let code = try await authorizationCode(for: person, journey)
        return try tokens(await redeem(code, verifier: journey.verifier))
    }

    func redeem(_ code: String, verifier: String) async throws -> WebAnswer {
        try await token([
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", client.redirectURI),
            ("code_verifier", verifier), ("client_id", client.id),
        ])
    }

    func refresh(_ refreshToken: String, attempt: String? = nil) async throws -> WebAnswer {
        var fields = [("grant_type", "refresh_token"), ("refresh_token", refreshToken), ("client_id", client.id)]
        if let attempt { fields.append(("attempt", attempt)) }
        return try await token(fields)
    }

    /// Posts to the token endpoint.
    func token(_ fields: [(String, String)]) async throws -> WebAnswer {
        try await post(fields, to: await server.url("/oauth2/token"))
    }

    /// Posts a form with a proof where there is a key; answers a demand for a nonce once.
    func post(_ fields: [(String, String)], to url: URL) async throws -> WebAnswer {
        let first = try await web.post(url, fields: fields, headers: try headers(for: url, nonce: nil))
        guard key != nil, first.members["error"] == "use_dpop_nonce", let nonce = first.header("dpop-nonce") else {
            return first
        }
        return try await web.post(url, fields: fields, headers: try headers(for: url, nonce: nonce))
    }

    func userInfo(_ access: String) async throws -> WebAnswer {
        let url = await server.url("/oauth2/userinfo")
        guard key != nil else { return try await web.get(url, headers: ["Authorization": "Bearer \(access)"]) }
        var nonce: String?
        var answer: WebAnswer
        repeat {
            let proof = try proof(method: "GET", url: url, nonce: nonce, accessToken: access)
            answer = try await web.get(url, headers: ["Authorization": "DPoP \(access)", "DPoP": proof])
            let asked = answer.status == 401 ? answer.header("dpop-nonce") : nil
            guard nonce == nil, let asked else { break }
            nonce = asked
        } while true
        return answer
    }

    func tokens(_ answer: WebAnswer) throws -> Tokens {
        let members = answer.members
        guard answer.status == 200, let access = members["access_token"], let refresh = members["refresh_token"] else {
            throw Unexpected(description: "no tokens: \(answer.status) \(members["error"] ?? answer.text)")
        }
        return Tokens(
            access: access, refresh: refresh, type: members["token_type"] ?? "", idToken: members["id_token"])
    }

    private func headers(for url: URL, nonce: String?) throws -> [String: String] {
        var headers: [String: String] = [:]
        if key != nil { headers["DPoP"] = try proof(method: "POST", url: url, nonce: nonce, accessToken: nil) }
        if let secret = client.secret {
            headers["Authorization"] = "Basic " + Data("\(client.id):\(secret)".utf8).base64EncodedString()
        }
        return headers
    }

    /// A DPoP proof (RFC 9449 §4.2), by hand.
    func proof(method: String, url: URL, nonce: String?, accessToken: String?) throws -> String {
        guard let key else { throw Unexpected(description: "a proof needs a key") }
        let point = key.publicKey.rawRepresentation
        let header =
            #"{"typ":"dpop+jwt","alg":"ES256","jwk":{"kty":"EC","crv":"P-256","x":""#
            + base64URL(point.prefix(32)) + #"","y":""# + base64URL(point.suffix(32)) + #""}}"#
        var claims =
            #"{"jti":""# + randomText(16) + #"","htm":""# + method + #"","htu":""# + url.absoluteString
            + #"","iat":"# + String(Int(Date().timeIntervalSince1970))
        if let nonce { claims += #","nonce":""# + nonce + #"""# }
        if let accessToken {
            claims += #","ath":""# + base64URL(Data(SHA256.hash(data: Data(accessToken.utf8)))) + #"""#
        }
        claims += "}"
        let input = base64URL(Data(header.utf8)) + "." + base64URL(Data(claims.utf8))
        return input + "." + base64URL(try key.signature(for: Data(input.utf8)).rawRepresentation)
    }
}

/// Random bytes as base64url text.
func randomText(_ count: Int) -> String {
    var generator = SystemRandomNumberGenerator()
    return base64URL(Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }))
}

func base64URL(_ data: Data) -> String {
    data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
}
