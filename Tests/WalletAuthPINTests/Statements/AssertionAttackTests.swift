import Crypto
import Foundation
import Testing

@testable import WalletAuthWire

@Suite("The assertion by two keys")
struct AssertionAttackTests {
    private let device: SimulatedDevice
    private let pin = P256.Signing.PrivateKey()
    private let hash: PayloadHash
    private let transaction: TransactionID

    init() throws {
        device = try SimulatedDevice()
        hash = .transaction(Array("12.50".utf8))
        transaction = try TransactionID("tx-1")
    }

    private var act: DeviceAssertion.Act { .transaction(transaction, hash) }
    private var keys: AssertionKeys { AssertionKeys(device: device.jwk, seconds: JWK(pin.publicKey)) }

    private func expectation(_ assertion: DeviceAssertion) -> PresentedAssertion.Expectation {
        PresentedAssertion.Expectation(
            audience: assertion.audience, account: assertion.account, deviceID: assertion.deviceID,
            factor: assertion.factor, challengeID: assertion.challengeID, nonce: assertion.nonce, act: assertion.act)
    }

    private func verdict(
        _ text: SignedAssertion, keys: AssertionKeys? = nil, now: Int64 = 0,
        _ change: (inout PresentedAssertion.Expectation) throws -> Void = { _ in }
    ) throws -> PresentedAssertion.Verdict {
        var expected = expectation(try device.assertion(act, epoch: .first))
        try change(&expected)
        return try PresentedAssertion(text).verdict(
            keys: keys ?? self.keys, for: expected, now: SimulatedDevice.now.advanced(by: .seconds(now)))
    }

    private func signed(by others: P256.Signing.PrivateKey...) async throws -> SignedAssertion {
        let assertion = try device.assertion(act, epoch: .first)
        let seconds = others.isEmpty ? [pin] : others
        // Variadic arguments cannot be forwarded.
        return seconds.count == 1
            ? try await assertion.signed(by: device.signer, P256Signer(seconds[0]))
            : try await assertion.signed(by: device.signer, P256Signer(seconds[0]), P256Signer(seconds[1]))
    }

