import Crypto
import Synchronization
import WalletAuthWire

@testable import Core
@testable import Kernel

/// Apple in a test's hands: real RSA keys that roll, codes that work once, refresh tokens, and every error that Apple's page lists.
final class TestApple: Sendable {
    static let base = "https://appleid.apple.com"
    static let app = "com.example.wallet"
    static let otherApp = "com.example.shop"
    static let servicesID = "com.example.wallet.web"
    static let teamID = "TEAM000001"
    static let keyID = "KEY0000001"

    /// A code that waits to be redeemed.
    private struct Code {
        var subject: String
        var clientID: String
        var redirectURI: String?
        var nonce: String?
    }

    private struct State {
        var signer: RS256Signer
        var published: [RS256Signer]
        var codes: [String: Code] = [:]
        var refreshTokens: [String: String] = [:]
        var revoked: [String] = []
        var made = 0
        var team = TestApple.teamID
        var isDown = false
        /// How long a request waits in vain.
        var timeout = Duration.zero
        var deletedApps: Set<String> = []
        var closedAccounts: Set<String> = []
        var override: [String: ProviderHTTP.Answer] = [:]
        var answered: @Sendable (inout JSONObject) -> Void = { _ in }
        var requests: [ProviderHTTP.Request] = []
    }

    let key: P256.Signing.PrivateKey
    let clock: ManualClock
    private let state: Mutex<State>

    /// RSA keys cost more to make than the tests take.
    private static let pool = Task {
        try (1...3).map { try RS256Signer.generate(keyID: "rsa-\($0)") }
    }

    static func make(clock: ManualClock = ManualClock()) async throws -> TestApple {
        TestApple(clock: clock, signer: try await signer(1))
    }

    /// One of the keys that Apple rolls through.
    static func signer(_ number: Int) async throws -> RS256Signer { try await pool.value[number - 1] }

    /// A key that Apple never published, under any id.
    static func stranger(keyID: String) async throws -> RS256Signer {
        try RS256Signer(der: await strangersKey.value.privateBytes, keyID: keyID)
    }

    private static let strangersKey = Task { try RS256Signer.generate(keyID: "stranger") }

    private init(clock: ManualClock, signer: RS256Signer) {
        self.clock = clock
        key = P256.Signing.PrivateKey()
        state = Mutex(State(signer: signer, published: [signer]))
    }

    /// The `.p8` file of the team's key.
    var keyFile: [UInt8] { Array(key.pemRepresentation.utf8) }

    /// What answers in Apple's place.
    var http: ProviderHTTP { ProviderHTTP { try self.answer($0) } }

    // MARK: What a test says

    /// Signs by another key from now on, which is published together with the former one.
    func roll(to signer: RS256Signer) {
        state.withLock { state in
            state.signer = signer
            state.published.append(signer)
        }
    }

    /// The app belongs to another team from now on.
    func move(to team: String) { state.withLock { $0.team = team } }

    /// - Parameter timeout: the time that passes with each request, if it is down.
    func setDown(_ isDown: Bool, timeout: Duration = .zero) {
        state.withLock { ($0.isDown, $0.timeout) = (isDown, timeout) }
    }

    /// The team deletes an app, which Apple no longer knows.
    func delete(app clientID: String) { state.withLock { state in _ = state.deletedApps.insert(clientID) } }

    /// What a path answers, whatever it is asked.
    func answer(_ path: String, _ status: Int, _ body: String) {
        state.withLock { $0.override[path] = ProviderHTTP.Answer(status: status, body: Array(body.utf8)) }
    }

    /// Changes the identity token that the token endpoint answers.
    func changeAnswer(_ change: @escaping @Sendable (inout JSONObject) -> Void) {
        state.withLock { $0.answered = change }
    }

    /// The person turns the app off in Apple's settings.
    func endConsent(of subject: String) {
        state.withLock { state in state.refreshTokens = state.refreshTokens.filter { $0.value != subject } }
    }

    /// The person closes their Apple account.
    func close(_ subject: String) { state.withLock { state in _ = state.closedAccounts.insert(subject) } }

