import Crypto
import Foundation
import Testing

@testable import WalletAuthWire

/// A text that a device could have signed, and ways to bend it.
private struct Bend {
    let device: SimulatedDevice
    let type: String

    /// Signs whatever header and payload an attacker likes.
    func text(header: String? = nil, payload: String, by key: P256.Signing.PrivateKey? = nil) throws -> String {
        let kid = device.jwk.thumbprint.rawValue
        let header = header ?? #"{"typ":"\#(type)","alg":"ES256","kid":"\#(kid)"}"#
        let input = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(payload.utf8))
        let signature = try (key ?? device.key).signature(for: Data(input.utf8)).rawRepresentation
        return input + "." + Base64URL.encode(Array(signature))
    }

    func payload(of text: String) throws -> String {
        let parts = text.split(separator: ".").map(String.init)
        try #require(parts.count == 3)
        return String(decoding: try #require(Base64URL.decode(parts[1])), as: UTF8.self)
    }
}

/// The other S of an ECDSA signature: n − s. It verifies as well.
func otherS(_ signature: [UInt8]) throws -> [UInt8] {
    let order = try hex("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")
    var borrow = 0
    var result = [UInt8](repeating: 0, count: 32)
    for index in (0..<32).reversed() {
        let difference = Int(order[index]) - Int(signature[32 + index]) - borrow
        result[index] = UInt8(truncatingIfNeeded: difference)
        borrow = difference < 0 ? 1 : 0
    }
    return Array(signature.prefix(32)) + result
}

