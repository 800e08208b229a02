internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

/// Opens and seals the keys of PINs: each under its own device and epoch, so that one that was moved to another row does
/// not open.
struct PINVault: Sendable {
    let context: ServerContext

    /// Makes the VOPRF key of an epoch.
    func newKey(_ epoch: PINEpoch, of device: UniqueID) throws -> (key: VOPRFKey, sealed: [UInt8]) {
        // Random bytes are no scalar with a probability of 2⁻¹⁹⁴.
        for _ in 0..<4 {
            guard let key = VOPRFKey(privateBytes: context.random.bytes(VOPRFKey.byteCount)) else { continue }
            return (
                key,
                try context.seal(key.privateBytes, for: .pin, context: Self.context("evaluation_key", device, epoch))
            )
        }
        throw SourceFailure()
    }

    /// The VOPRF key of an epoch.
    /// - Throws: ``SourceFailure`` where it does not open: the master key is another, or the row was moved.
    func key(_ sealed: [UInt8]?, _ epoch: PINEpoch, of device: UniqueID) throws -> VOPRFKey {
        guard let sealed,
            let bytes = context.open(sealed, for: .pin, context: Self.context("evaluation_key", device, epoch)),
            let key = VOPRFKey(privateBytes: bytes)
        else { throw SourceFailure() }
        return key
    }

    /// Seals the public half of a PIN key, which beside a stolen device would tell whether a guess is right.
    func seal(_ key: JWK, _ epoch: PINEpoch, of device: UniqueID) throws -> [UInt8] {
        try context.seal(key.publicMembers.bytes, for: .pin, context: Self.context("public_key", device, epoch))
    }

    /// The public half of the PIN key of an epoch.
    /// - Throws: ``SourceFailure`` where it does not open.
    func publicKey(_ sealed: [UInt8]?, _ epoch: PINEpoch, of device: UniqueID) throws -> JWK {
        guard let sealed,
            let bytes = context.open(sealed, for: .pin, context: Self.context("public_key", device, epoch)),
            let members = try? JSONValue.object(parsing: bytes), let key = try? JWK(members)
        else { throw SourceFailure() }
        return key
    }

    /// The digests by which an assertion is known again, under each key that the server has, the present one first. The payload
    /// names the PIN key that is set, so that an unkeyed digest would confirm guesses as well as the key does.
    func digests(of assertion: PresentedAssertion, answering challenge: UniqueID, now: Timestamp) -> [[UInt8]] {
        context.keyRing.keys(.attempts, at: now).map {
            Digests.keyed("pin-payload", [challenge.uuid, Base64URL.encode(assertion.payloadDigest)], key: $0)
        }
    }

    private static func context(_ column: String, _ device: UniqueID, _ epoch: PINEpoch) -> String {
        "pins|\(column)|\(device.uuid)|\(epoch.number)"
    }
}