    /// The refresh tokens that were revoked here, in order.
    var revoked: [String] { state.withLock { $0.revoked } }
    var requests: [ProviderHTTP.Request] { state.withLock { $0.requests } }
    func asked(_ path: String) -> Int { requests.count { $0.url == Self.base + path } }
    func forgetRequests() { state.withLock { $0.requests = [] } }

    /// The forms that the token endpoint got.
    func forms(_ path: String = "/auth/token") throws -> [FormParameters] {
        try requests.filter { $0.url == Self.base + path }.map { try FormParameters(parsing: $0.body) }
    }

    /// What an identity token says where nothing is wrong with it.
    func claims(_ subject: String = "001.a", clientID: String = app, nonce: String?) -> JSONObject {
        let now = clock.now().seconds
        var claims = JSONObject()
        claims.set("iss", Self.base)
        claims.set("aud", clientID)
        claims.set("exp", now + 86_400)
        claims.set("iat", now)
        claims.set("sub", subject)
        claims.set("nonce", nonce)
        claims.set("email", "relay@privaterelay.appleid.com")
        claims.set("email_verified", "true")
        claims.set("is_private_email", "true")
        claims["nonce_supported"] = .bool(true)
        return claims
    }

    /// A token or a notification by Apple's key.
    func signed(_ claims: JSONObject, by signer: RS256Signer? = nil) throws -> String {
        let signer = signer ?? state.withLock { $0.signer }
        return try CompactJWSEncoder(signer: signer, type: nil).encode(claims.bytes, signer: signer)
    }

    /// An identity token.
    func token(
        _ subject: String = "001.a", clientID: String = app, nonce: String?,
        _ change: (inout JSONObject) -> Void = { _ in }
    ) throws -> IDToken {
        var claims = claims(subject, clientID: clientID, nonce: nonce)
        change(&claims)
        return try IDToken(signed(claims))
    }

    /// A code that the person's phone or browser got.
    func code(
        for subject: String = "001.a", clientID: String = app, redirectURI: String? = nil, nonce: String?
    ) throws -> AuthorizationCode {
        let code = state.withLock { state in
            state.made += 1
            state.codes["c\(state.made)"] = Code(
                subject: subject, clientID: clientID, redirectURI: redirectURI, nonce: nonce)
            return "c\(state.made)"
        }
        return try AuthorizationCode(code)
    }

    /// A notification of something that happened to a person.
    func notification(
        _ type: String, of subject: String = "001.a", id: String, at time: Timestamp? = nil,
        events change: (inout JSONObject) -> Void = { _ in }, claims changeClaims: (inout JSONObject) -> Void = { _ in }
    ) -> JSONObject {
        let now = clock.now()
        var events = JSONObject(strings: ["type": type, "sub": subject])
        events.set("event_time", (time ?? now).milliseconds)
        change(&events)
        var claims = JSONObject(strings: ["iss": Self.base, "aud": Self.app, "jti": id])
        claims.set("iat", now.seconds)
        claims.set("exp", now.seconds + 86_400)
        claims.set("events", JSONValue.object(events).text)
        changeClaims(&claims)
        return claims
    }

    // MARK: What it answers

    private struct Down: Error {}

    private func answer(_ request: ProviderHTTP.Request) throws -> ProviderHTTP.Answer {
        let path = String(request.url.dropFirst(Self.base.count))
        let (isDown, timeout, override) = state.withLock { state in
            state.requests.append(request)
            return (state.isDown, state.timeout, state.override[path])
        }
        if isDown {
            clock.advance(by: timeout)
            throw Down()
        }
        if let override { return override }
        switch path {
        case "/auth/keys":
            let keys = state.withLock { $0.published.compactMap(\.publicJWK) }
            return .init(status: 200, body: JWKSet(keys).json.bytes)
        case "/auth/token": return try token(FormParameters(parsing: request.body))
        case "/auth/usermigrationinfo":
            let form = try FormParameters(parsing: request.body)
            guard knows(form),
                request.headers.contains(where: { $0.name == "Authorization" && $0.value == "Bearer migration" }),
                let subject = form["sub"], let team = form["target"],
                !state.withLock({ $0.closedAccounts.contains(subject) })
            else { return refused("invalid_request") }
            return .init(
                status: 200, body: JSONObject(strings: ["transfer_sub": Self.transfer(of: subject, to: team)]).bytes)
        case "/auth/revoke":
            let form = try FormParameters(parsing: request.body)
            guard knows(form) else { return refused("invalid_client") }
            state.withLock { state in
                guard let token = form["token"] else { return }
                state.refreshTokens[token] = nil
                state.revoked.append(token)
            }
            return .init(status: 200, body: [])
        default: return .init(status: 404, body: [])
        }
    }

