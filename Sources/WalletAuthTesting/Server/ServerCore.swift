import Crypto
import Foundation
import WalletAuth
import WalletAuthWire

/// The server's state and its answers. It is pure except for random keys and names, so a lock around it is enough.
struct ServerCore: Sendable {
    struct Person: Sendable {
        let subject: String
        /// Nil if the account has passkeys alone.
        var password: String?
        var state: ScriptedServer.AccountState
        /// The PIN of the account; nil if there is none.
        var accountPIN: String?
        /// Wrong PINs in a row. Five lock it.
        var wrongPINs = 0
        /// What the userinfo endpoint knows besides the subject.
        var claims = JSONObject()
    }

    struct Code: Sendable {
        let person: String
        let challenge: CodeChallenge
        let redirectURI: RedirectURI?
        let scope: Scope
        let nonce: Nonce?
        let thumbprint: JWKThumbprint?
        let merchantID: MerchantID?
        let issuedAt: NumericDate
        /// The enrolled device that signed in.
        var device: DeviceID?
        /// The session that the code opened.
        var session: SessionID?
        var isUsed = false
    }

    struct Session: Sendable {
        let number: Int
        let person: String
        let scope: Scope
        let thumbprint: JWKThumbprint?
        let merchantID: MerchantID?
        let secret: String
        /// The enrolled device that it is on.
        var device: DeviceID?
        var generation = 0
        var rotatedAt: NumericDate?
        var attempt: RefreshAttempt?
        var endedBecause: ScriptedServer.EndReason?
    }

    let issuer: String
    let clientID: String
    var settings: ScriptedServer.Settings
    var people: [String: Person] = [:]
    var codes: [String: Code] = [:]
    var sessions: [SessionID: Session] = [:]
    var challenges: [String: Challenge] = [:]
    /// The username that a login nonce signs in, by purpose and nonce.
    var loginNonces: [String: String] = [:]
    /// The configured identity providers, by name.
    var providers: Set<String> = []
    /// Providers' statements, by the text of the token.
    var idTokens: [String: ProviderWord] = [:]
    /// Providers' statements, by the text of the code.
    var providerCodes: [String: ProviderWord] = [:]
    /// Nonces for providers' tokens.
    var providerNonces: [ChallengeID: ProviderNonce] = [:]
    /// The account's username, by provider and subject.
    var identities: [String: String] = [:]
    /// Guests who may create an account, by session.
    var guests: [String: Guest] = [:]
    /// Registrations by their session.
    var registrations: [String: Registration] = [:]
    /// Whether newcomers may make accounts.
    var takesNewcomers = false
    /// Whether they may do so with a passkey in place of a password.
    var registersByPasskey = false
    /// The accounts' passkeys, by their identifier.
    var passkeys: [[UInt8]: Passkey] = [:]
    /// The issued challenges that no passkey has signed yet.
    var passkeyChallenges: [[UInt8]: PasskeyUse] = [:]
    /// The issued challenges that have not been signed yet.
    var enrollmentNonces: [ChallengeID: Nonce] = [:]
    var devices: [DeviceID: EnrolledKey] = [:]
    /// How many devices were ever enrolled.
    var deviceNumber = 0
    /// The resources that require consent, by path.
    var consentsRequired: [String: ScriptedServer.RequiredConsent] = [:]
    /// The requested consents, by event.
    var events: [String: ConsentEvent] = [:]
    /// The latest challenge for the biometric key, by the event that waits for an approval.
    var approvalChallenges: [String: ChallengeResponse] = [:]
    /// The stored transactions.
    var transactions: [TransactionID: ServerTransaction] = [:]
    /// The transactions that apps started, by draft. The real server keeps them in the draft itself.
    var drafts: [TransactionDraft: ServerTransaction] = [:]
    var transactionNumber = 0
    /// The answers of such a resource, by `Idempotency-Key`.
    var consentAnswers: [String: HTTPResponse] = [:]
    var requests: [ScriptedServer.SeenRequest] = []
    var seenProofs: Set<String> = []
    var nonceNumber = 1
    let signer = P256Signer(P256.Signing.PrivateKey(), keyID: "scripted-1")