    /// The general JWS with its parts changed.
    private func rebuilt(
        _ text: SignedAssertion, _ change: (inout String, inout [(protected: String, signature: String)]) throws -> Void
    ) throws -> SignedAssertion {
        let object = try JSONValue.object(parsing: Array(text.reveal().utf8))
        var payload = try #require(object["payload"]?.string)
        var entries = try #require(object["signatures"]?.array).map { entry in
            (
                protected: try #require(entry.object?["protected"]?.string),
                signature: try #require(entry.object?["signature"]?.string)
            )
        }
        try change(&payload, &entries)
        let list = entries.map { #"{"protected":"\#($0.protected)","signature":"\#($0.signature)"}"# }
        return try SignedAssertion(#"{"payload":"\#(payload)","signatures":[\#(list.joined(separator: ","))]}"#)
    }

    @Test("Both keys over what the challenge asks for: proven")
    func proven() async throws {
        let text = try await signed()
        #expect(try verdict(text) == .proven)
    }

    @Test("A wrong PIN is the device's own assertion with another second key")
    func wrongPIN() async throws {
        for key in [P256.Signing.PrivateKey(), device.key] {
            let text = try await signed(by: key)
            #expect(try verdict(text) == .wrongSecondFactor)
        }
    }

    @Test("Signatures in each other's place, one of them twice, one less and one more are refused")
    func order() async throws {
        let text = try await signed()
        let swapped = try rebuilt(text) { $1.swapAt(0, 1) }
        #expect(try verdict(swapped) == .refused(.invalidSignature))
        let deviceTwice = try rebuilt(text) { $1[1] = $1[0] }
        #expect(try verdict(deviceTwice) == .wrongSecondFactor)
        let pinTwice = try rebuilt(text) { $1[0] = $1[1] }
        #expect(try verdict(pinTwice) == .refused(.invalidSignature))
        let one = try rebuilt(text) { _, entries in entries.removeLast() }
        #expect(try verdict(one) == .refused(.unknownKey))
        let three = try rebuilt(text) { _, entries in entries.append(entries[1]) }
        #expect(try verdict(three) == .refused(.unknownKey))
        let swappedSignatures = try rebuilt(text) { _, entries in
            (entries[0].signature, entries[1].signature) = (entries[1].signature, entries[0].signature)
        }
        #expect(try verdict(swappedSignatures) == .refused(.invalidSignature))
    }

    @Test("A stranger who knows the PIN key and not the device's is refused")
    func withoutDevice() async throws {
        let stranger = P256.Signing.PrivateKey()
        let assertion = try device.assertion(act, epoch: .first)
        let text = try await assertion.signed(by: P256Signer(stranger), P256Signer(pin))
        #expect(try verdict(text) == .refused(.invalidSignature))
        // Under the device's name, too.
        let other = JWK(stranger.publicKey).thumbprint.rawValue
        let renamed = try rebuilt(text) { _, entries in
            let header = String(decoding: try #require(Base64URL.decode(entries[0].protected)), as: UTF8.self)
            entries[0].protected = Base64URL.encode(
                Array(header.replacing(other, with: device.jwk.thumbprint.rawValue).utf8))
        }
        #expect(try verdict(renamed) == .refused(.invalidSignature))
    }

    @Test(
        "Another server, account, device, epoch, factor, challenge, nonce, purpose, transaction or payload is refused")
    func otherStatements() async throws {
        let text = try await signed()
        let hash = PayloadHash.transaction(Array("12.51".utf8))
        let changes: [(String, (inout PresentedAssertion.Expectation) throws -> Void)] = [
            ("aud", { $0.audience = try Issuer("https://other.example") }),
            ("sub", { $0.account = try AccountID("00000000-0000-4000-8000-000000000000") }),
            ("enr", { $0.deviceID = try DeviceID("other") }),
            ("epoch", { $0.factor = .pin(try #require(PINEpoch(exactly: 2))) }),
            ("epoch", { $0.factor = .biometric }),
            ("cid", { $0.challengeID = try ChallengeID("challenge-2") }),
            ("nonce", { $0.nonce = try Nonce("another") }),
            ("pur", { $0.act = .sca($0.act.transactionID ?? transaction, $0.act.payloadHash) }),
            ("pur", { $0.act = .reject(transaction, $0.act.payloadHash) }),
            ("pur", { $0.act = .login($0.act.payloadHash) }),
            ("txid", { $0.act = .transaction(try TransactionID("tx-2"), $0.act.payloadHash) }),
            ("txh", { $0.act = .transaction(transaction, hash) }),
        ]
        for (name, change) in changes {
            #expect(try verdict(text, change) == .refused(.claim(name: name, .mismatch)))
        }
        #expect(try verdict(text, now: 331) == .refused(.claim(name: "iat", .expired)))
        #expect(try verdict(text, now: -31) == .refused(.claim(name: "iat", .tooEarly)))
    }

    @Test("Its age can be asked by another time as well: at most 330 seconds old, and 30 seconds ahead")
    func recent() async throws {
        let presented = try PresentedAssertion(try await signed())
        for (seconds, isRecent) in [(Int64(330), true), (331, false), (-30, true), (-31, false)] {
            #expect(presented.isRecent(at: SimulatedDevice.now.advanced(by: .seconds(seconds))) == isRecent)
        }
    }

    @Test("A PIN change asks for the old key and then the new one")
    func change() async throws {
        let new = P256.Signing.PrivateKey()
        var both = keys
        both.seconds.append(JWK(new.publicKey))
        let right = try await signed(by: pin, new)
        #expect(try verdict(right, keys: both) == .proven)
        for (first, second) in [(new, pin), (new, new), (pin, pin)] {
            let wrong = try await signed(by: first, second)
            #expect(try verdict(wrong, keys: both) == .wrongSecondFactor)
        }
        let newAlone = try await signed(by: new)
        #expect(try verdict(newAlone, keys: both) == .refused(.unknownKey))
    }

    @Test("A name on the second signature, none on the first, another type and another algorithm are refused")
    func headers() async throws {
        let text = try await signed()
        let kid = device.jwk.thumbprint.rawValue
        func replaced(_ index: Int, _ header: String, by key: P256.Signing.PrivateKey) throws -> SignedAssertion {
            try rebuilt(text) { payload, entries in
                let protected = Base64URL.encode(Array(header.utf8))
                let signature = try key.signature(for: Data((protected + "." + payload).utf8)).rawRepresentation
                entries[index] = (protected, Base64URL.encode(Array(signature)))
            }
        }
        let type = "wallet-auth+jws"
        #expect(
            try verdict(replaced(0, #"{"typ":"\#(type)","alg":"ES256","kid":"\#(kid)"}"#, by: device.key)) == .proven)
        #expect(try verdict(replaced(0, #"{"typ":"\#(type)","alg":"ES256"}"#, by: device.key)) == .refused(.unknownKey))
        #expect(
            try verdict(replaced(0, #"{"typ":"jwt","alg":"ES256","kid":"\#(kid)"}"#, by: device.key))
                == .refused(.wrongType))
        #expect(
            try verdict(replaced(0, #"{"typ":"\#(type)","alg":"EdDSA","kid":"\#(kid)"}"#, by: device.key))
                == .refused(.algorithmDoesNotFitKey))
        let named = #"{"typ":"\#(type)","alg":"ES256","kid":"\#(JWK(pin.publicKey).thumbprint)"}"#
        #expect(try verdict(replaced(1, named, by: pin)) == .wrongSecondFactor)
        #expect(try verdict(replaced(1, #"{"alg":"ES256"}"#, by: pin)) == .wrongSecondFactor)
        #expect(throws: JOSEError.algorithmNotAllowed) {
            try verdict(replaced(1, #"{"typ":"\#(type)","alg":"none"}"#, by: pin))
        }
    }

    @Test("Doubled, missing, unknown, null and contradictory members are refused, though both keys signed them")
    func members() async throws {
        let payload = String(decoding: try device.assertion(act, epoch: .first).payload, as: UTF8.self)
        func present(_ payload: String) throws -> PresentedAssertion {
            let headers = [
                (#"{"typ":"wallet-auth+jws","alg":"ES256","kid":"\#(device.jwk.thumbprint)"}"#, device.key),
                (#"{"typ":"wallet-auth+jws","alg":"ES256"}"#, pin),
            ]
            let compact = try headers.map { header, key in
                let input = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(payload.utf8))
                return input + "." + Base64URL.encode(Array(try key.signature(for: Data(input.utf8)).rawRepresentation))
            }
            return try PresentedAssertion(
                SignedAssertion(String(decoding: GeneralJWS.combining(compact), as: UTF8.self)))
        }
        let expected = expectation(try device.assertion(act, epoch: .first))
        #expect(try present(payload).verdict(keys: keys, for: expected, now: SimulatedDevice.now) == .proven)
        let decision = #""decision":"approve""#
        for changed in [
            payload.replacing(decision, with: decision + "," + decision),
            payload.replacing(decision, with: #""decision":"reject""#),
            payload.replacing(decision, with: #""decision":null"#),
            payload.replacing(decision + ",", with: ""),
            payload.replacing(decision, with: decision + #","amount":"99""#),
            payload.replacing(#""txid":"tx-1","#, with: ""),
            payload.replacing(#""txid":"tx-1","#, with: #""txid":"tx-1","txid":"tx-2","#),
            payload.replacing(#""txid":"tx-1""#, with: #""txid":["tx-1"]"#),
            payload.replacing(#""txh":"\#(hash)","#, with: ""),
            payload.replacing(#""pur":"transaction""#, with: #""pur":"login""#),
            payload.replacing(#""pur":"transaction""#, with: #""pur":"reject""#),
            payload.replacing(#""pur":"transaction""#, with: #""pur":"TRANSACTION""#),
            payload.replacing(#""factor":"PIN""#, with: #""factor":"BIOMETRIC""#),
            payload.replacing(#""factor":"PIN""#, with: #""factor":"pin""#),
            payload.replacing(#""epoch":1"#, with: #""epoch":0"#),
            payload.replacing(#""epoch":1"#, with: #""epoch":1.0"#),
            payload.replacing(#""epoch":1"#, with: #""epoch":"1""#),
            payload.replacing(#""epoch":1"#, with: #""epoch":4294967297"#),
            payload.replacing(#""epoch":1"#, with: #""epoch":-1"#),
        ] {
            #expect(changed != payload)
            #expect(throws: JOSEError.self) { try present(changed) }
        }
    }

    @Test("Texts with unsigned members, too long ones and no JSON are refused")
    func outer() async throws {
        let text = try await signed().reveal()
        for changed in [
            text.dropLast() + #","extra":1}"#, text.replacing(#"{"payload""#, with: #"{"payload":"AA","payload""#),
            text.replacing(#""signatures":["#, with: #""signatures":[[],"#), String(text.dropLast()), "{}",
            text.replacing(#""protected""#, with: #""header":{"alg":"none"},"protected""#),
        ] {
            #expect(changed != text)
            #expect(throws: JOSEError.self) { try PresentedAssertion(SignedAssertion(changed)) }
        }
        #expect(throws: MalformedValue.self) { try SignedAssertion(String(repeating: "a", count: 8193)) }
        let secret = try await signed()
        #expect("\(secret)" == "<redacted>")
    }

    @Test(
        "The other S of either signature verifies too, with the payload's digest unchanged: a repetition, not a new one"
    )
    func malleability() async throws {
        let text = try await signed()
        let original = try PresentedAssertion(text)
        for index in 0...1 {
            let changed = try rebuilt(text) { _, entries in
                let signature = try #require(Base64URL.decode(entries[index].signature))
                entries[index].signature = Base64URL.encode(try otherS(signature))
            }
            #expect(changed != text)
            #expect(try verdict(changed) == .proven)
            #expect(try PresentedAssertion(changed).payloadDigest == original.payloadDigest)
        }
    }

    @Test("Hashes of different kinds of content never meet")
    func labels() throws {
        let thumbprint = device.jwk.thumbprint
        let bytes = Array(thumbprint.rawValue.utf8)
        let challenge = try CodeChallenge(thumbprint.rawValue)
        let hashes: [PayloadHash] = [
            .transaction(bytes), .operation(bytes), .key(thumbprint),
            .signIn(thumbprint: thumbprint, codeChallenge: challenge), .transaction(bytes + bytes),
        ]
        #expect(Set(hashes).count == hashes.count)
    }
}