    private func refused(_ error: String) -> ProviderHTTP.Answer {
        .init(status: 400, body: JSONObject(strings: ["error": error]).bytes)
    }

    private func token(_ form: FormParameters) throws -> ProviderHTTP.Answer {
        guard knows(form) else { return refused("invalid_client") }
        if form["grant_type"] == "refresh_token" {
            let isAlive = state.withLock { $0.refreshTokens[form["refresh_token"] ?? ""] != nil }
            return isAlive
                ? .init(status: 200, body: JSONObject(strings: ["access_token": "a", "token_type": "Bearer"]).bytes)
                : refused("invalid_grant")
        }
        if form["grant_type"] == "client_credentials", form["scope"] == "user.migration" {
            return .init(status: 200, body: JSONObject(strings: ["access_token": "migration"]).bytes)
        }
        guard form["grant_type"] == "authorization_code" else { return refused("unsupported_grant_type") }
        let (code, number, change) = state.withLock { state in
            state.made += 1
            return (state.codes.removeValue(forKey: form["code"] ?? ""), state.made, state.answered)
        }
        guard let code else { return refused("invalid_grant") }
        guard code.clientID == form["client_id"] else { return refused("invalid_client") }
        guard code.redirectURI == form["redirect_uri"] else { return refused("invalid_grant") }
        state.withLock { $0.refreshTokens["r\(number)"] = code.subject }
        var claims = claims(code.subject, clientID: code.clientID, nonce: code.nonce)
        claims.set("at_hash", Base64URL.encode(Array(SHA256.hash(data: Array("a\(number)".utf8))).prefix(16)))
        change(&claims)
        var answer = JSONObject(strings: [
            "access_token": "a\(number)", "token_type": "Bearer", "refresh_token": "r\(number)",
            "id_token": try signed(claims),
        ])
        answer.set("expires_in", 3600)
        return .init(status: 200, body: answer.bytes)
    }

    /// What both teams call a person.
    static func transfer(of subject: String, to team: String) -> String { "\(team).\(subject)" }

    /// Whether a client secret is what Apple's page asks for.
    private func knows(_ form: FormParameters) -> Bool {
        guard let clientID = form["client_id"], [Self.app, Self.otherApp, Self.servicesID].contains(clientID),
            !state.withLock({ $0.deletedApps.contains(clientID) }),
            let jws = try? CompactJWS(form["client_secret"] ?? ""), jws.header.keyID == Self.keyID,
            let verified = try? jws.verified(by: P256Verifier(key.publicKey, keyID: Self.keyID)),
            let claims = try? verified.claims(), claims.issuer == state.withLock({ $0.team }),
            claims.subject == clientID,
            claims.audience == [Self.base], let issued = try? claims.requiredDate("iat"),
            let expiry = try? claims.requiredDate("exp")
        else { return false }
        let now = NumericDate(clamping: clock.now().seconds)
        return now < expiry && expiry <= issued.advanced(by: .seconds(15_777_000))
    }
}

/// Time that a test moves.
final class ManualClock: Clock {
    private let instant = Mutex(Timestamp(seconds: 1_800_000_000))

    func now() -> Timestamp { instant.withLock { $0 } }

    func uptime() -> Duration { now() - Timestamp(seconds: 0) }

    func advance(by duration: Duration) { instant.withLock { $0 = $0 + duration } }
}
