import Crypto
import Testing

@testable import WalletAuthWire

/// What another program signed is taken here, to the byte.
@Suite("What a device signs, by another program")
struct StatementVectorTests {
    private func key(_ x963: String) throws -> JWK {
        JWK(try P256.Signing.PublicKey(x963Representation: hex(x963)))
    }

    @Test("The proof of a known device")
    func deviceProof() throws {
        let vectors = try WPIN1Vectors.all
        let statements = vectors.statements
        let expected = try DeviceProofContent.Expectation(
            audience: Issuer(vectors.issuer), deviceID: DeviceID(#require(vectors.derivations.first).enrollment),
            thumbprint: JWKThumbprint(statements.dpopThumbprint), codeChallenge: CodeChallenge(statements.codeChallenge)
        )
        let content = try DeviceProofContent.verified(
            DeviceProof(statements.deviceProof), by: key(statements.deviceKey), for: expected,
            now: NumericDate(clamping: vectors.time))
        #expect(content.nonce.rawValue == "n-1")
    }

    @Test("The signature over a request, and the request")
    func request() throws {
        let vectors = try WPIN1Vectors.all
        let statements = vectors.statements
        let derivation = try #require(vectors.derivations.first)
        let body = Array(statements.request.body.utf8)
        let expected = try DeviceRequestSignature.Expectation(
            audience: Issuer(vectors.issuer), deviceID: DeviceID(derivation.enrollment), method: "POST",
            target: HTTPTarget(vectors.issuer + "/v1/pin/evaluate"), body: body,
            idempotencyKey: IdempotencyKey("AAECAwQFBgcICQoLDA0ODw"))
        let signature = try DeviceRequestSignature.verified(
            statements.request.signature, by: key(statements.deviceKey), for: expected,
            now: NumericDate(clamping: vectors.time))
        #expect(signature.nonce.rawValue == "n-2")

        let request = try PINEvaluationRequest(JSONValue.object(parsing: body))
        #expect(request.deviceID.rawValue == derivation.enrollment)
        #expect(try request.ask == .enroll(new: VOPRFElement(bytes: hex(derivation.blinded))))
        #expect(request.json.bytes == body)
    }

    @Test("The proof of an enrollment")
    func enrollment() throws {
        let vectors = try WPIN1Vectors.all
        let statements = vectors.statements
        let expected = try EnrollmentProof.Expectation(
            audience: Issuer(vectors.issuer), account: AccountID(vectors.account), nonce: Nonce("n-3"),
            thumbprint: JWKThumbprint(statements.dpopThumbprint), name: statements.enrollment.name,
            platform: statements.enrollment.platform)
        let proof = try EnrollmentProof.verified(
            statements.enrollment.proof, by: key(statements.deviceKey), for: expected,
            now: NumericDate(clamping: vectors.time))
        #expect(proof.account.rawValue == vectors.account)
    }

    @Test("Each kind of assertion", arguments: WPIN1Vectors.list(\.assertions.entries))
    func assertions(entry: WPIN1Vectors.Assertions.Entry) throws {
        let vectors = try WPIN1Vectors.all
        let pins = try vectors.derivations.prefix(2).map { try key($0.publicKey) }
        let keys = try ["old": pins[0], "new": pins[1], "bio": key(vectors.assertions.bioKey)]
        var parties = AssertionKeys(device: try key(vectors.statements.deviceKey))
        parties.seconds = try entry.secondKeys.map { try #require(keys[$0]) }

        let presented = try PresentedAssertion(SignedAssertion(entry.assertion))
        let assertion = presented.unverified
        #expect(String(decoding: assertion.payload, as: UTF8.self) == entry.payload)
        let expected = try PresentedAssertion.Expectation(
            audience: Issuer(vectors.issuer), account: AccountID(vectors.account),
            deviceID: DeviceID(#require(vectors.derivations.first).enrollment), factor: assertion.factor,
            challengeID: assertion.challengeID, nonce: Nonce(assertion.challengeID.rawValue + "-nonce"),
            act: act(entry.name, vectors))
        let now = NumericDate(clamping: vectors.time)
        #expect(presented.verdict(keys: parties, for: expected, now: now) == .proven)
        parties.seconds.reverse()
        #expect((presented.verdict(keys: parties, for: expected, now: now) == .proven) == (parties.seconds.count == 1))
    }

    private func act(_ name: String, _ vectors: WPIN1Vectors) throws -> DeviceAssertion.Act {
        let shown = Array(vectors.assertions.shown.utf8)
        let pins = try vectors.derivations.prefix(2).map { try key($0.publicKey).thumbprint }
        switch name {
        case "login":
            return .login(
                PayloadHash.signIn(
                    thumbprint: try JWKThumbprint(vectors.statements.dpopThumbprint),
                    codeChallenge: try CodeChallenge(vectors.statements.codeChallenge)))
        case "transaction": return .transaction(try TransactionID("tx-1"), .transaction(shown))
        case "reject": return .reject(try TransactionID("tx-1"), .transaction(shown))
        case "enroll": return .enroll(.key(pins[0]))
        case "pin-change": return .pinChange(.key(pins[1]))
        case "biometric": return .sca(try TransactionID("event-1"), .operation(shown))
        default: throw MalformedValue(field: "name", reason: "is not known here")
        }
    }
}
