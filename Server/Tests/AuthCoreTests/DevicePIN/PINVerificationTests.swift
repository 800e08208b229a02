import Core
import Crypto
import Foundation
import Testing
import WalletAuthWire

@testable import SignIn
@testable import WalletAuthPIN

@Suite("The assertion of a PIN, at the server")
struct PINVerificationTests {
    private let party: PINParty
    private let server: VOPRFKey
    private let epoch = PINEpoch.first
    private let next: PINEpoch
    private let key: PINKey
    private let act: DeviceAssertion.Act
    private let challenge: PINChallenge
    private let state = PINState.active(.first, failed: 1)

    init() throws {
        party = try PINParty()
        server = try PINParty.voprfKey()
        next = try PINParty.epoch(2)
        key = try party.key("493817", by: server, epoch: .first)
        act = .transaction(try TransactionID("tx-1"), .transaction([1, 2, 3]))
        challenge = try party.challenge(.use(PINUse(act), .first))
    }

    private var pins: [PINEpoch: JWK] { [epoch: key.publicKey] }

    private func signed(pin: String = "493817", _ act: DeviceAssertion.Act? = nil) async throws -> SignedAssertion {
        let key = try party.key(pin, by: server, epoch: epoch)
        return try await party.assertion(act ?? self.act, answering: challenge).signed(by: party.signer, key)
    }

    private func digest(_ text: SignedAssertion) throws -> [UInt8] { try PINParty.digest(PresentedAssertion(text)) }

