import Crypto
import Foundation
import Testing
import WalletAuthVerifier

@Suite("Webhooks that a backend verifies")
struct WebhookVerifierTests {
    private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    private static let other = "whsec_plJ3nmyCDGBKInavdOK15jslMfKQ9r8G"
    private static let body = Array(
        #"{"type":"transaction.signed","timestamp":"2027-01-15T08:00:00Z","data":{"transactionId":"t-1","status":"SIGNED","sub":"0190aaaa-0000-7000-8000-000000000001","clientId":"shop"}}"#
            .utf8)

    private let clock = ManualBackendClock()

    private func signature(
        _ body: [UInt8] = body, by secret: String = secret, id: String = "evt_1", at time: Int64
    ) throws -> String {
        let key = SymmetricKey(data: try #require(Data(base64Encoded: String(secret.dropFirst(6)))))
        let code = HMAC<SHA256>.authenticationCode(for: Array("\(id).\(time).".utf8) + body, using: key)
        return "v1," + Data(code).base64EncodedString()
    }

    private var now: Int64 { clock.now().secondsSince1970 }

    private func verify(
        _ signatures: String, by secrets: [String] = [secret], body: [UInt8] = body, id: String = "evt_1",
        at time: Int64
    ) throws -> WebhookEvent {
        let headers = ["webhook-id": id, "webhook-timestamp": String(time), "webhook-signature": signatures]
        return try WebhookVerifier(secrets.map { try WebhookSecret($0) }, clock: clock).verify(body) { headers[$0] }
    }

    /// The examples that the specification and its libraries publish, which are no events of this server.
    @Test(
        "The published signatures of Standard Webhooks are accepted",
        arguments: [
            (
                "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330,
                #"{"test": 2432232314}"#, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
            )
        ])
    func published(_ secret: String, _ id: String, _ time: Int64, _ body: String, _ signature: String) throws {
        let headers = ["webhook-id": id, "webhook-timestamp": String(time), "webhook-signature": signature]
        let verifier = WebhookVerifier([try WebhookSecret(secret)], tolerance: .seconds(1_000_000_000), clock: clock)
        // The signature is right, and the body is of another sender's form.
        #expect(throws: WebhookFault.malformed("the body is not an event")) {
            try verifier.verify(Array(body.utf8)) { headers[$0] }
        }
        let changed = headers.merging(["webhook-id": "msg_other"]) { $1 }
        #expect(throws: WebhookFault.wrongSignature) { try verifier.verify(Array(body.utf8)) { changed[$0] } }
    }

    @Test("An event has its id, its type and its members")
    func event() throws {
        let event = try verify(try signature(at: now), at: now)
        #expect(event.id == "evt_1")
        #expect(event.type == .transactionSigned)
        #expect(event.transactionID?.rawValue == "t-1")
        #expect(event.transactionStatus == .signed)
        #expect(event.account?.rawValue == "0190aaaa-0000-7000-8000-000000000001")
        #expect(event.client?.rawValue == "shop")
        #expect(event.device == nil)
        #expect(event.properties.isEmpty)
    }

    @Test("During a rotation either secret is enough, in whatever order the signatures come")
    func rotation() throws {
        let both = try [signature(by: Self.other, at: now), signature(at: now)].joined(separator: " ")
        #expect(try verify(both, by: [Self.secret], at: now).id == "evt_1")
        #expect(try verify(both, by: [Self.other], at: now).id == "evt_1")
        #expect(try verify(signature(at: now), by: [Self.other, Self.secret], at: now).id == "evt_1")
        #expect(try verify("v2,xyz " + both, by: [Self.secret], at: now).id == "evt_1")
    }

    @Test("attack: webhook replay: a recorded request is refused after five minutes, as is one from the future")
    func replay() throws {
        for distance in [-300, 300] as [Int64] {
            #expect(try verify(signature(at: now + distance), at: now + distance).id == "evt_1")
        }
        for distance in [-301, 301, Int64.min / 2] as [Int64] {
            #expect(throws: WebhookFault.tooOld) {
                try verify(try signature(at: now + distance), at: now + distance)
            }
        }
    }

    @Test("attack: a changed body, id or time, another secret, and a signature cut short are refused")
    func forged() throws {
        let good = try signature(at: now)
        #expect(throws: WebhookFault.wrongSignature) { try verify(good, body: Self.body + [0x20], at: now) }
        #expect(throws: WebhookFault.wrongSignature) { try verify(good, id: "evt_2", at: now) }
        #expect(throws: WebhookFault.wrongSignature) { try verify(good, at: now + 1) }
        #expect(throws: WebhookFault.wrongSignature) { try verify(good, by: [Self.other], at: now) }
        #expect(throws: WebhookFault.wrongSignature) { try verify(good, by: [], at: now) }
        for signature in ["", "v1,", String(good.dropLast(4)), "v1a" + good.dropFirst(2), String(good.dropFirst(3))] {
            #expect(throws: WebhookFault.wrongSignature) { try verify(signature, at: now) }
        }
    }

    @Test("A header that is missing or malformed, and a body that is too long, are refused")
    func malformed() throws {
        let verifier = WebhookVerifier([try WebhookSecret(Self.secret)], clock: clock)
        let headers = [
            "webhook-id": "evt_1", "webhook-timestamp": String(now), "webhook-signature": try signature(at: now),
        ]
        for name in headers.keys {
            #expect(throws: WebhookFault.missingHeader) {
                try verifier.verify(Self.body) { $0 == name ? nil : headers[$0] }
            }
        }
        for time in ["", "now", "+\(now)", "0\(now)", " \(now)"] {
            #expect(throws: WebhookFault.malformed("the header webhook-timestamp is not a number of seconds")) {
                try verifier.verify(Self.body) { $0 == "webhook-timestamp" ? time : headers[$0] }
            }
        }
        let long = [UInt8](repeating: 0x20, count: WebhookVerifier.maximumBytes + 1)
        #expect(throws: WebhookFault.malformed("the body is too long")) { try verifier.verify(long) { headers[$0] } }
    }

    @Test(
        "A secret is 24 to 64 bytes in base64, and is not shown", arguments: ["", "whsec_", "c2hvcnQ=", "no base64!"])
    func secrets(_ text: String) throws {
        #expect(throws: MalformedValue.self) { try WebhookSecret(text) }
        #expect("\(try WebhookSecret(Self.secret))" == "<redacted>")
        #expect(try WebhookSecret(String(Self.secret.dropFirst(6))).customMirror.children.isEmpty)
    }
}
