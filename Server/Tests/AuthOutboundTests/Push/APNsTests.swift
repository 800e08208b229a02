import Core
import Crypto
import Foundation
import Synchronization
import Testing
import WalletAuthWire

@testable import Outbound

@Suite("Pushes by Apple's service", .covers("pushes about approvals"))
struct APNsTests {
    private static let start = Timestamp(seconds: 1_700_000_000)
    private static let subject = "0190aaaa-0000-7000-8000-00000000000a"
    private static let device = String(repeating: "c0de", count: 16)

    private let team = P256.Signing.PrivateKey()

    private func message(
        _ id: String = "0190aaaa-0000-7000-8000-000000000001", text: String = "Something waits for your approval",
        isDevelopment: Bool = false, topic: String? = nil
    ) -> OutgoingMessage {
        OutgoingMessage(
            id: id, kind: "approval_push", recipient: Self.device, subject: "", text: text, createdAt: Self.start,
            expiresAt: Self.start + .minutes(5),
            push: PushTarget(
                service: .apns, isDevelopment: isDevelopment, topic: topic, subject: Self.subject,
                subjectKind: "transaction"))
    }

    private func transport(
        to server: HTTP2Server, topic: String? = "com.example.wallet", policy: AddressPolicy = .loopback
    ) throws -> APNsTransport {
        let key = try ApplePrivateKey(file: Array(team.pemRepresentation.utf8))
        return APNsTransport(
            APNsKey(team: "TEAM123456", id: "KEY1234567", key: key), topic: topic, url: server.url,
            http: server.client(policy: policy))
    }

