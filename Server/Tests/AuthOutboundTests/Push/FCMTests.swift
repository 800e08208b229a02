import Core
import Crypto
import CryptoExtras
import Foundation
import Synchronization
import Testing
import WalletAuthWire

@testable import Outbound

@Suite("Pushes by Firebase", .covers("pushes about approvals"))
struct FCMTests {
    private static let start = Timestamp(seconds: 1_700_000_000)
    private static let subject = "0190aaaa-0000-7000-8000-00000000000a"
    private static let key = Result { try _RSA.Signing.PrivateKey(keySize: .bits2048) }

    private func file(_ change: (inout JSONObject) -> Void = { _ in }) throws -> [UInt8] {
        var json = JSONObject(strings: [
            "type": "service_account", "project_id": "example-wallet", "private_key_id": "k1",
            "private_key": try Self.key.get().pemRepresentation, "client_email": "push@example-wallet.iam",
            "token_uri": "https://oauth2.googleapis.com/token",
        ])
        change(&json)
        return json.bytes
    }

    private func message(text: String = "Something waits for your approval") -> OutgoingMessage {
        OutgoingMessage(
            id: "0190aaaa-0000-7000-8000-000000000001", kind: "approval_push", recipient: "fcm:token_1", subject: "",
            text: text, createdAt: Self.start, expiresAt: Self.start + .minutes(5),
            push: PushTarget(service: .fcm, subject: Self.subject, subjectKind: "transaction"))
    }

    private func transport(to server: HTTP2Server) throws -> FCMTransport {
        FCMTransport(try FCMCredentials(file: file()), url: server.url, http: server.client())
    }