    @Test("The right PIN is proven and brings all tries back")
    func proven() async throws {
        let text = try await signed()
        #expect(
            try party.verify(text, challenge, act: act, pins: pins, state: state)
                == .proven(.active(epoch, failed: 0), payloadDigest: digest(text)))
    }

    @Test("A wrong PIN keeps its charge, and the fifth locks")
    func wrongPIN() async throws {
        let text = try await signed(pin: "493818")
        #expect(
            try party.verify(text, challenge, act: act, pins: pins, state: state)
                == .wrongPIN(.active(epoch, failed: 1), payloadDigest: digest(text)))
        let last = PINState.active(epoch, failed: 5)
        #expect(
            try party.verify(text, challenge, act: act, pins: pins, state: last)
                == .wrongPIN(.locked(epoch), payloadDigest: digest(text)))
    }

    @Test("The same assertion again gets the stored result; nothing else is taken for a challenge that is over")
    func replay() async throws {
        let text = try await signed()
        var used = challenge
        used.state = .used(try digest(text))
        let fresh = PINState.active(epoch, failed: 0)
        #expect(try party.verify(text, used, act: act, pins: pins, state: fresh) == .repeated)
        #expect(
            try party.verify(text, used, act: act, pins: pins, state: fresh, after: .seconds(200)) == .repeated)
        // Signed again, so that the bytes differ: still the same statement.
        let again = try await signed()
        #expect(again != text)
        #expect(try party.verify(again, used, act: act, pins: pins, state: fresh) == .repeated)

        var otherwise = party.assertion(act, answering: challenge)
        otherwise = DeviceAssertion(
            audience: otherwise.audience, account: otherwise.account, deviceID: otherwise.deviceID,
            factor: otherwise.factor, challengeID: otherwise.challengeID, nonce: otherwise.nonce, act: act,
            issuedAt: otherwise.issuedAt.advanced(by: .seconds(1)))
        let later = try await otherwise.signed(by: party.signer, key)
        #expect(
            try party.verify(later, used, act: act, pins: pins, state: fresh)
                == .refused(.claim(name: "cid", .mismatch)))
        let wrong = try await signed(pin: "493818")
        #expect(
            try party.verify(wrong, used, act: act, pins: pins, state: fresh)
                == .refused(.claim(name: "cid", .mismatch)))
        let failed = PINChallenge.Failure(payloadDigest: try digest(later), triesLeft: 4)
        for over in [PINChallenge.State.failed(failed), .abandoned] {
            var ended = challenge
            ended.state = over
            #expect(
                try party.verify(text, ended, act: act, pins: pins, state: state)
                    == .refused(.claim(name: "cid", .mismatch)))
        }
    }

    @Test(
        "A wrong PIN that comes again gets its stored result, also once it is locked; by another device's key it gets none"
    )
    func repeatedFailure() async throws {
        let wrong = try await signed(pin: "493818")
        let failure = PINChallenge.Failure(payloadDigest: try digest(wrong), triesLeft: nil)
        var ended = challenge
        ended.state = .failed(failure)
        #expect(
            try party.verify(wrong, ended, act: act, pins: [:], state: .locked(epoch)) == .repeatedFailure(failure))
        let stranger = P256Signer(P256.Signing.PrivateKey())
        let stolen = try await party.assertion(act, answering: challenge)
            .signed(by: stranger, party.key("493818", by: server, epoch: epoch))
        #expect(
            try party.verify(stolen, ended, act: act, pins: pins, state: state)
                == .refused(.invalidSignature))
    }

    @Test(
        "attack: the payload of a failed challenge gives the right PIN no other answer than a wrong one (guessing on)")
    func noOracle() async throws {
        let wrong = try await signed(pin: "493818")
        var ended = challenge
        ended.state = .failed(PINChallenge.Failure(payloadDigest: try digest(wrong), triesLeft: 4))
        let outcomes = try await [signed(), wrong, signed(pin: "493819")].map {
            try party.verify($0, ended, act: act, pins: pins, state: state)
        }
        #expect(Set(outcomes).count == 1)
    }

    @Test("After 120 seconds a challenge is over, for the right PIN too")
    func expired() async throws {
        let text = try await signed()
        #expect(
            try party.verify(text, challenge, act: act, pins: pins, state: state, after: .seconds(120))
                == .refused(.claim(name: "cid", .expired)))
        let inTime = try party.verify(
            text, challenge, act: act, pins: pins, state: state, after: .milliseconds(119_999))
        #expect(inTime == .proven(.active(epoch, failed: 0), payloadDigest: try digest(text)))
    }

    @Test("An assertion for one purpose, transaction or payload is none for another, whichever side changes it")
    func otherActs() async throws {
        let transaction = try TransactionID("tx-1")
        let hash = PayloadHash.transaction([1, 2, 3])
        let others: [DeviceAssertion.Act] = [
            .login(hash), .sca(transaction, hash), .reject(transaction, hash), .biometric(hash), .enroll(hash),
            .pinChange(hash), .transaction(try TransactionID("tx-2"), hash),
            .transaction(transaction, .transaction([1, 2, 4])),
        ]
        let text = try await signed()
        for other in others {
            // The device signs another act than the challenge was asked for.
            let bent = try await signed(other)
            let signedOther = try party.verify(bent, challenge, act: act, pins: pins, state: state)
            guard case .refused = signedOther else {
                Issue.record("took \(other)")
                continue
            }
            // The request is about another act than the challenge, with an assertion for either.
            for assertion in [text, bent] {
                #expect(
                    try party.verify(assertion, challenge, act: other, pins: pins, state: state)
                        == .refused(.unknownKey))
            }
        }
    }

    @Test("An assertion for another challenge, enrollment or account is refused and changes nothing")
    func otherPlaces() async throws {
        let text = try await signed()
        let second = try party.challenge(.use(PINUse(act), epoch), id: "challenge-2")
        #expect(
            try party.verify(text, second, act: act, pins: pins, state: state)
                == .refused(.claim(name: "cid", .mismatch)))
        var foreign = challenge
        foreign.deviceID = try DeviceID("another")
        #expect(
            try party.verify(text, foreign, act: act, pins: pins, state: state)
                == .refused(.claim(name: "enr", .mismatch)))
        let presented = try PresentedAssertion(text)
        let keys = PINVerificationKeys(device: party.jwk, pins: pins)
        #expect(
            challenge.verify(
                presented, digests: [PINParty.digest(presented)],
                of: try AccountID("00000000-0000-4000-8000-000000000000"),
                audience: party.audience,
                act: act,
                keys: keys, pin: PINParty.pin(state), now: party.now) == .refused(.claim(name: "sub", .mismatch)))
        #expect(
            challenge.verify(
                presented, digests: [PINParty.digest(presented)], of: party.account,
                audience: try Issuer("https://other.example"),
                act: act, keys: keys, pin: PINParty.pin(state), now: party.now)
                == .refused(.claim(name: "aud", .mismatch)))
    }

    @Test("The PIN key without the device's cannot even use up a try")
    func withoutDevice() async throws {
        let stranger = P256Signer(P256.Signing.PrivateKey())
        let text = try await party.assertion(act, answering: challenge).signed(by: stranger, key)
        #expect(
            try party.verify(text, challenge, act: act, pins: pins, state: state) == .refused(.invalidSignature))
    }

    @Test("The PIN of an epoch that is over opens nothing")
    func oldEpoch() async throws {
        let text = try await signed()
        let replaced = PINState.active(next, failed: 0)
        #expect(
            try party.verify(text, challenge, act: act, pins: pins, state: replaced)
                == .refused(.claim(name: "epoch", .mismatch)))
        #expect(
            try party.verify(text, challenge, act: act, pins: pins, state: .locked(epoch))
                == .refused(.claim(name: "epoch", .mismatch)))
        let newKey = try party.key("493817", by: PINParty.voprfKey(), epoch: next)
        #expect(
            try party.verify(text, challenge, act: act, pins: [next: newKey.publicKey], state: replaced)
                == .refused(.unknownKey))
        let newChallenge = try party.challenge(.use(PINUse(act), next))
        #expect(
            try party.verify(
                text, newChallenge, act: act, pins: [next: newKey.publicKey, epoch: key.publicKey], state: replaced)
                == .refused(.claim(name: "epoch", .mismatch)))
    }

    @Test("A first PIN is set by its own key, and only the key that the device signed for")
    func enroll() async throws {
        let challenge = try party.challenge(.enroll(epoch))
        let act = DeviceAssertion.Act.enroll(.key(key.publicKey.thumbprint))
        let text = try await party.assertion(act, answering: challenge).signed(by: party.signer, key)
        #expect(
            try party.verify(text, challenge, act: act, pins: pins, state: .pending(epoch))
                == .proven(.active(epoch, failed: 0), payloadDigest: digest(text)))
        // An attacker in between replaces it with a key of their own, and signs with it.
        let planted = P256.Signing.PrivateKey()
        let plantedAct = DeviceAssertion.Act.enroll(.key(JWK(planted.publicKey).thumbprint))
        let bent = try await party.assertion(act, answering: challenge).signed(by: party.signer, P256Signer(planted))
        #expect(
            try party.verify(
                bent, challenge, act: plantedAct, pins: [epoch: JWK(planted.publicKey)], state: .pending(epoch))
                == .refused(.claim(name: "txh", .mismatch)))
        // Another epoch is being set by now.
        #expect(
            try party.verify(text, challenge, act: act, pins: pins, state: .pending(next))
                == .refused(.claim(name: "epoch", .mismatch)))
    }

    @Test("A PIN is changed by the device, the old key and the new key together")
    func change() async throws {
        let newServer = try PINParty.voprfKey()
        let newKey = try party.key("802461", by: newServer, epoch: next)
        let challenge = try party.challenge(.change(epoch, to: next))
        let act = DeviceAssertion.Act.pinChange(.key(newKey.publicKey.thumbprint))
        let assertion = party.assertion(act, answering: challenge)
        let pins = [epoch: key.publicKey, next: newKey.publicKey]
        let state = PINState.changing(epoch, failed: 1, to: next)
        let text = try await assertion.signed(by: party.signer, key, newKey)
        #expect(
            try party.verify(text, challenge, act: act, pins: pins, state: state)
                == .proven(.active(next, failed: 0), payloadDigest: digest(text)))

        let wrongOld = try party.key("493818", by: server, epoch: epoch)
        let wrong = try await assertion.signed(by: party.signer, wrongOld, newKey)
        #expect(
            try party.verify(wrong, challenge, act: act, pins: pins, state: state)
                == .wrongPIN(state, payloadDigest: digest(wrong)))
        let last = PINState.changing(epoch, failed: 5, to: next)
        #expect(
            try party.verify(wrong, challenge, act: act, pins: pins, state: last)
                == .wrongPIN(.replacing(epoch, with: next), payloadDigest: digest(wrong)))
        let newAlone = try await assertion.signed(by: party.signer, newKey)
        #expect(
            try party.verify(newAlone, challenge, act: act, pins: pins, state: state) == .refused(.unknownKey))
        #expect(
            try party.verify(text, challenge, act: act, pins: pins, state: .replacing(epoch, with: next))
                == .refused(.claim(name: "epoch", .mismatch)))
    }
}

