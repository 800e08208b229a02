import Crypto
import Foundation
import HTTPTypes
import HummingbirdTesting
import Kernel
import NIOCore
import Operations
import Testing
import WalletAuthWire

@testable import Web

/// An enrolled device of an account that speaks HTTP as its app does: every call with a proof of its own.
struct PhoneOverHTTP: Sendable {
    static let username = "maria"
    static let password = "correct horse battery"
    private static let signIn = "/oauth2/authorize-challenge"

    let server: TestServer
    let client: any TestClientProtocol
    /// What it asks for at a sign-in.
    let scope: String
    let key = ProofKey()
    let deviceKey = P256Signer(P256.Signing.PrivateKey())
    private(set) var token: AccessToken
    private(set) var id: DeviceID
    /// Of the answer to its enrollment.
    private(set) var location: String?

    /// Registers app and account, signs in with two factors and enrolls.
    static func enrolled(
        _ server: TestServer, _ client: any TestClientProtocol, _ adjust: (inout ClientRegistration) -> Void = { _ in }
    ) async throws -> PhoneOverHTTP {
        try await server.makePublicClient("wallet", adjust)
        var registration = AccountRegistration(username: username, password: password)
        registration.email = "maria@example.com"
        registration.emailVerified = true
        try await server.execute { try await AccountAdministration($0).create(registration) }
        return try await another(server, client)
    }

    /// One more device of the account.
    static func another(_ server: TestServer, _ client: any TestClientProtocol) async throws -> PhoneOverHTTP {
        var phone = try await signedIn(server, client)
        let answer = try await phone.enroll()
        try #require(answer.status == .created, "\(answer.text)")
        phone.id = try EnrolledDevice(answer.json).id
        phone.location = answer.headers[.location]
        return phone
    }

    /// The app on a device that is signed in and not enrolled.
    static func signedIn(
        _ server: TestServer, _ client: any TestClientProtocol, scope: String = "openid offline_access"
    ) async throws -> PhoneOverHTTP {
        var phone = try PhoneOverHTTP(server: server, client: client, scope: scope)
        phone.token = try await phone.session()
        return phone
    }

    private init(server: TestServer, client: any TestClientProtocol, scope: String) throws {
        self.server = server
        self.client = client
        self.scope = scope
        token = try AccessToken("none-yet")
        id = try DeviceID("00000000-0000-4000-8000-000000000000")
    }

    private var issuer: String { server.server.context.settings.issuer.rawValue }

    /// Sends a call with the session's token, unless a test leaves something out.
    func send(
        _ method: HTTPRequest.Method, _ path: String, _ body: String? = nil, token given: AccessToken? = nil,
        proof: String? = nil, more: HTTPFields = [:]
    ) async throws -> TestResponse {
        let token = given ?? token
        var headers: HTTPFields = [.authorization: "DPoP \(token.reveal())"]
        headers[.dpop] =
            try proof
            ?? key.proof(
                path, method: method.rawValue, nonce: server.server.context.proofs.currentNonce(), token: token,
                issuer: issuer)
        if body != nil { headers[.contentType] = "application/json" }
        headers.append(contentsOf: more)
        return try await client.execute(
            uri: path, method: method, headers: headers, body: body.map { ByteBuffer(string: $0) })
    }

