import Core
import Crypto
import Testing

@Suite("Sealing")
struct SealingTests {
    private let key = DataKey(
        id: KeyID(7), label: "personal", key: SymmetricKey(data: [UInt8](repeating: 3, count: 32)))
    private let nonce = [UInt8](0..<16)

    private func sealed() throws -> [UInt8] {
        try Sealing.seal(Array("ada@example.com".utf8), with: key, context: "accounts|email|1", nonce: nonce)
    }

    @Test("What was sealed opens with its key and its context")
    func opens() throws {
        let sealed = try sealed()
        #expect(sealed.count == 15 + Sealing.overhead)
        #expect(Sealing.keyID(of: sealed) == KeyID(7))
        #expect(Sealing.open(sealed, with: key, context: "accounts|email|1") == Array("ada@example.com".utf8))
    }

    @Test("A sealed message has the stored format, computed by another program")
    func format() throws {
        let stored = PasskeyVector.bytes(
            """
            0100000007000102030405060708090a0b0c0d0e0fa168ea497051d796b4f3e6317dee1e0f6d5a290544a65003cb293fa683de83
            """)
        #expect(try sealed() == stored)
    }

    @Test("A ciphertext moved to another row, column or purpose does not open")
    func moved() throws {
        let sealed = try sealed()
        #expect(Sealing.open(sealed, with: key, context: "accounts|email|2") == nil)
        #expect(Sealing.open(sealed, with: key, context: "accounts|phone|1") == nil)
        let pepper = DataKey(id: key.id, label: "pepper", key: key.key)
        #expect(Sealing.open(sealed, with: pepper, context: "accounts|email|1") == nil)
    }

    @Test("A ciphertext with any one bit turned does not open")
    func everyBit() throws {
        let sealed = try sealed()
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(Sealing.open(changed, with: key, context: "accounts|email|1") == nil)
        }
    }

    @Test("A truncated ciphertext does not open", arguments: [0, 1, 5, 20, 36, 51])
    func truncated(length: Int) throws {
        #expect(Sealing.open(Array(try sealed().prefix(length)), with: key, context: "accounts|email|1") == nil)
    }
}
