import Crypto
import Foundation
import Testing
import WalletAuthWire

@testable import WalletAuthPIN

@Suite("The PIN key, step by step", .serialized)
struct DerivationVectorTests {
    private func bytes(_ secret: SecretBytes) -> [UInt8] { secret.withBytes { Array($0) } }

    private func secret(_ vector: WPIN1Vectors.Derivation) throws -> DeviceSecret {
        let ka = try P256.KeyAgreement.PrivateKey(rawRepresentation: hex(vector.ka))
        let share = try DeviceShare(stored: Data(hex(vector.E) + hex(vector.r)))
        let agreement = try ka.sharedSecretFromKeyAgreement(with: share.peer)
        #expect(try agreement.withUnsafeBytes { Array($0) } == hex(vector.ecdh))
        return try DeviceSecret(enrollment: DeviceID(vector.enrollment), agreement: agreement, share: share)
    }

    @Test("ds, x, s and the key are another program's", arguments: WPIN1Vectors.list(\.derivations))
    func steps(vector: WPIN1Vectors.Derivation) throws {
        let secret = try secret(vector)
        #expect(try bytes(secret.bytes) == hex(vector.ds))
        let pin = try PIN(vector.pin)
        #expect(try bytes(PINInput.bytes(pin, secret: secret)) == hex(vector.x))

        let derivation = PINDerivation()
        #expect(derivation.cost == .wpin1)
        let stretched = try derivation.stretched(SecretBytes(hex(vector.y)), pin: pin, secret: secret)
        #expect(try bytes(stretched) == hex(vector.s))

        let epoch = try #require(PINEpoch(exactly: vector.epoch))
        let key = try derivation.key(stretched, secret: secret, epoch: epoch)
        #expect(try key.publicKey.x963 == hex(vector.publicKey))
        #expect(key.publicKey.thumbprint.rawValue == vector.thumbprint)
        let known = try P256.Signing.PrivateKey(rawRepresentation: hex(vector.sk))
        #expect(key.publicKey == JWK(known.publicKey))
    }

    @Test(
        "The counter goes up from 0 to the first candidate that is a scalar", arguments: WPIN1Vectors.list(\.counters))
    func counter(vector: WPIN1Vectors.Counter) throws {
        let candidates = try vector.candidates.map { SecretBytes(try hex($0)) }
        var asked: [UInt8] = []
        let (counter, scalar) = try PINScalar.first { counter in
            asked.append(counter)
            return candidates[Int(counter)]
        }
        #expect(counter == vector.counter)
        #expect(try bytes(scalar) == hex(vector.sk))
        #expect(asked == Array(0...vector.counter))
        _ = try PINKey(scalar)
    }

    @Test("Where no counter gives a scalar, there is no key and no endless loop")
    func noScalar() {
        var count = 0
        #expect(throws: PINFailure.noScalar) {
            try PINScalar.first { _ in
                count += 1
                return SecretBytes([UInt8](repeating: 0xFF, count: 32))
            }
        }
        #expect(count == 256)
    }

    @Test("What was stored of a share is read again, and anything else is refused")
    func storedShare() throws {
        let share = DeviceShare()
        let again = try DeviceShare(stored: share.stored)
        #expect(again.stored == share.stored)
        #expect(share.stored.count == 97)
        #expect(DeviceShare().stored != share.stored)
        for bad in [Data(), share.stored.dropLast(), share.stored + [0], Data(repeating: 4, count: 97)] {
            #expect(throws: PINFailure.storedShare) { try DeviceShare(stored: bad) }
        }
    }
}