    /// A challenge of a purpose.
    func challenge(_ purpose: String) async throws -> ChallengeResponse {
        let answer = try await send(
            .post, "/v1/challenges",
            purpose == "enroll" ? #"{"purpose":"enroll"}"# : #"{"purpose":"\#(purpose)","deviceId":"\#(id.rawValue)"}"#)
        return try ChallengeResponse(answer.json)
    }

    /// The device's signature over a request.
    func signature(
        _ path: String, _ body: String, nonce: Nonce, key: IdempotencyKey, id other: DeviceID? = nil
    ) async throws -> String {
        try await DeviceRequestSignature(
            audience: Issuer(issuer), deviceID: other ?? id, method: "POST",
            target: HTTPTarget(issuer + path), body: Array(body.utf8), nonce: nonce, idempotencyKey: key,
            issuedAt: Self.now()
        ).signed(by: deviceKey)
    }

    /// Signs in by password and the code by e-mail, and redeems the code.
    private func session() async throws -> AccessToken {
        let asked = try await step([
            ("login_method", "password"), ("username", Self.username), ("password", Self.password),
        ])
        let told = try InsufficientAuthorization(asked.json)
        let factor = try #require(told.secondFactor, "\(asked.text)")
        let messages = try await server.server.messages?.recent(limit: 10) ?? []
        let code = try #require(messages.first { $0.kind == "second_factor_code" }?.code)
        let right = try await step([
            ("auth_session", try #require(told.authSession).reveal()), ("mfa_token", factor.token.reveal()),
            ("mfa_answer", code),
        ])
        return try await redeem(try #require(try right.member("authorization_code"), "\(right.text)"))
    }

    private func redeem(_ code: String) async throws -> AccessToken {
        let answer = try await client.post(
            "/oauth2/token",
            [
                "grant_type": "authorization_code", "client_id": "wallet", "code": code,
                "code_verifier": Journey.verifier,
            ], [.dpop: key.proof("/oauth2/token", nonce: server.server.context.proofs.currentNonce(), issuer: issuer)])
        return try AccessToken(try #require(try answer.member("access_token"), "\(answer.text)"))
    }

    /// Begins or goes on with a native sign-in, with the device's own proof.
    func provedStep(_ fields: [(String, String)]) async throws -> TestResponse {
        let content = DeviceProofContent(
            audience: try Issuer(issuer), deviceID: id, thumbprint: try key.thumbprint,
            codeChallenge: try CodeChallenge(Journey.challenge),
            nonce: try Nonce(server.server.context.proofs.currentNonce()), issuedAt: try Self.now())
        return try await step(
            fields + [
                ("device_id", id.rawValue), ("device_proof", try await content.signed(by: deviceKey).reveal()),
            ])
    }

    /// One request to the endpoint of native sign-in.
    func step(_ fields: [(String, String)]) async throws -> TestResponse {
        var form = FormParameters()
        form.append("client_id", "wallet")
        form.append("scope", scope)
        form.append("code_challenge", Journey.challenge)
        form.append("code_challenge_method", "S256")
        for (name, value) in fields { form.append(name, value) }
        return try await client.post(
            Self.signIn, body: form.encoded, "application/x-www-form-urlencoded",
            [.dpop: key.proof(Self.signIn, nonce: server.server.context.proofs.currentNonce(), issuer: issuer)])
    }

    /// The answer to an enrollment.
    func enroll() async throws -> TestResponse {
        let challenge = try await challenge("enroll")
        let payload = try #require(token.reveal().split(separator: ".").dropFirst().first)
        let claims = try JSONValue.object(parsing: try #require(Base64URL.decode(String(payload))))
        let account = try AccountID(try #require(claims["sub"]?.string))
        let proof = try EnrollmentProof(
            audience: Issuer(issuer), account: account, nonce: challenge.nonce,
            thumbprint: key.thumbprint, name: "Maria's phone", platform: "ios/18.2", issuedAt: Self.now())
        let request = DeviceEnrollmentRequest(
            name: try DeviceName("Maria's phone"), platform: try DevicePlatform("ios/18.2"),
            deviceKey: try #require(deviceKey.publicJWK), challengeID: challenge.challengeID,
            proof: try DeviceProof(await proof.signed(by: deviceKey)))
        return try await send(.post, "/v1/devices", String(decoding: request.json.bytes, as: UTF8.self))
    }

    static func now() throws -> NumericDate {
        try #require(NumericDate(exactly: Int64(Date().timeIntervalSince1970)))
    }
}

/// Serves an enrolled phone, signed in with two factors a moment ago.
func withPhone(_ body: @Sendable (TestServer, PhoneOverHTTP) async throws -> Void) async throws {
    try await TestServer.serve { server, client in
        try await body(server, try await PhoneOverHTTP.enrolled(server, client))
    }
}