@Suite("The challenge of a PIN")
struct PINChallengeTests {
    private let party: PINParty
    private let element: VOPRFElement
    private let request: PINEvaluationRequest
    private let challenge: PINChallenge

    init() throws {
        party = try PINParty()
        element = try PINParty.voprfKey().publicKey
        let act = DeviceAssertion.Act.transaction(try TransactionID("tx-1"), .transaction([1]))
        request = PINEvaluationRequest(
            deviceID: party.deviceID,
            ask: .use(try PINUse(act), PINEvaluationRequest.PresentPIN(epoch: .first, blinded: element)))
        challenge = try party.challenge(.use(PINUse(act), .first), request: request)
    }

    @Test("The same Idempotency-Key with every field the same gets the same answer, as long as the challenge is open")
    func repetition() {
        #expect(challenge.repetition(of: request, now: party.now) == .sameAnswer)
        #expect(challenge.repetition(of: request, now: party.now + .milliseconds(119_999)) == .sameAnswer)
        #expect(challenge.repetition(of: request, now: party.now + .seconds(120)) == .refused(.challengeOver))
        let failed = PINChallenge.Failure(payloadDigest: [1], triesLeft: 4)
        for state in [PINChallenge.State.used([1]), .failed(failed), .abandoned] {
            var over = challenge
            over.state = state
            #expect(over.repetition(of: request, now: party.now) == .refused(.challengeOver))
        }
    }