@Suite("A device's signature over a request")
struct DeviceRequestSignatureTests {
    private let device: SimulatedDevice
    private let body = Array(#"{"enrollmentId":"x"}"#.utf8)

    init() throws { device = try SimulatedDevice() }

    private func expectation() throws -> DeviceRequestSignature.Expectation {
        let request = try device.request(body: body)
        return DeviceRequestSignature.Expectation(
            audience: request.audience, deviceID: request.deviceID, method: request.method, target: request.target,
            body: body, idempotencyKey: request.idempotencyKey)
    }

    private func verify(
        _ text: String, by key: JWK? = nil, now: Int64 = 0,
        _ change: (inout DeviceRequestSignature.Expectation) throws -> Void = { _ in }
    ) throws -> DeviceRequestSignature {
        var expected = try expectation()
        try change(&expected)
        return try DeviceRequestSignature.verified(
            text, by: key ?? device.jwk, for: expected,
            now: SimulatedDevice.now.advanced(by: .seconds(now)))
    }

    @Test("What was signed is what is read")
    func roundTrip() async throws {
        let request = try device.request(body: body)
        let text = try await request.signed(by: device.signer)
        #expect(try verify(text) == request)
    }

    @Test("It is good for its own server, device, method, URL, body and Idempotency-Key, and for no other")
    func otherRequests() async throws {
        let text = try await device.request(body: body).signed(by: device.signer)
        let changes: [(String, (inout DeviceRequestSignature.Expectation) throws -> Void)] = [
            ("aud", { $0.audience = try Issuer("https://other.example") }),
            ("enr", { $0.deviceID = try DeviceID("other") }),
            ("htm", { $0.method = "PUT" }),
            ("htu", { $0.target = try HTTPTarget("https://login.example/v1/pin/evaluate2") }),
            ("bh", { $0.body[0] ^= 1 }),
            ("ik", { $0.idempotencyKey = try IdempotencyKey("BBECAwQFBgcICQoLDA0ODw") }),
        ]
        for (name, change) in changes {
            #expect(throws: JOSEError.claim(name: name, .mismatch)) { try verify(text, change) }
        }
    }

    @Test("Too old and too early by the clock are refused")
    func clock() async throws {
        let text = try await device.request(body: body).signed(by: device.signer)
        #expect(throws: Never.self) { try verify(text, now: 330) }
        #expect(throws: JOSEError.claim(name: "iat", .expired)) { try verify(text, now: 331) }
        #expect(throws: Never.self) { try verify(text, now: -30) }
        #expect(throws: JOSEError.claim(name: "iat", .tooEarly)) { try verify(text, now: -31) }
    }

    @Test("Another key's signature is refused, whatever name it signs under")
    func forged() async throws {
        let bend = Bend(device: device, type: JWSType.deviceRequest.rawValue)
        let text = try await device.request(body: body).signed(by: device.signer)
        let stranger = P256.Signing.PrivateKey()
        let payload = try bend.payload(of: text)
        #expect(throws: JOSEError.invalidSignature) { try verify(bend.text(payload: payload, by: stranger)) }
        #expect(throws: JOSEError.unknownKey) { try verify(text, by: JWK(stranger.publicKey)) }
        let honest = try await device.request(body: body).signed(by: P256Signer(stranger))
        #expect(throws: JOSEError.unknownKey) { try verify(honest) }
    }

    @Test("Every changed character is refused")
    func altered() async throws {
        let text = try await device.request(body: body).signed(by: device.signer)
        for index in stride(from: 0, to: text.utf8.count, by: 7) {
            var bytes = Array(text.utf8)
            bytes[index] = bytes[index] == 0x41 ? 0x42 : 0x41
            guard bytes != Array(text.utf8) else { continue }
            let changed = String(decoding: bytes, as: UTF8.self)
            #expect(throws: JOSEError.self) { try verify(changed) }
        }
    }

    @Test("A header without the key's name, of another type, with another algorithm or with a key is refused")
    func headers() async throws {
        let bend = Bend(device: device, type: JWSType.deviceRequest.rawValue)
        let payload = try await bend.payload(of: device.request(body: body).signed(by: device.signer))
        let kid = device.jwk.thumbprint.rawValue
        for header in [
            #"{"typ":"wallet-auth-request+jws","alg":"ES256"}"#,
            #"{"typ":"wallet-auth-device+jws","alg":"ES256","kid":"\#(kid)"}"#,
            #"{"typ":"wallet-auth+jws","alg":"ES256","kid":"\#(kid)"}"#,
            #"{"alg":"ES256","kid":"\#(kid)"}"#,
            #"{"typ":"wallet-auth-request+jws","alg":"none","kid":"\#(kid)"}"#,
            #"{"typ":"wallet-auth-request+jws","alg":"EdDSA","kid":"\#(kid)"}"#,
            #"{"typ":"wallet-auth-request+jws","alg":"HS256","kid":"\#(kid)"}"#,
            #"{"typ":"wallet-auth-request+jws","alg":"ES256","kid":"\#(kid)","crit":["b64"],"b64":false}"#,
            #"{"typ":"wallet-auth-request+jws","alg":"ES256","kid":"\#(kid)","jwk":{}}"#,
            #"{"typ":"wallet-auth-request+jws","alg":"ES256","kid":"\#(kid)","kid":"\#(kid)"}"#,
        ] {
            #expect(throws: JOSEError.self) { try verify(bend.text(header: header, payload: payload)) }
        }
    }

    @Test("Doubled, missing, unknown, null and mistyped members are refused, though the device signed them")
    func members() async throws {
        let bend = Bend(device: device, type: JWSType.deviceRequest.rawValue)
        let payload = try await bend.payload(of: device.request(body: body).signed(by: device.signer))
        #expect(throws: Never.self) { try verify(bend.text(payload: payload)) }
        let iat = #""iat":1800000000"#
        for changed in [
            payload.replacing(#""htm":"POST","#, with: #""htm":"POST","htm":"POST","#),
            payload.replacing(#""htm":"POST","#, with: ""),
            payload.replacing(#""htm":"POST","#, with: #""htm":["POST"],"#),
            payload.replacing(#""aud":"https://login.example""#, with: #""aud":["https://login.example"]"#),
            payload.replacing(iat, with: iat + #","extra":1"#),
            payload.replacing(iat, with: iat + #","extra":null"#),
            payload.replacing(iat, with: #""iat":1800000000.5"#),
            payload.replacing(iat, with: #""iat":1.8e9"#),
            payload.replacing(iat, with: #""iat":"1800000000""#),
            payload.replacing(iat, with: #""iat":null"#),
            payload.replacing(iat, with: #""iat":-1"#),
            payload.replacing(iat, with: #""iat":99999999999999999999"#),
            "[\(payload)]", payload + payload, "", "null",
        ] {
            #expect(changed != payload)
            #expect(throws: JOSEError.self) { try verify(bend.text(payload: changed)) }
        }
    }

    @Test("The other S of a signature verifies too and says the same: no replay is recognized by a signature's bytes")
    func malleability() async throws {
        let text = try await device.request(body: body).signed(by: device.signer)
        let parts = text.split(separator: ".").map(String.init)
        let signature = try #require(Base64URL.decode(parts[2]))
        let other = try parts[0] + "." + parts[1] + "." + Base64URL.encode(otherS(signature))
        #expect(other != text)
        #expect(try verify(other) == verify(text))
    }
}

@Suite("The proof of a known device, and of an enrollment")
struct DeviceProofTests {
    private let device: SimulatedDevice
    private let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    private let thumbprint = JWK(P256.Signing.PrivateKey().publicKey).thumbprint

    init() throws { device = try SimulatedDevice() }

    @Test("A device proof is good for its own server, device, DPoP key and code challenge, and for no other sign-in")
    func deviceProof() async throws {
        let issuer = try #require(SimulatedDevice.issuer)
        let content = try DeviceProofContent(
            audience: issuer, deviceID: device.id, thumbprint: thumbprint, codeChallenge: CodeChallenge(challenge),
            nonce: Nonce("n"), issuedAt: SimulatedDevice.now)
        let proof = try await content.signed(by: device.signer)
        let expected = try DeviceProofContent.Expectation(
            audience: issuer, deviceID: device.id, thumbprint: thumbprint, codeChallenge: CodeChallenge(challenge))
        func verify(_ change: (inout DeviceProofContent.Expectation) throws -> Void) throws -> DeviceProofContent {
            var changed = expected
            try change(&changed)
            return try DeviceProofContent.verified(proof, by: device.jwk, for: changed, now: SimulatedDevice.now)
        }
        #expect(try verify { _ in } == content)
        #expect(throws: JOSEError.claim(name: "aud", .mismatch)) {
            try verify { $0.audience = try Issuer("https://login.example/") }
        }
        #expect(throws: JOSEError.claim(name: "enr", .mismatch)) { try verify { $0.deviceID = try DeviceID("other") } }
        #expect(throws: JOSEError.claim(name: "jkt", .mismatch)) {
            try verify { $0.thumbprint = JWK(P256.Signing.PrivateKey().publicKey).thumbprint }
        }
        #expect(throws: JOSEError.claim(name: "cc", .mismatch)) {
            try verify { $0.codeChallenge = try CodeChallenge(thumbprint.rawValue) }
        }
        let late = SimulatedDevice.now.advanced(by: .seconds(331))
        #expect(throws: JOSEError.claim(name: "iat", .expired)) {
            try DeviceProofContent.verified(proof, by: device.jwk, for: expected, now: late)
        }
        let other = JWK(P256.Signing.PrivateKey().publicKey)
        #expect(throws: JOSEError.unknownKey) {
            try DeviceProofContent.verified(proof, by: other, for: expected, now: SimulatedDevice.now)
        }
    }

    @Test("An enrollment proof is good for its own account, challenge, DPoP key, name and platform, and for no other")
    func enrollment() async throws {
        let issuer = try #require(SimulatedDevice.issuer)
        let account = try #require(SimulatedDevice.account)
        let proof = try await EnrollmentProof(
            audience: issuer, account: account, nonce: Nonce("challenge"), thumbprint: thumbprint, name: "Telefon",
            platform: "linux", issuedAt: SimulatedDevice.now
        ).signed(by: device.signer)
        let expected = try EnrollmentProof.Expectation(
            audience: issuer, account: account, nonce: Nonce("challenge"), thumbprint: thumbprint, name: "Telefon",
            platform: "linux")
        func verify(_ change: (inout EnrollmentProof.Expectation) throws -> Void) throws {
            var changed = expected
            try change(&changed)
            _ = try EnrollmentProof.verified(proof, by: device.jwk, for: changed, now: SimulatedDevice.now)
        }
        #expect(throws: Never.self) { try verify { _ in } }
        let changes: [(String, (inout EnrollmentProof.Expectation) throws -> Void)] = [
            ("aud", { $0.audience = try Issuer("https://other.example") }),
            ("sub", { $0.account = try AccountID("00000000-0000-4000-8000-000000000000") }),
            ("nonce", { $0.nonce = try Nonce("another") }),
            ("jkt", { $0.thumbprint = JWK(P256.Signing.PrivateKey().publicKey).thumbprint }),
            ("kh", { $0.name = "Telefo" }),
            // The same letters, parted at another place.
            (
                "kh",
                {
                    $0.name = "Telefonl"
                    $0.platform = "inux"
                }
            ),
        ]
        for (name, change) in changes {
            #expect(throws: JOSEError.claim(name: name, .mismatch)) { try verify(change) }
        }
    }

    @Test("What a device signed for one place is taken at no other")
    func crossUse() async throws {
        let issuer = try #require(SimulatedDevice.issuer)
        let account = try #require(SimulatedDevice.account)
        let now = SimulatedDevice.now
        let deviceProof = try DeviceProofContent(
            audience: issuer, deviceID: device.id, thumbprint: thumbprint, codeChallenge: CodeChallenge(challenge),
            nonce: Nonce("n"), issuedAt: now)
        let enrollment = try EnrollmentProof(
            audience: issuer, account: account, nonce: Nonce("n"), thumbprint: thumbprint, name: "a", platform: "b",
            issuedAt: now)
        let request = try device.request(body: [])
        let texts = [
            try await deviceProof.signed(by: device.signer).reveal(), try await enrollment.signed(by: device.signer),
            try await request.signed(by: device.signer),
        ]
        let proofExpectation = try DeviceProofContent.Expectation(
            audience: issuer, deviceID: device.id, thumbprint: thumbprint, codeChallenge: CodeChallenge(challenge))
        let enrollmentExpectation = try EnrollmentProof.Expectation(
            audience: issuer, account: account, nonce: Nonce("n"), thumbprint: thumbprint, name: "a", platform: "b")
        let requestExpectation = DeviceRequestSignature.Expectation(
            audience: issuer, deviceID: device.id, method: request.method, target: request.target, body: [],
            idempotencyKey: request.idempotencyKey)
        let jwk = device.jwk
        let readers: [(String) throws -> Void] = [
            { _ = try DeviceProofContent.verified(DeviceProof($0), by: jwk, for: proofExpectation, now: now) },
            { _ = try EnrollmentProof.verified($0, by: jwk, for: enrollmentExpectation, now: now) },
            { _ = try DeviceRequestSignature.verified($0, by: jwk, for: requestExpectation, now: now) },
        ]
        for (place, reader) in readers.enumerated() {
            for (origin, text) in texts.enumerated() {
                if place == origin {
                    #expect(throws: Never.self) { try reader(text) }
                } else {
                    #expect(throws: JOSEError.wrongType) { try reader(text) }
                }
            }
        }
    }
}
