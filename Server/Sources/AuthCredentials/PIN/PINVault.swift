internal import AuthCore
internal import AuthFoundation
internal import AuthStore
internal import WalletAuthWire

/// Seals and opens the keys of PINs, each bound to its device and epoch, so that a key moved to another row does not open.
struct PINVault: Sendable {
    let context: ServerContext

    /// Creates the VOPRF key of an epoch.
    func newKey(_ epoch: PINEpoch, of device: UniqueID) throws -> (key: VOPRFKey, sealed: [UInt8]) {
        // Random bytes fail to be a scalar with a probability of 2⁻¹⁹⁴.
        for _ in 0..<4 {
            guard let key = VOPRFKey(privateBytes: context.random.bytes(VOPRFKey.byteCount)) else { continue }
            return (
                key,
                try context.seal(key.privateBytes, for: .pin, context: Self.context("evaluation_key", device, epoch))
            )
        }
        throw SourceFailure()
    }

    /// - Throws: ``SourceFailure`` if the key does not open: the master key differs, or the row was moved.
    func key(_ sealed: [UInt8]?, _ epoch: PINEpoch, of device: UniqueID) throws -> VOPRFKey {
        guard let sealed,
            let bytes = context.open(sealed, for: .pin, context: Self.context("evaluation_key", device, epoch)),
            let key = VOPRFKey(privateBytes: bytes)
        else { throw SourceFailure() }
        return key
    }

    /// Seals the public half of a PIN key. Together with a stolen device it would verify guesses.
    func seal(_ key: JWK, _ epoch: PINEpoch, of device: UniqueID) throws -> [UInt8] {
        try context.seal(key.publicMembers.bytes, for: .pin, context: Self.context("public_key", device, epoch))
    }

    /// - Throws: ``SourceFailure`` if the key does not open.
    func publicKey(_ sealed: [UInt8]?, _ epoch: PINEpoch, of device: UniqueID) throws -> JWK {
        guard let sealed,
            let bytes = context.open(sealed, for: .pin, context: Self.context("public_key", device, epoch)),
            let members = try? JSONValue.object(parsing: bytes), let key = try? JWK(members)
        else { throw SourceFailure() }
        return key
    }

    /// The digests that identify an assertion, one for each of the server's keys, the current one first. They are keyed because the
    /// payload names the new PIN key, so a plain digest would verify guesses as well as that key does.
    func digests(of assertion: PresentedAssertion, answering challenge: UniqueID, now: Timestamp) -> [[UInt8]] {
        context.keyRing.keys(.attempts, at: now).map {
            Digests.keyed("pin-payload", [challenge.uuid, Base64URL.encode(assertion.payloadDigest)], key: $0)
        }
    }

    private static func context(_ column: String, _ device: UniqueID, _ epoch: PINEpoch) -> String {
        "pins|\(column)|\(device.uuid)|\(epoch.number)"
    }
}