    @Test("The same Idempotency-Key with any field changed is refused: no second input under one charge")
    func changedFields() throws {
        let present = PINEvaluationRequest.PresentPIN(epoch: .first, blinded: element)
        let other = try PINParty.voprfKey().publicKey
        func use(_ act: DeviceAssertion.Act, _ present: PINEvaluationRequest.PresentPIN) throws -> PINEvaluationRequest
        {
            PINEvaluationRequest(deviceID: party.deviceID, ask: .use(try PINUse(act), present))
        }
        let hash = PayloadHash.transaction([1])
        let transaction = try TransactionID("tx-1")
        var foreign = request
        foreign.deviceID = try DeviceID("another")
        let changed = [
            try use(.transaction(transaction, hash), .init(epoch: .first, blinded: other)),
            try use(.transaction(transaction, hash), .init(epoch: PINParty.epoch(2), blinded: element)),
            try use(.transaction(transaction, .transaction([2])), present),
            try use(.transaction(TransactionID("tx-2"), hash), present),
            try use(.sca(transaction, hash), present), try use(.login(hash), present),
            PINEvaluationRequest(deviceID: party.deviceID, ask: .enroll(new: element)),
            PINEvaluationRequest(deviceID: party.deviceID, ask: .change(present, new: other)), foreign,
        ]
        for request in changed {
            #expect(challenge.repetition(of: request, now: party.now) == .refused(.idempotencyMismatch))
        }
    }
}