    /// The claims of the provider token of a request, once its signature and header are right.
    private func claims(of request: HTTP2Server.Request) throws -> JSONObject {
        let header = try #require(request.headers["authorization"])
        #expect(header.hasPrefix("bearer "))
        let parts = header.dropFirst("bearer ".count).split(separator: ".").map(String.init)
        try #require(parts.count == 3)
        let signature = try P256.Signing.ECDSASignature(
            rawRepresentation: try #require(Base64URL.decode(parts[2])))
        #expect(team.publicKey.isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])".utf8)))
        let head = try JSONValue.object(parsing: try #require(Base64URL.decode(parts[0])))
        #expect(head["alg"]?.string == "ES256")
        #expect(head["kid"]?.string == "KEY1234567")
        return try JSONValue.object(parsing: try #require(Base64URL.decode(parts[1])))
    }

    @Test("A push has the headers that Apple asks for, and its payload has an id, a kind and a sentence")
    func request() async throws {
        let server = try await HTTP2Server.start { _ in .init(status: 200) }
        let outcome = try await transport(to: server).deliver(message(), now: Self.start)
        #expect(outcome == .delivered)
        let request = try #require(server.requests.first)
        #expect(request.method == "POST")
        #expect(request.path == "/3/device/\(Self.device)")
        let expected = [
            "apns-topic": "com.example.wallet", "apns-push-type": "alert", "apns-priority": "10",
            "apns-expiration": "1700000300", "apns-collapse-id": Self.subject,
            "apns-id": "0190aaaa-0000-7000-8000-000000000001",
        ]
        for (name, value) in expected { #expect(request.headers[name] == value, "\(name)") }
        let alert = #"{"alert":{"body":"Something waits for your approval"},"sound":"default"}"#
        #expect(request.body == #"{"aps":\#(alert),"id":"\#(Self.subject)","kind":"transaction"}"#)
        let claims = try claims(of: request)
        #expect(claims["iss"]?.string == "TEAM123456")
        #expect(claims["iat"]?.integer == 1_700_000_000)
        #expect(claims.members.count == 2)
    }

    @Test("A client's topic is used in place of the server's, and without any topic nothing is sent")
    func topic() async throws {
        let server = try await HTTP2Server.start { _ in .init(status: 200) }
        let other = try await transport(to: server).deliver(message(topic: "com.example.other"), now: Self.start)
        #expect(other == .delivered)
        #expect(server.requests.map { $0.headers["apns-topic"] } == ["com.example.other"])
        let none = try await transport(to: server, topic: nil).deliver(message(), now: Self.start)
        guard case .postponed(let reason, nil) = none else {
            Issue.record("\(none)")
            return
        }
        #expect(reason.contains("push.apns.topic"))
        #expect(server.requests.count == 1)
    }

    @Test("A hundred pushes at once share one connection and one provider token, and each arrives")
    func multiplexed() async throws {
        let server = try await HTTP2Server.start { _ in .init(status: 200) }
        let transport = try transport(to: server)
        let ids = (100..<200).map { "0190aaaa-0000-7000-8000-000000000\($0)" }
        try await withThrowingTaskGroup { group in
            for id in ids { group.addTask { try await transport.deliver(message(id), now: Self.start) } }
            for try await outcome in group { #expect(outcome == .delivered) }
        }
        #expect(server.requests.compactMap { $0.headers["apns-id"] }.sorted() == ids)
        #expect(Set(server.requests.map(\.connection)).count == 1)
        #expect(Set(server.requests.map { $0.headers["authorization"] }).count == 1)
    }

    @Test("Pushes that follow each other arrive in their order")
    func order() async throws {
        let server = try await HTTP2Server.start { _ in .init(status: 200) }
        let transport = try transport(to: server)
        let ids = (100..<110).map { "0190aaaa-0000-7000-8000-000000000\($0)" }
        for id in ids { _ = try await transport.deliver(message(id), now: Self.start) }
        #expect(server.requests.compactMap { $0.headers["apns-id"] } == ids)
    }

    private static let invalidToken = "check push.apns.team, push.apns.keyId and push.apns.keyFile"
    private static let wrongTopic = "check push.apns.topic and the client's --push-topic"

    @Test(
        "Each documented answer has one consequence: delivered, later, never, or the address is taken away",
        arguments: [
            (410, "Unregistered", DeliveryOutcome.unregistered("apns: Unregistered", since: start - .hours(1))),
            (410, "ExpiredToken", .unregistered("apns: ExpiredToken", since: start - .hours(1))),
            (400, "BadDeviceToken", .unregistered("apns: BadDeviceToken")),
            (400, "DeviceTokenNotForTopic", .unregistered("apns: DeviceTokenNotForTopic")),
            (400, "TopicDisallowed", .postponed("apns: TopicDisallowed: \(wrongTopic)")),
            (400, "MissingTopic", .postponed("apns: MissingTopic: \(wrongTopic)")),
            (400, "BadMessageId", .refused("apns: 400")),
            (400, "PayloadEmpty", .refused("apns: 400")),
            (403, "InvalidProviderToken", .unavailable("apns: InvalidProviderToken: \(invalidToken)")),
            (403, "MissingProviderToken", .unavailable("apns: MissingProviderToken: \(invalidToken)")),
            (403, "ExpiredProviderToken", .unavailable("apns: ExpiredProviderToken: check this server's clock")),
            (404, "BadPath", .postponed("apns: 404")),
            (405, "MethodNotAllowed", .postponed("apns: 405")),
            (413, "PayloadTooLarge", .refused("apns: PayloadTooLarge")),
            (429, "TooManyRequests", .postponed("apns: TooManyRequests")),
            (429, "TooManyProviderTokenUpdates", .unavailable("apns: TooManyProviderTokenUpdates")),
            (500, "InternalServerError", .unavailable("apns: 500")),
            (503, "ServiceUnavailable", .unavailable("apns: 503")),
            (503, "Shutdown", .unavailable("apns: 503")),
        ])
    func answers(_ status: Int, _ reason: String, _ expected: DeliveryOutcome) async throws {
        let since = (Self.start - .hours(1)).milliseconds
        let body = status == 410 ? #"{"reason":"\#(reason)","timestamp":\#(since)}"# : #"{"reason":"\#(reason)"}"#
        let server = try await HTTP2Server.start { _ in .init(status: status, body: body) }
        let outcome = try await transport(to: server).deliver(message(), now: Self.start)
        #expect(outcome == expected)
        #expect(server.requests.count == 1)
    }

    @Test("Apple's request to wait is heeded, after 429 and 503", arguments: [429, 503])
    func retryAfter(_ status: Int) async throws {
        let server = try await HTTP2Server.start { _ in .init(status: status, headers: ["retry-after": "17"]) }
        let outcome = try await transport(to: server).deliver(message(), now: Self.start)
        #expect(outcome == .unavailable("apns: \(status)", retryAfter: .seconds(17)))
    }

    @Test("An answer's own words reach no log, and one that is not JSON has its status")
    func foreignWords() async throws {
        let server = try await HTTP2Server.start { request in
            .init(status: 400, body: request.connection == 1 ? #"{"reason":"ada@example.com"}"# : "<html>")
        }
        let outcome = try await transport(to: server).deliver(message(), now: Self.start)
        #expect(outcome == .refused("apns: 400"))
    }

    @Test("A payload that would not fit is refused, and not sent")
    func tooLarge() async throws {
        let server = try await HTTP2Server.start { _ in .init(status: 200) }
        let transport = try transport(to: server)
        let outcome = try await transport.deliver(
            message(text: String(repeating: "x", count: 4096)), now: Self.start)
        #expect(outcome == .refused("apns: the payload is too large"))
        #expect(server.requests.isEmpty)
        let frame = #"{"aps":{"alert":{"body":""},"sound":"default"},"id":"\#(Self.subject)","kind":"transaction"}"#
        let fitting = String(repeating: "x", count: 4096 - frame.utf8.count)
        #expect(try await transport.deliver(message(text: fitting), now: Self.start) == .delivered)
        #expect(server.requests.first?.body.utf8.count == 4096)
        let outcomeOfOneMore = try await transport.deliver(message(text: fitting + "x"), now: Self.start)
        #expect(outcomeOfOneMore == .refused("apns: the payload is too large"))
    }

    @Test("The provider token is kept for at least 20 minutes, and renewed within the hour")
    func renewal() async throws {
        let server = try await HTTP2Server.start { _ in .init(status: 200) }
        let transport = try transport(to: server)
        let minutes: [Int64] = [0, 19, 39, 40, 59, 79, 80]
        for minute in minutes { _ = try await transport.deliver(message(), now: Self.start + .minutes(minute)) }
        let issued = try server.requests.map { try claims(of: $0)["iat"]?.integer }
        #expect(issued.map { ($0 ?? 0) - 1_700_000_000 } == [0, 0, 0, 2400, 2400, 2400, 4800])
    }

    @Test("A token that Apple calls expired is renewed at once, and the push is sent again")
    func expiredToken() async throws {
        let old = Mutex<String?>(nil)
        let server = try await HTTP2Server.start { request in
            let token = request.headers["authorization"]
            let isOld = old.withLock { old in
                if old == nil { old = token }
                return old == token
            }
            return request.headers["apns-id"] == "first" || !isOld
                ? .init(status: 200) : .init(status: 403, body: #"{"reason":"ExpiredProviderToken"}"#)
        }
        let transport = try transport(to: server)
        #expect(try await transport.deliver(message("first"), now: Self.start) == .delivered)
        #expect(try await transport.deliver(message("second"), now: Self.start + .minutes(25)) == .delivered)
        #expect(server.requests.map { $0.headers["apns-id"] } == ["first", "second", "second"])
        let issued = try server.requests.map { try claims(of: $0)["iat"]?.integer }
        #expect(issued == [1_700_000_000, 1_700_000_000, 1_700_001_500])
    }

    @Test(
        "A token younger than 20 minutes is not renewed, whatever Apple says: it refuses tokens that change too often")
    func youngToken() async throws {
        let server = try await HTTP2Server.start { _ in
            .init(status: 403, body: #"{"reason":"ExpiredProviderToken"}"#)
        }
        let transport = try transport(to: server)
        for minute: Int64 in [0, 10, 19] {
            let outcome = try await transport.deliver(message(), now: Self.start + .minutes(minute))
            #expect(outcome == .unavailable("apns: ExpiredProviderToken: check this server's clock"))
        }
        #expect(Set(server.requests.map { $0.headers["authorization"] }).count == 1)
        #expect(server.requests.count == 3)
    }

    @Test("A push whose connection breaks is postponed, and the next one has another connection")
    func brokenConnection() async throws {
        let server = try await HTTP2Server.start { $0.connection == 1 ? .absent : .init(status: 200) }
        let transport = try transport(to: server)
        let first = try await transport.deliver(message(), now: Self.start)
        guard case .unavailable(_, nil) = first else {
            Issue.record("\(first)")
            return
        }
        #expect(try await transport.deliver(message(), now: Self.start) == .delivered)
        #expect(server.requests.map(\.connection) == [1, 2])
    }

    @Test("A connection on which the service breaks a rule of HTTP/2 ends at once, and the next push has another")
    func brokenRule() async throws {
        let server = try await HTTP2Server.start { .init(status: 200, emptyFrames: $0.connection == 1 ? 5 : 0) }
        let transport = try transport(to: server)
        let first = try await transport.deliver(message(), now: Self.start)
        #expect(first == .unavailable("apns: \(OutboundFault.broken)"))
        #expect(try await transport.deliver(message(), now: Self.start) == .delivered)
        #expect(server.requests.map(\.connection) == [1, 2])
    }

    @Test("A push service at a private address is not reached unless the operator permits it")
    func privateAddress() async throws {
        let server = try await HTTP2Server.start { _ in .init(status: 200) }
        let outcome = try await transport(to: server, policy: AddressPolicy()).deliver(message(), now: Self.start)
        #expect(outcome == .unavailable("apns: \(OutboundFault.forbiddenAddress)"))
        #expect(server.requests.isEmpty)
    }
}