    init(issuer: String, clientID: String, settings: ScriptedServer.Settings) {
        self.issuer = issuer
        self.clientID = clientID
        self.settings = settings
    }

    /// Answers a request and records it.
    mutating func respond(to request: HTTPRequest, now: NumericDate) -> HTTPResponse {
        var response: HTTPResponse
        do {
            response = try route(request, now: now)
        } catch let refusal as Refusal {
            response = refusal.response
        } catch let error as OAuthError {
            response = .json(error.json, status: error.httpStatus)
        } catch {
            response = .json(OAuthError(.invalidRequest, "\(error)").json, status: 400)
        }
        if usesNonces, response.headers["DPoP-Nonce"] == nil { response.headers["DPoP-Nonce"] = nonceText }
        response.headers["Date"] = now.httpDate
        record(request, answered: response.status)
        return response
    }

    mutating func record(_ request: HTTPRequest, answered status: Int) {
        let form = (try? FormParameters(parsing: request.bytes)) ?? FormParameters()
        requests.append(
            ScriptedServer.SeenRequest(
                method: request.method, path: request.url.path, headers: request.headers,
                body: request.body ?? Data(),
                form: Dictionary(form.parameters.map { ($0.name, $0.value) }) { first, _ in first }, status: status))
    }

    private mutating func route(_ request: HTTPRequest, now: NumericDate) throws -> HTTPResponse {
        switch (request.method, request.url.path) {
        case ("GET", Endpoints.oauthMetadata.path), ("GET", Endpoints.openIDConfiguration.path):
            return .json(try metadata().json)
        case ("GET", Endpoints.keys.path):
            return .json(JWKSet([signer.publicJWK].compactMap { $0 }).json)
        case ("POST", Endpoints.token.path): return try token(request, now: now)
        case ("POST", Endpoints.revoke.path): return try revoke(request, now: now)
        case ("POST", Endpoints.authorizeChallenge.path): return try authorizeChallenge(request, now: now)
        case ("POST", Endpoints.challenges.path): return try challenge(request, now: now)
        case ("POST", Endpoints.accounts.path): return try createAccount(request, now: now)
        case ("POST", Endpoints.registrations.path): return try register(request, now: now)
        case ("POST", Endpoints.registrationConfirmation.path): return try confirmRegistration(request, now: now)
        case ("POST", Endpoints.registrationPasskey.path): return try registrationPasskey(request, now: now)
        case ("POST", Endpoints.registrationFinish.path): return try finishRegistration(request, now: now)
        case ("POST", Endpoints.passkeyOptions.path): return try passkeyOptions(request, now: now)
        case ("POST", Endpoints.accountPasskeyOptions.path): return try newPasskeyOptions(request, now: now)
        case ("POST", Endpoints.accountPasskeys.path): return try addPasskey(request, now: now)
        case ("DELETE", let path) where path.hasPrefix("\(Endpoints.accountPasskeys.path)/"):
            return try removePasskey(request, now: now)
        case ("POST", Endpoints.devices.path): return try enroll(request, now: now)
        case ("DELETE", let path)
        where path.hasPrefix("\(Endpoints.devices.path)/") && path.split(separator: "/").count == 3:
            return try removeDevice(request, now: now)
        case ("GET", Endpoints.userInfo.path), ("POST", Endpoints.userInfo.path):
            return try userInfo(request, now: now)
        case ("POST", let path) where path.hasPrefix("/v1/brands/") && path.hasSuffix("/authentication-details"):
            return try authenticationDetails(request, now: now)
        case ("POST", let path) where path.hasPrefix("/v1/sca/events/"):
            let parts = path.split(separator: "/").map(String.init)
            guard parts.count == 5 else { return HTTPResponse(status: 404) }
            return switch parts[4] {
            case "challenges": try consentChallenge(request, parts[3], now: now)
            case "refusal": try consentRefusal(request, parts[3], now: now)
            default: try consentAttempt(request, parts[3], now: now)
            }
        case ("GET", Endpoints.approvals.path): return try approvals(request, now: now)
        case ("POST", let path) where path.hasPrefix("\(Endpoints.approvals.path)/"):
            let parts = path.split(separator: "/").map(String.init)
            guard parts.count == 4 else { return HTTPResponse(status: 404) }
            return parts[3] == "refusal"
                ? try refuseApproval(request, parts[2], now: now) : try approve(request, parts[2], now: now)
        case ("GET", Endpoints.transactions.path): return try openTransactions(request, now: now)
        case ("POST", let path) where path.hasPrefix("/v1/sign-ins/"):
            return try signInElsewhere(request, now: now)
        case ("POST", let path) where path.hasPrefix(Endpoints.transactions.path):
            return try transaction(request, now: now)
        case ("POST", let path) where consentsRequired[path] != nil:
            guard let consent = consentsRequired[path] else { return HTTPResponse(status: 404) }
            return try consentedResource(consent, request, now: now)
        case (let method, let path):
            // Every other path is a resource that requires a token and returns its subject.
            let claims = try authorize(request, now: now)
            var answer = JSONObject()
            answer.set("sub", claims.subject)
            answer.set("method", method)
            answer.set("path", path)
            return .json(answer)
        }
    }

