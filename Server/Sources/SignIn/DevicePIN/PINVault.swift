internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// Seals and opens the keys of PINs, each bound to its device and epoch.
typealias PINVault = Vault<PINField>

enum PINField: String, SealedField {
    case evaluationKey = "pins|evaluation_key"
    /// The public half of a PIN key. Together with a stolen device it would verify guesses.
    case publicKey = "pins|public_key"

    typealias Row = (device: UniqueID, epoch: PINEpoch)

    var purpose: KeyPurpose { .pin }

    static func id(of row: Row) -> String { "\(row.device.uuid)|\(row.epoch.number)" }
}

extension PINVault {
    /// Creates the VOPRF key of an epoch.
    func newKey(_ epoch: PINEpoch, of device: UniqueID) throws -> (key: VOPRFKey, sealed: [UInt8]) {
        // Random bytes fail to be a scalar with a probability of 2⁻¹⁹⁴.
        for _ in 0..<4 {
            guard let key = VOPRFKey(privateBytes: sealing.random.bytes(VOPRFKey.byteCount)) else { continue }
            return (key, try seal(key.privateBytes, .evaluationKey, of: (device, epoch)))
        }
        throw InvariantViolation()
    }

    /// - Throws: ``DamagedRow`` if the key does not open: the master key differs, or the row was moved.
    func key(_ sealed: [UInt8]?, _ epoch: PINEpoch, of device: UniqueID) throws -> VOPRFKey {
        guard let key = try VOPRFKey(privateBytes: bytes(sealed, .evaluationKey, of: (device, epoch))) else {
            throw DamagedRow()
        }
        return key
    }

    /// - Throws: ``DamagedRow`` if the key does not open.
    func publicKey(_ sealed: [UInt8]?, _ epoch: PINEpoch, of device: UniqueID) throws -> JWK {
        guard let key = try? JWK(object(sealed, .publicKey, of: (device, epoch))) else { throw DamagedRow() }
        return key
    }

    /// The digests that identify an assertion, one for each of the server's keys, the current one first. They are keyed because the
    /// payload names the new PIN key, so a plain digest would verify guesses as well as that key does.
    func digests(of assertion: PresentedAssertion, answering challenge: UniqueID, now: Timestamp) -> [[UInt8]] {
        sealing.keyRing.keys(.attempts, at: now).map {
            Digests.keyed("pin-payload", [challenge.uuid, Base64URL.encode(assertion.payloadDigest)], key: $0)
        }
    }
}

/// Seals the requests of challenges. They name the hash of what a PIN is to sign, which would confirm a guess of amount
/// and payee.
typealias PINChallengeVault = Vault<PINChallengeField>

enum PINChallengeField: String, SealedField {
    case request = "pin_challenges|request"

    var purpose: KeyPurpose { .pin }
}

extension PINChallengeVault {
    /// - Returns: text, as the column has it.
    func seal(_ request: PINEvaluationRequest, of id: UniqueID) throws -> String {
        Base64URL.encode(try seal(request.withoutDraft.json.bytes, .request, of: id))
    }

    /// - Throws: `MalformedValue` or ``DamagedRow`` for a damaged row.
    func challenge(_ record: PINChallengeRecord) throws -> PINChallenge {
        let request = try PINEvaluationRequest(object(Base64URL.decode(record.request), .request, of: record.id))
        let subject: PINChallenge.Subject
        switch (request.ask, record.epoch, record.newEpoch) {
        case (.use(let use, _), let epoch?, nil): subject = .use(use, epoch)
        case (.enroll, nil, let epoch?): subject = .enroll(epoch)
        case (.change, let epoch?, let new?): subject = .change(epoch, to: new)
        default: throw MalformedValue(field: "pin_challenges", reason: "has a row that fits no request")
        }
        return PINChallenge(
            id: try ChallengeID(record.id.uuid), nonce: try Nonce(record.nonce),
            deviceID: try DeviceID(record.deviceID.uuid), subject: subject,
            idempotencyKey: try IdempotencyKey(record.idempotencyKey), requestDigest: record.requestDigest,
            expiresAt: record.endsAt, state: record.state)
    }
}
