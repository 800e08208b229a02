import Crypto
import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

/// The scripted server, spoken to by hand: what it lets through here is what an app's tests can trust.
@Suite("The scripted server", .covers("an app's tests cannot provoke any of this"))
struct ScriptedServerTests {
    let clock = ManualClock()
    let server: ScriptedServer
    let verifier: CodeVerifier
    let signer = P256Signer(P256.Signing.PrivateKey())
    let thief = P256Signer(P256.Signing.PrivateKey())

    init() throws {
        server = ScriptedServer(clock: clock)
        server.addPerson("alice", password: "correct horse")
        verifier = try CodeVerifier(random: (0..<32).map { UInt8($0) })
    }

    // MARK: Speaking to it

    func code(_ extra: String = "") throws -> String {
        let page =
            "https://auth.example.com/oauth2/authorize?response_type=code&client_id=com.example.wallet"
            + "&redirect_uri=https%3A%2F%2Fapp.example.com%2Fcb&scope=openid&state=s1&code_challenge_method=S256"
            + "&code_challenge=\(CodeChallenge(verifier: verifier).rawValue)\(extra)"
        let callback = try server.signIn(at: try #require(URL(string: page)), as: "alice")
        let form = try FormParameters(parsing: callback.query ?? "")
        #expect(form["state"] == "s1" && form["iss"] == "https://auth.example.com")
        return try #require(form["code"])
    }

    func proof(
        _ method: String, _ path: String, by signer: P256Signer, token: AccessToken? = nil, nonce: String? = "nonce-1"
    ) throws -> String {
        try DPoPProofContent(
            id: UUID().uuidString, method: method, target: HTTPTarget("https://auth.example.com\(path)"),
            issuedAt: NumericDate(clamping: Int64(clock.trueNow().timeIntervalSince1970)),
            nonce: nonce.map { try Nonce($0) }, accessToken: token
        ).signed(by: signer)
    }

    func post(_ path: String, _ form: [String: String], by signer: P256Signer?, nonce: String? = "nonce-1") async throws
        -> (HTTPResponse, JSONObject)
    {
        var parameters = FormParameters()
        for (name, value) in form.merging(["client_id": "com.example.wallet"], uniquingKeysWith: { old, _ in old }) {
            parameters.append(name, value)
        }
        var request = HTTPRequest(
            method: "POST", url: try #require(URL(string: "https://auth.example.com\(path)")),
            headers: ["Content-Type": "application/x-www-form-urlencoded"], body: Data(parameters.encoded.utf8))
        if let signer { request.headers["DPoP"] = try proof("POST", path, by: signer, nonce: nonce) }
        let response = try await server.send(request)
        return (response, (try? JSONValue.object(parsing: Array(response.body))) ?? JSONObject())
    }

    func redeem(_ code: String, verifier: CodeVerifier? = nil, by signer: P256Signer? = nil) async throws
        -> TokenResponse
    {
        let (response, json) = try await post(
            "/oauth2/token",
            [
                "grant_type": "authorization_code", "code": code, "redirect_uri": "https://app.example.com/cb",
                "code_verifier": (verifier ?? self.verifier).reveal(),
            ], by: signer ?? self.signer)
        guard response.status == 200 else { throw try OAuthError(json) }
        return try TokenResponse(json)
    }

    func refresh(_ token: RefreshToken?, attempt: UInt8? = nil, by signer: P256Signer? = nil) async throws
        -> TokenResponse
    {
        var form = ["grant_type": "refresh_token", "refresh_token": try #require(token).reveal()]
        if let attempt { form["attempt"] = Base64URL.encode([UInt8](repeating: attempt, count: 16)) }
        let (response, json) = try await post("/oauth2/token", form, by: signer ?? self.signer)
        guard response.status == 200 else { throw try OAuthError(json) }
        return try TokenResponse(json)
    }

    func expectRefusal(
        _ code: OAuthError.Code, location: SourceLocation = #_sourceLocation, _ body: () async throws -> TokenResponse
    ) async {
        do {
            _ = try await body()
            Issue.record("tokens were issued", sourceLocation: location)
        } catch let error as OAuthError {
            #expect(error.code == code, sourceLocation: location)
        } catch {
            Issue.record("\(error)", sourceLocation: location)
        }
    }

    // MARK: What it does

    @Test("redeems a code once, for the right verifier, key and time, and ends the session of one used twice")
    func codes() async throws {
        await expectRefusal(.invalidGrant) { try await redeem("code-made-up") }
        let first = try code()
        let other = try CodeVerifier(random: [UInt8](repeating: 9, count: 32))
        await expectRefusal(.invalidGrant) { try await redeem(first, verifier: other) }
        let tokens = try await redeem(first)
        #expect(tokens.tokenType == .dpop && tokens.idToken != nil && tokens.refreshToken != nil)
        await expectRefusal(.invalidGrant) { try await redeem(first) }
        #expect(server.sessions.first?.endedBecause == .reuse)
        let bound = try code("&dpop_jkt=\(try #require(signer.publicJWK).thumbprint.rawValue)")
        await expectRefusal(.invalidGrant) { try await redeem(bound, by: thief) }
        let late = try code()
        clock.advance(by: .seconds(61))
        await expectRefusal(.invalidGrant) { try await redeem(late) }
    }

    @Test("revokes a bound access token by a proof of its key, and by nothing less")
    func revocation() async throws {
        let form = ["token": try await redeem(code()).accessToken.reveal()]
        let (bare, reason) = try await post("/oauth2/revoke", form, by: nil)
        #expect(bare.status == 400)
        #expect(reason["error"]?.string == "unsupported_token_type")
        let (stolen, fault) = try await post("/oauth2/revoke", form, by: thief)
        #expect(stolen.status == 400)
        #expect(fault["error"]?.string == "invalid_dpop_proof")
        #expect(server.sessions.first?.endedBecause == nil)
        let (own, _) = try await post("/oauth2/revoke", form, by: signer)
        #expect(own.status == 200)
        #expect(server.sessions.first?.endedBecause == .revoked)
    }

    @Test("gives the same attempt the same successor, whenever it comes")
    func sameAttempt() async throws {
        let tokens = try await redeem(code())
        let first = try await refresh(tokens.refreshToken, attempt: 1)
        clock.advance(by: .seconds(86_400))
        let again = try await refresh(tokens.refreshToken, attempt: 1)
        #expect(again.refreshToken == first.refreshToken && again.accessToken != first.accessToken)
        #expect(server.sessions.first?.generation == 1 && server.sessions.first?.endedBecause == nil)
    }

    @Test("takes another attempt with a spent token for theft and ends the session")
    func theft() async throws {
        let tokens = try await redeem(code())
        let first = try await refresh(tokens.refreshToken, attempt: 1)
        await expectRefusal(.invalidGrant) { try await refresh(tokens.refreshToken, attempt: 2) }
        await expectRefusal(.invalidGrant) { try await refresh(first.refreshToken, attempt: 3) }
        #expect(server.sessions.first?.endedBecause == .reuse)
    }

    @Test("lets a client without attempts repeat itself for thirty seconds, and not later")
    func withoutAttempt() async throws {
        let tokens = try await redeem(code())
        let first = try await refresh(tokens.refreshToken)
        clock.advance(by: .seconds(30))
        #expect(try await refresh(tokens.refreshToken).refreshToken == first.refreshToken)
        clock.advance(by: .seconds(1))
        await expectRefusal(.invalidGrant) { try await refresh(tokens.refreshToken) }
        #expect(server.sessions.first?.endedBecause == .reuse)
    }

    @Test("refuses a stolen refresh token under another key, and leaves the session alone")
    func wrongKey() async throws {
        let tokens = try await redeem(code())
        await expectRefusal(.invalidDPoPProof) { try await refresh(tokens.refreshToken, attempt: 1, by: thief) }
        _ = try await refresh(tokens.refreshToken, attempt: 2)
        #expect(server.sessions.first?.endedBecause == nil)
    }

    @Test("asks for its nonce, and for the next once it was renewed")
    func nonces() async throws {
        let form = ["grant_type": "refresh_token", "refresh_token": "x"]
        let (response, json) = try await post("/oauth2/token", form, by: signer, nonce: nil)
        #expect(response.status == 400 && json["error"]?.string == "use_dpop_nonce")
        #expect(response.headers["DPoP-Nonce"] == "nonce-1")
        server.renewNonces()
        let (again, _) = try await post("/oauth2/token", form, by: signer)
        #expect(again.headers["DPoP-Nonce"] == "nonce-2")
        #expect(server.requests.map(\.status) == [400, 400])
    }

    @Test("opens a resource to a token with its key's proof alone, until the token expires or the session ends")
    func resources() async throws {
        func get(_ token: AccessToken, scheme: String = "DPoP", by signer: P256Signer? = nil) async throws -> Int {
            var request = HTTPRequest(
                method: "GET", url: try #require(URL(string: "https://auth.example.com/balance")),
                headers: ["Authorization": "\(scheme) \(token.reveal())"])
            if let signer { request.headers["DPoP"] = try proof("GET", "/balance", by: signer, token: token) }
            return try await server.send(request).status
        }
        let token = try await redeem(code()).accessToken
        #expect(try await get(token, by: signer) == 200)
        #expect(try await get(token, by: thief) == 401)
        #expect(try await get(token, scheme: "Bearer") == 401)
        #expect(try await get(token) == 401)
        clock.advance(by: .seconds(301))
        #expect(try await get(token, by: signer) == 401)
        let next = try await redeem(code()).accessToken
        server.endSessions(of: "alice")
        #expect(try await get(next, by: signer) == 401)
    }

    @Test("acts on a request whose response is lost, does not act on a lost request, and delays by the manual clock")
    func faults() async throws {
        let tokens = try await redeem(code())
        server.inject(.loseAnswer, at: "/oauth2/token")
        server.inject(.loseRequest, at: "/oauth2/token")
        server.inject(.unavailable(retryAfter: .seconds(7)), at: "/oauth2/token")
        for _ in 0..<2 {
            await #expect(throws: TransportFailure.self) { try await refresh(tokens.refreshToken, attempt: 1) }
            #expect(server.sessions.first?.generation == 1)
        }
        let (refused, _) = try await post("/oauth2/token", ["grant_type": "refresh_token"], by: signer)
        #expect(refused.status == 503 && refused.headers["Retry-After"] == "7")
        server.inject(.delay(.seconds(5)))
        let slow = Task { try await refresh(tokens.refreshToken, attempt: 1) }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(5))
        #expect(try await slow.value.refreshToken != nil)
        server.network = .offline
        await #expect(throws: TransportFailure(.offline, reason: "the test has no network")) {
            try await refresh(tokens.refreshToken, attempt: 1)
        }
    }

    @Test("asks a native sign-in for what the account's state needs")
    func nativeSignIn() async throws {
        func step(_ form: [String: String]) async throws -> (HTTPResponse, JSONObject) {
            let challenge = [
                "code_challenge": CodeChallenge(verifier: verifier).rawValue, "code_challenge_method": "S256",
                "scope": "openid",
            ]
            return try await post("/oauth2/authorize-challenge", form.merging(challenge) { $1 }, by: signer)
        }
        let login = ["login_method": "password", "username": "alice", "password": "correct horse"]
        #expect(try await step(login).1["authorization_code"] != nil)
        let wrong = try await step(login.merging(["password": "wrong"]) { $1 })
        #expect(wrong.0.status == 401 && wrong.1["error_code"]?.string == "invalid_credentials")
        server.setState(of: "alice", .passwordChangeRequired)
        let (response, json) = try await step(login)
        #expect(response.status == 403 && json["status_code"]?.integer == 508)
        let session = try #require(json["auth_session"]?.string)
        let done = try await step(["auth_session": session, "new_password": "another horse"])
        #expect(done.1["authorization_code"] != nil)
        #expect(try await step(login).0.status == 401)
    }
}