    private func metadata() throws -> ServerMetadata {
        var metadata = ServerMetadata(issuer: try Issuer(issuer))
        func url(_ endpoint: Endpoint) throws -> WebURL { try WebURL(Issuer(issuer).url(path: endpoint.path)) }
        metadata.authorizationEndpoint = try url(Endpoints.authorize)
        metadata.tokenEndpoint = try url(Endpoints.token)
        metadata.keysURL = try url(Endpoints.keys)
        metadata.authorizationChallengeEndpoint = try url(Endpoints.authorizeChallenge)
        metadata.revocationEndpoint = try url(Endpoints.revoke)
        metadata.userInfoEndpoint = try url(Endpoints.userInfo)
        metadata.scopes = settings.scopes.sorted()
        metadata.responseTypes = ["code"]
        metadata.responseModes = ["query"]
        metadata.grantTypes = ["authorization_code", "refresh_token"]
        metadata.codeChallengeMethods = [CodeChallenge.method]
        metadata.clientAuthenticationMethods = ["none"]
        metadata.subjectTypes = ["public"]
        metadata.idTokenAlgorithms = [SigningAlgorithm.es256.rawValue]
        metadata.dpopAlgorithms = settings.dpop == .unavailable ? [] : [SigningAlgorithm.es256.rawValue]
        metadata.namesIssuerInResponses = settings.callbackIssuer != .none
        metadata.keepsRefreshAttempts = settings.keepsRefreshAttempts
        return metadata
    }

    /// A random name.
    static func randomText() -> String {
        Base64URL.encode(SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) })
    }
}

/// A refusal with more than an OAuth error.
struct Refusal: Error {
    let response: HTTPResponse
}

extension HTTPRequest {
    var bytes: [UInt8] { Array(body ?? Data()) }

    var json: JSONObject {
        get throws { try JSONValue.object(parsing: bytes) }
    }
}

extension InsufficientAuthorization {
    /// The refusal as an answer.
    /// - Parameter status: nil for the error's own.
    func response(status: Int? = nil) -> HTTPResponse { .json(json, status: status ?? error.httpStatus) }
}

extension HTTPResponse {
    static func json(_ object: JSONObject, status: Int = 200) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: ["Content-Type": "application/json", "Cache-Control": "no-store"],
            body: Data(object.bytes))
    }
}

extension NumericDate {
    /// As an HTTP date (RFC 9110 §5.6.7).
    fileprivate var httpDate: String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.string(from: Date(timeIntervalSince1970: TimeInterval(secondsSince1970)))
    }
}
