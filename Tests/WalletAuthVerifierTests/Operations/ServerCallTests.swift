import Crypto
import Testing
import WalletAuthTransport
import WalletAuthWire

@testable import WalletAuthVerifier

@Suite("A backend's calls", .threat("a stolen bound token")) struct ServerCallTests {
    private let server: OperationsServer

    init() throws { server = try OperationsServer() }

    private func status(_ operations: WalletOperations) async -> OperationRefusal? {
        do {
            _ = try await operations.status(of: try WalletOperationID("op-1"))
            return nil
        } catch { return error as? OperationRefusal }
    }

    private func answering(_ handler: @escaping TestIssuer.Handler) {
        server.server.on("GET", "/v1/wallet-operations/op-1", handler)
    }

    private func tokenRequests() -> [OutboundRequest] { server.server.requests(to: Endpoints.token.path) }

    @Test("A hundred calls at once fetch one token, by client_secret_basic, and keep it for most of its life")
    func oneToken() async throws {
        let server = server
        answering { _ in try server.created(try WalletOperationID("op-1"), .verified) }
        let operations = try server.client()
        let good = await KeyFetchTests.count(100) { await self.status(operations) == nil }
        #expect(good == 100)
        let request = try #require(tokenRequests().first)
        #expect(tokenRequests().count == 1)
        let form = try FormParameters(parsing: request.body ?? [])
        #expect(form["grant_type"] == "client_credentials")
        #expect(form["scope"] == "wallet_operations")
        #expect(form["resource"] == "https://auth.example")
        #expect(form["client_secret"] == nil)
        let header = request.headers.first { $0.name == "Authorization" }?.value
        let read = try ClientAuthentication(form: form, authorization: header)
        let secret = try ClientSecret("s:e c/ret")
        #expect(read == .basic(server.clientID, secret))
        server.server.clock.advance(by: .seconds(269))
        _ = await status(operations)
        #expect(tokenRequests().count == 1)
        server.server.clock.advance(by: .seconds(1))
        _ = await status(operations)
        #expect(tokenRequests().count == 2)
    }

    @Test("private_key_jwt: an assertion for the issuer, for a minute, another for each request")
    func assertion() async throws {
        let server = server
        answering { _ in try server.created(try WalletOperationID("op-1"), .verified) }
        let key = P256Signer(P256.Signing.PrivateKey(), keyID: "client-key")
        let lost = LockedValue(true)
        server.server.on("POST", Endpoints.token.path) { _ in
            if lost.withLock({ lost in
                defer { lost = false }
                return lost
            }) {
                throw OutboundFailure(.lost, reason: "gone")
            }
            return OutboundResponse(status: 200, body: Array(#"{"access_token":"t","token_type":"bearer"}"#.utf8))
        }
        let refusal = await status(try server.client(.privateKey(server.clientID, key)))
        #expect(refusal == nil)
        #expect(tokenRequests().count == 2)
        var names: Set<String> = []
        for request in tokenRequests() {
            let form = try FormParameters(parsing: request.body ?? [])
            #expect(form["client_assertion_type"] == ClientAuthentication.assertionType)
            let jws = try CompactJWS(try #require(form["client_assertion"]))
            let verifier = try #require(key.publicJWK).verifier()
            let claims = try jws.verified(by: verifier, type: .clientAuthentication).claims()
            try claims.validate(
                JWTRules(
                    issuer: "backend", audiences: ["https://auth.example"], subject: "backend", leeway: .zero,
                    maximumLifetime: .seconds(60)), now: ManualBackendClock.start)
            names.insert(try claims.string("jti"))
        }
        #expect(names.count == 2)
    }

    @Test("With a key the token is asked for and shown with proofs, and nonces are followed once")
    func bound() async throws {
        let server = server
        let key = P256Signer(P256.Signing.PrivateKey())
        let clock = server.server.clock
        server.server.on("POST", Endpoints.token.path) { request in
            let header = request.headers.first { $0.name == "DPoP" }?.value ?? ""
            let proof = try DPoPProof.verified(
                header,
                for: DPoPProof.Expectation(method: "POST", target: try HTTPTarget("https://auth.example/oauth2/token")),
                now: clock.now())
            guard proof.nonce?.rawValue == "n1" else {
                return OutboundResponse(
                    status: 400, headers: [HeaderField("DPoP-Nonce", "n1")],
                    body: Array(#"{"error":"use_dpop_nonce"}"#.utf8))
            }
            return OutboundResponse(status: 200, body: Array(#"{"access_token":"bound","token_type":"DPoP"}"#.utf8))
        }
        answering { request in
            let header = request.headers.first { $0.name == "DPoP" }?.value ?? ""
            let proof = try DPoPProof.verified(
                header,
                for: DPoPProof.Expectation(
                    method: "GET", target: try HTTPTarget("https://auth.example/v1/wallet-operations/op-1"),
                    accessToken: try AccessToken("bound")), now: clock.now())
            guard proof.nonce?.rawValue == "n2" else {
                return OutboundResponse(
                    status: 401,
                    headers: [
                        HeaderField("dpop-nonce", "n2"),
                        HeaderField("WWW-Authenticate", #"DPoP error="use_dpop_nonce""#),
                    ])
            }
            return try server.created(try WalletOperationID("op-1"), .verified)
        }
        let refusal = await status(try server.client(proofKey: key))
        #expect(refusal == nil, "\(refusal?.reason ?? "")")
        #expect(tokenRequests().count == 2)
        #expect(server.server.requests(to: "/v1/wallet-operations/op-1").count == 2)
    }

    @Test("attack: a bearer token in place of a bound one is not used")
    func downgrade() async throws {
        let refusal = await status(try server.client(proofKey: P256Signer(P256.Signing.PrivateKey())))
        #expect(refusal?.code == .malformedAnswer)
        #expect(server.server.requests(to: "/v1/wallet-operations/op-1").isEmpty)
    }

    @Test("A refused credential is reported before anything is asked for; a good one gets its token once")
    func prepared() async throws {
        let client = try server.client()
        try await client.prepare()
        try await client.prepare()
        #expect(tokenRequests().count == 1)
        server.server.on("POST", Endpoints.token.path) { _ in
            OutboundResponse(status: 401, body: Array(#"{"error":"invalid_client"}"#.utf8))
        }
        let refused = try server.client()
        let error = await #expect(throws: OperationRefusal.self) { try await refused.prepare() }
        #expect(error?.code == .credentialRefused)
    }

    @Test("A token that the server does not take is renewed once; a second 401 is the credential's")
    func renewal() async throws {
        answering { _ in OutboundResponse(status: 401) }
        let refusal = await status(try server.client())
        #expect(refusal?.code == .credentialRefused)
        #expect(refusal?.answer.status == 500)
        #expect(tokenRequests().count == 2)
    }

    @Test("A refused credential is reported as such, once")
    func wrongCredential() async throws {
        server.server.on("POST", Endpoints.token.path) { _ in
            OutboundResponse(status: 401, body: Array(#"{"error":"invalid_client"}"#.utf8))
        }
        let refusal = await status(try server.client())
        #expect(refusal?.code == .credentialRefused)
        #expect(refusal?.certainty == .nothingHappened)
        #expect(tokenRequests().count == 1)
    }

    @Test(
        "What answers in the token endpoint's place says nothing of the credential",
        arguments: [
            (302, "", OperationRefusal.Code.malformedAnswer), (404, "<html></html>", .malformedAnswer),
            (404, #"{"error":"invalid_client"}"#, .credentialRefused), (403, "", .credentialRefused),
        ])
    func otherAnswers(status number: Int, body: String, code: OperationRefusal.Code) async throws {
        server.server.on("POST", Endpoints.token.path) { _ in
            OutboundResponse(status: number, body: Array(body.utf8))
        }
        let refusal = await status(try server.client())
        #expect(refusal?.code == code)
        #expect(refusal?.certainty == .nothingHappened)
    }

    @Test("What is lost or cannot be answered now is sent three times, and a short Retry-After is kept")
    func retries() async throws {
        answering { _ in OutboundResponse(status: 503, headers: [HeaderField("Retry-After", "2")]) }
        let refusal = await status(try server.client())
        #expect(refusal?.code == .temporarilyUnavailable)
        #expect(refusal?.certainty == .unknown)
        #expect(refusal?.retryAfter == .seconds(2))
        #expect(refusal?.answer.values("Retry-After") == ["2"])
        #expect(server.server.requests(to: "/v1/wallet-operations/op-1").count == 3)
        let pauses = server.server.clock.pauses
        #expect(pauses.count == 2)
        #expect(pauses.allSatisfy { $0 >= .seconds(2) && $0 <= .milliseconds(2400) })
    }

    @Test("408 and 425 are temporary too, and whether the call took effect is unknown", arguments: [408, 425])
    func temporary(number: Int) async throws {
        answering { _ in OutboundResponse(status: number) }
        let refusal = await status(try server.client())
        #expect(refusal?.certainty == .unknown)
        #expect(server.server.requests(to: "/v1/wallet-operations/op-1").count == 3)
    }

    @Test("A long Retry-After is the caller's; what was turned away or never sent has not happened")
    func certainty() async throws {
        answering { _ in OutboundResponse(status: 429, headers: [HeaderField("Retry-After", "60")]) }
        let busy = await status(try server.client())
        #expect(busy?.certainty == .nothingHappened)
        #expect(busy?.retryAfter == .seconds(60))
        #expect(server.server.requests(to: "/v1/wallet-operations/op-1").count == 1)
        answering { _ in throw OutboundFailure(.notSent, reason: "refused") }
        let unsent = await status(try server.client())
        #expect(unsent?.certainty == .nothingHappened)
        answering { _ in throw OutboundFailure(.untrusted, reason: "certificate") }
        let before = server.server.requests(to: "/v1/wallet-operations/op-1").count
        let untrusted = await status(try server.client())
        #expect(untrusted?.certainty == .nothingHappened)
        #expect(server.server.requests(to: "/v1/wallet-operations/op-1").count == before + 1)
        // Lost first, refused then: the first may have arrived.
        let number = LockedValue(0)
        answering { _ in
            let isFirst = number.withLock { number in
                number += 1
                return number == 1
            }
            throw OutboundFailure(isFirst ? .lost : .notSent, reason: "trouble")
        }
        let doubtful = await status(try server.client())
        #expect(doubtful?.certainty == .unknown)
    }

    /// Loses the first answer, refuses the token of the second request, and answers the others with `rest`.
    private func losingTheFirst(then rest: @escaping TestIssuer.Handler) {
        let number = LockedValue(0)
        answering { request in
            let count = number.withLock { number in
                number += 1
                return number
            }
            switch count {
            case 1: throw OutboundFailure(.lost, reason: "gone")
            case 2: return OutboundResponse(status: 401)
            default: return try rest(request)
            }
        }
    }

    @Test("A call whose first answer was lost may have taken effect, though its token is refused afterwards")
    func doubtThroughRenewal() async throws {
        losingTheFirst { _ in OutboundResponse(status: 401) }
        let refused = await status(try server.client())
        #expect(refused?.code == .credentialRefused)
        #expect(refused?.certainty == .unknown)
        losingTheFirst { _ in throw OutboundFailure(.notSent, reason: "refused") }
        let unsent = await status(try server.client())
        #expect(unsent?.code == .temporarilyUnavailable)
        #expect(unsent?.certainty == .unknown)
        let scripted = server
        losingTheFirst { _ in scripted.problem(404, "event_not_found") }
        let named = await status(try server.client())
        #expect(named?.certainty == .nothingHappened, "the server's answer to the operation is an answer to both")
    }

    @Test("Where no token is had, nothing has happened, whatever became of the request for it")
    func noToken() async throws {
        server.server.on("POST", Endpoints.token.path) { _ in throw OutboundFailure(.lost, reason: "gone") }
        let refusal = await status(try server.client())
        #expect(refusal?.code == .temporarilyUnavailable)
        #expect(refusal?.certainty == .nothingHappened)
        #expect(server.server.requests(to: "/v1/wallet-operations/op-1").isEmpty)
    }

    @Test("What is sent, and what comes back, shows no secret when it is printed or dumped")
    func secrets() async throws {
        let refusal = await status(try server.client())
        var dumped = "\(refusal.map { String(reflecting: $0) } ?? "")"
        for request in server.server.state.withLock({ $0.requests }) {
            dumped += "\(request)"
            dump(request, to: &dumped)
        }
        dump(try server.client(), to: &dumped)
        dump(OutboundResponse(status: 200, body: Array("backend-token".utf8)), to: &dumped)
        for secret in ["backend-token", "s:e c/ret", "Basic "] { #expect(!dumped.contains(secret)) }
    }

    @Test("A refusal is one line in the log: code, reason, trace id, and whether the call may have taken effect")
    func inLog() {
        let lost = OperationRefusal(.temporarilyUnavailable, .unknown, traceID: "0af7", reason: "no answer")
        #expect("\(lost)" == "temporarily_unavailable: no answer (it may have taken effect) [trace 0af7]")
        let refused = OperationRefusal(.scaNotVerified, reason: "the person has not agreed")
        #expect("\(refused)" == "sca_not_verified: the person has not agreed")
        let forged = OperationRefusal(.badRequest, reason: "odd\n2026-11-27 INFO paid\u{1B}[2J")
        #expect("\(forged)" == "bad_request: odd 2026-11-27 INFO paid [2J")
        #expect("\(IssuerUnavailable(reason: "connection refused"))" == "connection refused")
    }

    @Test("An operation is cancelled")
    func cancels() async throws {
        let server = server
        server.server.on("DELETE", "/v1/wallet-operations/op-1") { _ in OutboundResponse(status: 204) }
        try await server.client().cancel(WalletOperationID("op-1"))
        #expect(server.server.requests(to: "/v1/wallet-operations/op-1").map(\.method) == ["DELETE"])
    }
}
