import Crypto
import Testing
import WalletAuthWire

@Suite("The messages about a PIN")
struct PINMessageTests {
    private let element: VOPRFElement
    private let other: VOPRFElement
    private let device: DeviceID
    private let hash = PayloadHash.transaction([1])
    private let transaction: TransactionID
    private let epoch: PINEpoch

    init() throws {
        element = try VOPRFElement(
            bytes: Array(P384.KeyAgreement.PrivateKey().publicKey.compressedRepresentation))
        other = try VOPRFElement(bytes: Array(P384.KeyAgreement.PrivateKey().publicKey.compressedRepresentation))
        device = try DeviceID("device")
        transaction = try TransactionID("tx")
        epoch = try #require(PINEpoch(exactly: 7))
    }

    @Test("Each request is read as it was written")
    func requests() throws {
        let present = PINEvaluationRequest.PresentPIN(epoch: epoch, blinded: element)
        var asks: [PINEvaluationRequest.Ask] = [.enroll(new: other), .change(present, new: other)]
        for act in [
            .login(hash), .sca(transaction, hash), .transaction(transaction, hash), .biometric(hash),
        ] as [DeviceAssertion.Act] {
            asks.append(.use(try PINUse(act), present))
        }
        for ask in asks {
            let request = PINEvaluationRequest(deviceID: device, ask: ask)
            #expect(try PINEvaluationRequest(JSONValue.object(parsing: request.json.bytes)) == request)
        }
        #expect(Set(asks.map(\.purpose)) == Set(AssertionPurpose.allCases).subtracting([.reject]))
    }

    @Test("Neither the PIN itself nor a rejection is a use of the PIN")
    func uses() {
        #expect(throws: MalformedValue.self) { try PINUse(.reject(transaction, hash)) }
        #expect(throws: MalformedValue.self) { try PINUse(.enroll(hash)) }
        #expect(throws: MalformedValue.self) { try PINUse(.pinChange(hash)) }
    }

    @Test("A member that does not fit the purpose, is missing, unknown or malformed is refused")
    func malformedRequests() throws {
        let use = #"{"enrollmentId":"d","purpose":"login","payloadHash":"\#(hash)","epoch":1,"blinded":"\#(element)"}"#
        #expect(throws: Never.self) { try PINEvaluationRequest(JSONValue.object(parsing: Array(use.utf8))) }
        let enroll = #"{"enrollmentId":"d","purpose":"enroll","newBlinded":"\#(element)"}"#
        #expect(throws: Never.self) { try PINEvaluationRequest(JSONValue.object(parsing: Array(enroll.utf8))) }
        for text in [
            use.replacing(#""payloadHash":"\#(hash)","#, with: ""), use.replacing(#""epoch":1,"#, with: ""),
            use.replacing(#""epoch":1"#, with: #""epoch":0"#), use.replacing("login", with: "transaction"),
            use.replacing("login", with: "reject").replacing("}", with: #","transactionId":"t"}"#),
            use.replacing("login", with: "other"), use.replacing("login", with: "enroll"),
            use.replacing("login", with: "pin-change"), use.replacing("}", with: #","transactionId":"t"}"#),
            use.replacing("}", with: #","newBlinded":"\#(element)"}"#), use.replacing("}", with: #","x":1}"#),
            use.replacing("}", with: #","epoch":1}"#), use.replacing(element.rawValue, with: "AA"),
            use.replacing(#""enrollmentId":"d","#, with: ""), enroll.replacing("}", with: #","epoch":1}"#),
            enroll.replacing("}", with: #","blinded":"\#(element)"}"#),
            enroll.replacing("newBlinded", with: "blinded"),
            enroll.replacing("}", with: #","payloadHash":"\#(hash)"}"#),
        ] {
            #expect(text != use && text != enroll)
            #expect(throws: MalformedValue.self) {
                try PINEvaluationRequest(JSONValue.object(parsing: Array(text.utf8)))
            }
        }
    }

    @Test("Each answer is read as it was written, and one without sense is refused")
    func answers() throws {
        let evaluation = try VOPRFEvaluation(bytes: element.bytes + [UInt8](repeating: 1, count: 96))
        let present = PINEvaluationResponse.Present(epoch: epoch, evaluation: evaluation, attemptsLeft: 3)
        let new = PINEvaluationResponse.New(epoch: epoch, publicKey: element, evaluation: evaluation)
        for (present, new) in [(present, nil), (nil, new), (present, new)]
            as [(
                PINEvaluationResponse.Present?, PINEvaluationResponse.New?
            )]
        {
            let answer = try PINEvaluationResponse(
                challengeID: ChallengeID("c"), nonce: Nonce("n"), expiresIn: 120, present: present, new: new)
            #expect(try PINEvaluationResponse(JSONValue.object(parsing: answer.json.bytes)) == answer)
        }
        for text in [
            #"{"challengeId":"c","nonce":"n","expiresIn":0}"#, #"{"challengeId":"c","nonce":"n","expiresIn":99999}"#,
            #"{"challengeId":"c","nonce":"n"}"#, #"{"challengeId":"c","nonce":"n","expiresIn":120,"new":[]}"#,
            #"{"challengeId":"c","nonce":"n","expiresIn":120,"evaluation":"\#(evaluation)"}"#,
            #"{"challengeId":"c","nonce":"n","expiresIn":120,"new":{"epoch":1}}"#,
        ] {
            #expect(throws: MalformedValue.self) {
                try PINEvaluationResponse(JSONValue.object(parsing: Array(text.utf8)))
            }
        }
    }

    @Test("The request that sets a PIN brings a public key of P-256, and never a private one")
    func settings() throws {
        let key = P256.Signing.PrivateKey()
        let request = PINSettingRequest(publicKey: JWK(key.publicKey), assertion: try SignedAssertion("{}"))
        #expect(try PINSettingRequest(JSONValue.object(parsing: request.json.bytes)) == request)
        #expect(try PINSettingResponse(PINSettingResponse(epoch: epoch).json) == PINSettingResponse(epoch: epoch))
        var withPrivate = request.json
        var members = try #require(withPrivate["publicKey"]?.object)
        members["d"] = "AAAA"
        withPrivate["publicKey"] = .object(members)
        #expect(throws: MalformedValue.self) { try PINSettingRequest(withPrivate) }
        var edwards = request.json
        edwards["publicKey"] = .object(JWK(Curve25519.Signing.PrivateKey().publicKey).publicMembers)
        #expect(throws: MalformedValue.self) { try PINSettingRequest(edwards) }
        var more = request.json
        more["epoch"] = 1
        #expect(throws: MalformedValue.self) { try PINSettingRequest(more) }
    }

    @Test("Epochs count from 1 to the largest number of 32 bits and never around")
    func epochs() {
        #expect(PINEpoch(exactly: 0) == nil)
        #expect(PINEpoch(exactly: -1) == nil)
        #expect(PINEpoch(exactly: 4_294_967_296) == nil)
        #expect(PINEpoch(exactly: 4_294_967_295)?.next == nil)
        #expect(PINEpoch.first.next?.number == 2)
        #expect(PINEpoch(exactly: 0x0102_0304)?.bytes == [1, 2, 3, 4])
    }
}
