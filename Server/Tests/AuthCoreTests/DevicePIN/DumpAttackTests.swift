import Core
import Crypto
import CryptoExtras
import Foundation
import SignIn
import Testing
import WalletAuthWire

@testable import WalletAuthPIN

/// What stolen copies are worth. The attacker tries every PIN of four digits, offline, with everything that they have and
/// something made up for what they lack, and holds each key that comes of it against the public key and a signature. Of
/// those they are always given the plain text, which in truth is sealed as well. Where a PIN costs an evaluation by the server's key, they
/// try a thousand, the right one among them.
@Suite("What a database dump, a device dump and both without the keys still lack")
struct DumpAttackTests {
    private let party: PINParty
    private let server: VOPRFKey
    private let masterKey = DataKey(id: KeyID(1), label: "pin", key: SymmetricKey(size: .bits256))
    private let sealedServerKey: [UInt8]
    private let publicKey: JWK
    private let capturedEvaluation: VOPRFEvaluation
    private let capturedAssertion: SignedAssertion

    private static let pin = "7302"
    private static let aThousand = 7_000..<8_000
    private static let context = "pins|voprf_key|1"

    init() async throws {
        party = try PINParty()
        server = try PINParty.voprfKey()
        sealedServerKey = try Sealing.seal(
            server.privateBytes, with: masterKey, context: Self.context,
            nonce: SymmetricKey(size: .bits128).withUnsafeBytes { Array($0) })
        let exchange = try PINExchange(pin: PIN(Self.pin), secret: party.secret, derivation: PINParty.quick)
        capturedEvaluation = try server.evaluate(exchange.blinded)
        let key = try exchange.key(
            PINEvaluationResponse.New(epoch: .first, publicKey: server.publicKey, evaluation: capturedEvaluation)
        ).key
        publicKey = key.publicKey
        let act = DeviceAssertion.Act.transaction(try TransactionID("tx-1"), .transaction([1]))
        capturedAssertion = try await party.assertion(
            act, answering: party.challenge(.use(PINUse(act), .first))
        ).signed(by: party.signer, key)
    }

    /// How an attacker comes to y: with the server's key, or with something in its place.
    private enum Output: Sendable {
        case serverKey([UInt8])
        case something([UInt8])
    }

    /// Every PIN among these that the attacker finds confirmed.
    private func confirmed(
        among numbers: Range<Int> = 0..<10_000, secret: DeviceSecret, output: Output
    ) async throws -> [String] {
        let parts = 2
        return try await withThrowingTaskGroup(of: [String].self) { group in
            for part in 0..<parts {
                group.addTask {
                    var found: [String] = []
                    for number in stride(from: numbers.lowerBound + part, to: numbers.upperBound, by: parts) {
                        // Other tests run in parallel, and some of them measure time.
                        await Task.yield()
                        let text = String(String(number + 10_000).dropFirst())
                        if try confirms(PIN(text), secret: secret, output: output) { found.append(text) }
                    }
                    return found
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }

    private func confirms(_ pin: PIN, secret: DeviceSecret, output: Output) throws -> Bool {
        let y: SecretBytes
        switch output {
        case .serverKey(let bytes):
            // In the clear: with the key, no server has to be asked.
            let key = try P384._VOPRF.PrivateKey(rawRepresentation: bytes)
            y = SecretBytes(try PINInput.bytes(pin, secret: secret).withData { try key.evaluate($0) })
        case .something(let bytes): y = SecretBytes(bytes)
        }
        let guess = try PINParty.quick.key(y, pin: pin, secret: secret, epoch: .first)
        guard guess.publicKey == publicKey else { return false }
        // To an attacker who has only the signature, it says the same as the public key.
        let general = try GeneralJWS(Array(capturedAssertion.reveal().utf8))
        return try general.signatures.last?.verified(by: guess.publicKey.verifier()) != nil
    }

    /// ds of another device: what an attacker without the device's can make up.
    private func madeUpSecret() throws -> DeviceSecret { try PINParty().secret }

    @Test("A database dump with the master key, and without the device: no PIN is confirmed")
    func serverDumpWithKey() async throws {
        let opened = try #require(Sealing.open(sealedServerKey, with: masterKey, context: Self.context))
        #expect(opened == server.privateBytes)
        let found = try await confirmed(
            among: Self.aThousand, secret: madeUpSecret(), output: .serverKey(opened))
        #expect(found.isEmpty)
    }

    @Test("A database dump without the master key, and a capture of the traffic: no PIN is confirmed")
    func serverDump() async throws {
        let found = try await confirmed(secret: madeUpSecret(), output: .something(capturedEvaluation.element))
        #expect(found.isEmpty)
    }

    @Test("A device dump with all its keys, and a capture of the traffic: no PIN is confirmed")
    func deviceDump() async throws {
        let found = try await confirmed(secret: party.secret, output: .something(capturedEvaluation.element))
        #expect(found.isEmpty)
    }

    @Test("Both dumps without the master key, and a capture of the traffic: no PIN is confirmed")
    func bothDumps() async throws {
        let otherKey = DataKey(id: masterKey.id, label: "pin", key: SymmetricKey(size: .bits256))
        #expect(Sealing.open(sealedServerKey, with: otherKey, context: Self.context) == nil)
        // The sealed bytes taken for what they hide, as if they were not sealed.
        let found = try await confirmed(secret: party.secret, output: .something(sealedServerKey))
        #expect(found.isEmpty)
    }

    /// This is what the tests above would find if the protocol left anything out: they can fail.
    @Test("Both dumps with the master key confirm exactly one PIN: that is what the key protects")
    func everything() async throws {
        let opened = try #require(Sealing.open(sealedServerKey, with: masterKey, context: Self.context))
        let found = try await confirmed(
            among: Self.aThousand, secret: party.secret, output: .serverKey(opened))
        #expect(found == [Self.pin])
    }
}
