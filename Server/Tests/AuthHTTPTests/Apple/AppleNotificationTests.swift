import Core
import Crypto
import Foundation
import HTTPTypes
import HummingbirdTesting
import Kernel
import Operations
import Synchronization
import Testing
import WalletAuthWire

@testable import Apple

@Suite("Apple's notifications over HTTP")
struct AppleNotificationTests {
    private static let path = "/v1/federation/apple/notifications"

    private struct Unreachable: Error {}

    /// What Apple publishes; nothing while it is down.
    private final class Keys: Sendable {
        private let published = Mutex<[JWK]?>(nil)

        var http: ProviderHTTP {
            ProviderHTTP { request in
                guard request.url == "https://appleid.apple.com/auth/keys", let keys = self.published.withLock({ $0 })
                else { throw Unreachable() }
                return ProviderHTTP.Answer(status: 200, body: JWKSet(keys).json.bytes)
            }
        }

        func publish(_ keys: [JWK]) { published.withLock { $0 = keys } }
    }

    private func payload(_ signer: RS256Signer, id: String, audience: String = "com.example.wallet") throws -> String {
        let now = Int64(Date().timeIntervalSince1970)
        var claims = JSONObject(strings: ["iss": "https://appleid.apple.com", "aud": audience, "jti": id])
        claims.set("iat", now)
        claims.set("exp", now + 3600)
        claims.set("events", #"{"type":"consent-revoked","sub":"001.a","event_time":\#(now * 1000)}"#)
        let token = try CompactJWSEncoder(signer: signer, type: nil).encode(claims.bytes, signer: signer)
        return JSONValue.object(JSONObject(strings: ["payload": token])).text
    }

    @Test(
        "A notification is answered as Apple expects it: 200, 400 for a forged one, 503 while its keys cannot be fetched"
    )
    func answers() async throws {
        let keys = Keys()
        try await TestServer.use(providers: keys.http, vendors: [AppleVendor()]) { server in
            let registration = AppleRegistration(
                id: "apple", teamID: "TEAM000001", keyID: "KEY0000001",
                privateKey: Array(P256.Signing.PrivateKey().pemRepresentation.utf8), clientIDs: ["com.example.wallet"])
            _ = try await NewAppleProviders(server.server.administration).add(registration)
            let signer = try RS256Signer.generate(keyID: "rsa-1")
            let stranger = try RS256Signer.generate(keyID: "rsa-1")
            let key = try #require(signer.publicJWK)
            try await server.serve { client in
                let down = try await client.post(Self.path, body: payload(signer, id: "j1"), "application/json")
                #expect(down.status == .serviceUnavailable)
                #expect(down.headers[.retryAfter] == "60")
                keys.publish([key])
                // The server waits some seconds before it asks again after a failure.
                var first = down
                try await eventually("the keys to be fetched again") {
                    first = try await client.post(Self.path, body: payload(signer, id: "j1"), "application/json")
                    return first.status != .serviceUnavailable
                }
                let second = try await client.post(Self.path, body: payload(signer, id: "j1"), "application/json")
                for taken in [first, second] {
                    #expect(taken.status == .ok, "\(taken.text)")
                    #expect(taken.text == "{}")
                }
                let refused = [
                    try payload(stranger, id: "j2"), try payload(signer, id: "j3", audience: "com.attacker.app"),
                    #"{"payload":"a.b.c"}"#, "{}", #"{"payload":7}"#, "[]",
                ]
                for body in refused {
                    let answer = try await client.post(Self.path, body: body, "application/json")
                    #expect(answer.status == .badRequest, "\(body) \(answer.text)")
                }
                let form = try await client.post(Self.path, body: "payload=x", "application/x-www-form-urlencoded")
                #expect(form.status == .unsupportedMediaType)
            }
        }
    }
}