    /// Gives access tokens of an hour with growing numbers, and answers messages as the test says.
    private func server(
        _ answer: @escaping @Sendable (HTTP2Server.Request) -> HTTP2Server.Answer = { _ in .init(status: 200) }
    ) async throws -> HTTP2Server {
        let given = Mutex(0)
        return try await HTTP2Server.start { request in
            guard request.path == "/token" else { return answer(request) }
            let number = given.withLock {
                $0 += 1
                return $0
            }
            return .init(
                status: 200, body: #"{"access_token":"token\#(number)","expires_in":3600,"token_type":"Bearer"}"#)
        }
    }

    private func sent(to server: HTTP2Server) -> [HTTP2Server.Request] {
        server.requests.filter { $0.path == "/v1/projects/example-wallet/messages:send" }
    }

    @Test("A push has an id, a kind and a sentence, ends with its subject, and replaces an earlier one about it")
    func request() async throws {
        let server = try await server()
        #expect(try await transport(to: server).deliver(message(), now: Self.start + .minutes(1)) == .delivered)
        let request = try #require(sent(to: server).first)
        #expect(request.method == "POST")
        #expect(request.headers["authorization"] == "Bearer token1")
        let body = try JSONValue.object(parsing: Array(request.body.utf8))
        let content = try #require(body["message"]?.object)
        #expect(content["token"]?.string == "fcm:token_1")
        #expect(content["notification"] == ["body": "Something waits for your approval"])
        #expect(content["data"] == ["id": .string(Self.subject), "kind": "transaction"])
        #expect(content["android"] == ["collapse_key": .string(Self.subject), "priority": "HIGH", "ttl": "240s"])
    }

    @Test("The access token is asked for with an assertion of the service account")
    func assertion() async throws {
        let server = try await server()
        _ = try await transport(to: server).deliver(message(), now: Self.start)
        let request = try #require(server.requests.first { $0.path == "/token" })
        let form = try FormParameters(parsing: request.body)
        #expect(form.values("grant_type") == ["urn:ietf:params:oauth:grant-type:jwt-bearer"])
        let parts = try #require(form.values("assertion").first).split(separator: ".").map(String.init)
        try #require(parts.count == 3)
        let signature = _RSA.Signing.RSASignature(rawRepresentation: try #require(Base64URL.decode(parts[2])))
        let signed = SHA256.hash(data: Data("\(parts[0]).\(parts[1])".utf8))
        let key = try Self.key.get().publicKey
        #expect(key.isValidSignature(signature, for: signed, padding: .insecurePKCS1v1_5))
        let head = try JSONValue.object(parsing: try #require(Base64URL.decode(parts[0])))
        #expect(head["alg"]?.string == "RS256" && head["kid"]?.string == "k1")
        let claims = try JSONValue.object(parsing: try #require(Base64URL.decode(parts[1])))
        #expect(claims["iss"]?.string == "push@example-wallet.iam")
        #expect(claims["aud"]?.string == "\(server.url)/token")
        #expect(claims["scope"]?.string == "https://www.googleapis.com/auth/firebase.messaging")
        #expect(claims["iat"]?.integer == 1_700_000_000)
        #expect(claims["exp"]?.integer == 1_700_003_600)
    }

    @Test("One access token serves until shortly before its end, also pushes that begin at the same time")
    func keptToken() async throws {
        let server = try await server()
        let transport = try transport(to: server)
        try await withThrowingTaskGroup { group in
            for _ in 0..<20 { group.addTask { try await transport.deliver(message(), now: Self.start) } }
            for try await outcome in group { #expect(outcome == .delivered) }
        }
        for minute: Int64 in [54, 55] { _ = try await transport.deliver(message(), now: Self.start + .minutes(minute)) }
        let tokens = sent(to: server).map { $0.headers["authorization"] }
        #expect(Set(tokens.dropLast()) == ["Bearer token1"])
        #expect(tokens.last == "Bearer token2")
        #expect(Set(server.requests.map(\.connection)).count == 1)
    }

    @Test("An access token that is refused is replaced once, and the push is sent again")
    func refusedToken() async throws {
        let server = try await server { request in
            request.headers["authorization"] == "Bearer token1" ? .init(status: 401) : .init(status: 200)
        }
        #expect(try await transport(to: server).deliver(message(), now: Self.start) == .delivered)
        #expect(sent(to: server).count == 2)
        let closed = try await self.server { _ in .init(status: 401) }
        let outcome = try await transport(to: closed).deliver(message(), now: Self.start)
        #expect(outcome == .unavailable("fcm: 401: check push.fcm.credentialsFile and the account's roles"))
        #expect(sent(to: closed).count == 2)
    }

    @Test("Of pushes that begin at the same time with a refused access token, one asks for another")
    func refusedAtOnce() async throws {
        let server = try await server { request in
            request.headers["authorization"] == "Bearer token1" ? .init(status: 401) : .init(status: 200)
        }
        let transport = try transport(to: server)
        try await withThrowingTaskGroup { group in
            for _ in 0..<20 { group.addTask { try await transport.deliver(message(), now: Self.start) } }
            for try await outcome in group { #expect(outcome == .delivered) }
        }
        #expect(server.requests.count { $0.path == "/token" } == 2)
    }

    @Test("Without an access token the push waits, and the reason names the file", arguments: [400, 401, 503])
    func noToken(_ status: Int) async throws {
        let server = try await HTTP2Server.start { _ in .init(status: status, headers: ["retry-after": "9"]) }
        let outcome = try await transport(to: server).deliver(message(), now: Self.start)
        let remedy = status == 503 ? "" : ": check push.fcm.credentialsFile and this server's clock"
        #expect(outcome == .unavailable("fcm: no access token, \(status)\(remedy)", retryAfter: .seconds(9)))
        #expect(sent(to: server).isEmpty)
    }

    @Test(
        "Each documented answer has one consequence: later, never, or the address is taken away",
        arguments: [
            (404, "UNREGISTERED", DeliveryOutcome.unregistered("fcm: UNREGISTERED")),
            (404, "", .unavailable("fcm: 404: check the project in push.fcm.credentialsFile")),
            (400, "INVALID_ARGUMENT", .refused("fcm: INVALID_ARGUMENT")),
            (403, "SENDER_ID_MISMATCH", .refused("fcm: SENDER_ID_MISMATCH: the app registered with another project")),
            (403, "", .unavailable("fcm: 403: check push.fcm.credentialsFile and the account's roles")),
            (429, "QUOTA_EXCEEDED", .postponed("fcm: QUOTA_EXCEEDED", retryAfter: .minutes(1))),
            (500, "INTERNAL", .unavailable("fcm: 500")),
            (503, "UNAVAILABLE", .unavailable("fcm: 503")),
        ])
    func answers(_ status: Int, _ code: String, _ expected: DeliveryOutcome) async throws {
        let type = "type.googleapis.com/google.firebase.fcm.v1.FcmError"
        let details = code.isEmpty ? "" : #"{"@type":"\#(type)","errorCode":"\#(code)"}"#
        let body = #"{"error":{"code":\#(status),"message":"ada@example.com","details":[\#(details)]}}"#
        let server = try await server { _ in .init(status: status, body: body) }
        #expect(try await transport(to: server).deliver(message(), now: Self.start) == expected)
    }

    @Test("Firebase's request to wait is heeded, after 429 and 503", arguments: [429, 503])
    func retryAfter(_ status: Int) async throws {
        let server = try await server { _ in .init(status: status, headers: ["retry-after": "17"]) }
        let outcome = try await transport(to: server).deliver(message(), now: Self.start)
        #expect(outcome == .unavailable("fcm: \(status)", retryAfter: .seconds(17)))
    }

    @Test("A payload that would not fit is refused, and not sent")
    func tooLarge() async throws {
        let server = try await server()
        let outcome = try await transport(to: server).deliver(
            message(text: String(repeating: "x", count: 4096)), now: Self.start)
        #expect(outcome == .refused("fcm: the payload is too large"))
        #expect(server.requests.isEmpty)
    }

    @Test(
        "A file that is no service account's key is refused with what it lacks",
        arguments: [
            ("type", JSONValue.string("authorized_user"), "service_account"), ("project_id", .null, "project_id"),
            ("project_id", "a/b", "project_id"), ("client_email", .null, "client_email"),
            ("private_key", "-----BEGIN PRIVATE KEY-----", "private_key"),
        ] as [(String, JSONValue, String)])
    func files(_ member: String, _ value: JSONValue, _ named: String) throws {
        let file = try file { $0[member] = value }
        let fault = #expect(throws: MalformedValue.self) { try FCMCredentials(file: file) }
        #expect(fault?.reason.contains(named) == true)
        #expect(throws: MalformedValue.self) { try FCMCredentials(file: Array("no JSON".utf8)) }
        #expect("\(try FCMCredentials(file: self.file()))" == "<redacted>")
    }

    @Test("Each push goes by the service that issued its token, and waits for one that is not configured")
    func services() async throws {
        let server = try await server()
        let transports = PushTransports([.fcm: try transport(to: server)])
        #expect(try await transports.deliver(message(), now: Self.start) == .delivered)
        var other = message()
        other.push?.service = .apns
        let waiting = try await transports.deliver(other, now: Self.start)
        #expect(waiting == .postponed("apns: the service is not configured"))
    }
}
