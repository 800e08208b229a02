import Crypto
import CryptoExtras
import Foundation
import Testing

@testable import WalletAuthPIN
@testable import WalletAuthWire

/// A server's key of one epoch.
struct SimulatedServer {
    let privateKey: P384._VOPRF.PrivateKey
    let epoch: PINEpoch

    init(privateKey: P384._VOPRF.PrivateKey = P384._VOPRF.PrivateKey(compactRepresentable: false), epoch: Int64) throws
    {
        self.privateKey = privateKey
        self.epoch = try #require(PINEpoch(exactly: epoch))
    }

    var publicKey: VOPRFElement {
        get throws { try VOPRFElement(bytes: Array(privateKey.publicKey.compressedRepresentation)) }
    }

    func evaluation(_ blinded: VOPRFElement) throws -> VOPRFEvaluation {
        let element = try P384._VOPRF.BlindedElement(oprfRepresentation: blinded.bytes)
        return try VOPRFEvaluation(bytes: Array(privateKey.evaluate(element).rawRepresentation))
    }

    func answer(_ blinded: VOPRFElement) throws -> PINEvaluationResponse.New {
        PINEvaluationResponse.New(epoch: epoch, publicKey: try publicKey, evaluation: try evaluation(blinded))
    }

    func presentAnswer(_ blinded: VOPRFElement) throws -> PINEvaluationResponse.Present {
        PINEvaluationResponse.Present(epoch: epoch, evaluation: try evaluation(blinded), attemptsLeft: 4)
    }
}

/// A device with software keys.
struct SimulatedDevice {
    let id: DeviceID
    let key = P256.Signing.PrivateKey()
    let agreementKey = P256.KeyAgreement.PrivateKey()
    let share: DeviceShare
    let secret: DeviceSecret

    static let issuer = try? Issuer("https://login.example")
    static let account = try? AccountID("6f1a2b3c-4d5e-4f60-8a7b-9c0d1e2f3a4b")
    static let now = NumericDate(clamping: 1_800_000_000)

    init(enrollment: String = "0b3c1d5e-7f90-4a2b-9c4d-5e6f708192a3", share: DeviceShare = DeviceShare()) throws {
        id = try DeviceID(enrollment)
        self.share = share
        secret = try DeviceSecret(
            enrollment: id, agreement: agreementKey.sharedSecretFromKeyAgreement(with: share.peer), share: share)
    }

    var signer: P256Signer { P256Signer(key) }
    var jwk: JWK { JWK(key.publicKey) }

    func assertion(
        _ act: DeviceAssertion.Act, epoch: PINEpoch, challenge: String = "challenge-1"
    ) throws -> DeviceAssertion {
        try DeviceAssertion(
            audience: #require(Self.issuer), account: #require(Self.account), deviceID: id, factor: .pin(epoch),
            challengeID: ChallengeID(challenge), nonce: Nonce(challenge + "-nonce"), act: act, issuedAt: Self.now)
    }

    func request(body: [UInt8]) throws -> DeviceRequestSignature {
        try DeviceRequestSignature(
            audience: #require(Self.issuer), deviceID: id, method: "POST",
            target: HTTPTarget("https://login.example/v1/pin/evaluate"), body: body, nonce: Nonce("server-nonce"),
            idempotencyKey: IdempotencyKey("AAECAwQFBgcICQoLDA0ODw"), issuedAt: Self.now)
    }
}

extension PINDerivation {
    /// The derivation with a scrypt that costs next to nothing, where the test is about something else.
    static let quick = PINDerivation(cost: Cost(rounds: 2, blockSize: 1, parallelism: 1))
}
