import Core
import Crypto
import Foundation
import Testing
import WalletAuthWire

@testable import SignIn
@testable import WalletAuthPIN

/// A device with a PIN, and what the server has of both.
struct PINParty {
    let audience: Issuer
    let account: AccountID
    let deviceID: DeviceID
    let device = P256.Signing.PrivateKey()
    let agreement = P256.KeyAgreement.PrivateKey()
    let share = DeviceShare()
    let secret: DeviceSecret
    let now = Timestamp(seconds: 1_800_000_000)

    /// A scrypt that costs next to nothing: these tests are about something else.
    static let quick = PINDerivation(cost: PINDerivation.Cost(rounds: 2, blockSize: 1, parallelism: 1))

    init(enrollment: String = "0b3c1d5e-7f90-4a2b-9c4d-5e6f708192a3") throws {
        audience = try Issuer("https://login.example")
        account = try AccountID("6f1a2b3c-4d5e-4f60-8a7b-9c0d1e2f3a4b")
        deviceID = try DeviceID(enrollment)
        secret = try DeviceSecret(
            enrollment: deviceID, agreement: agreement.sharedSecretFromKeyAgreement(with: share.peer), share: share)
    }

    var signer: P256Signer { P256Signer(device) }
    var jwk: JWK { JWK(device.publicKey) }

    static func epoch(_ number: Int64) throws -> PINEpoch { try #require(PINEpoch(exactly: number)) }

    static func voprfKey() throws -> VOPRFKey {
        try #require(VOPRFKey(privateBytes: Array(P384.Signing.PrivateKey().rawRepresentation)))
    }

    /// The key that a PIN gives by this server key, in this epoch: the whole exchange.
    func key(_ pin: String, by server: VOPRFKey, epoch: PINEpoch) throws -> PINKey {
        let exchange = try PINExchange(pin: PIN(pin), secret: secret, derivation: Self.quick)
        let answer = PINEvaluationResponse.New(
            epoch: epoch, publicKey: server.publicKey, evaluation: try server.evaluate(exchange.blinded))
        return try exchange.key(answer).key
    }

    func challenge(
        _ subject: PINChallenge.Subject, id: String = "challenge-1", request: PINEvaluationRequest? = nil
    ) throws -> PINChallenge {
        PINChallenge(
            id: try ChallengeID(id), nonce: try Nonce(id + "-nonce"), deviceID: deviceID, subject: subject,
            idempotencyKey: try IdempotencyKey("AAECAwQFBgcICQoLDA0ODw"),
            requestDigest: request.map(PINChallenge.digest) ?? [], expiresAt: now + PINLimits.challengeLifetime)
    }

    func assertion(_ act: DeviceAssertion.Act, answering challenge: PINChallenge) -> DeviceAssertion {
        DeviceAssertion(
            audience: audience, account: account, deviceID: deviceID, factor: .pin(challenge.subject.asserted),
            challengeID: challenge.id, nonce: challenge.nonce, act: act,
            issuedAt: NumericDate(clamping: now.seconds))
    }

    /// A substitute for the server's keyed digest.
    static func digest(_ assertion: PresentedAssertion) -> [UInt8] { assertion.payloadDigest.reversed() }

    /// A PIN in a state, with no charge in the window.
    static func pin(_ state: PINState) -> DevicePIN {
        DevicePIN(
            state: state, lastEpoch: state.pending ?? state.active, evaluationKey: nil, publicKey: nil,
            pendingEvaluationKey: nil, charges: [], exhaustedAt: nil, openTry: nil, changedAt: Timestamp(seconds: 0))
    }

    /// The result of an assertion, with no more of the PIN than its state.
    enum Verdict: Hashable {
        case proven(PINState, payloadDigest: [UInt8])
        case repeated
        case repeatedFailure(PINChallenge.Failure)
        case wrongPIN(PINState, payloadDigest: [UInt8])
        case refused(JOSEError)
    }

    func verify(
        _ text: SignedAssertion, _ challenge: PINChallenge, act: DeviceAssertion.Act, pins: [PINEpoch: JWK],
        state: PINState, after delay: Duration = .zero
    ) throws -> Verdict {
        let presented = try PresentedAssertion(text)
        let result = challenge.verify(
            presented, digests: [Self.digest(presented)], of: account, audience: audience, act: act,
            keys: PINVerificationKeys(device: jwk, pins: pins), pin: Self.pin(state), now: now + delay)
        return switch result {
        case .proven(let pin, let digest): .proven(pin.state, payloadDigest: digest)
        case .repeated: .repeated
        case .repeatedFailure(let failure): .repeatedFailure(failure)
        case .wrongPIN(let pin, _, let failure): .wrongPIN(pin.state, payloadDigest: failure.payloadDigest)
        case .late(_, _, let error), .refused(let error): .refused(error)
        }
    }
}
