import Core
import Crypto
import Testing

/// The vectors of RFC 5869, appendix A, as far as two blocks go.
@Suite("Key derivation")
struct KeyDerivationTests {
    struct Vector: Sendable {
        let input: [UInt8]
        let salt: [UInt8]
        let info: [UInt8]
        /// In hexadecimal digits.
        let output: String
    }

    @Test(
        "The first two blocks are those of RFC 5869",
        arguments: [
            Vector(
                input: [UInt8](repeating: 0x0b, count: 22), salt: [UInt8](0x00...0x0c), info: [UInt8](0xf0...0xf9),
                output: """
                    3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865
                    """),
            Vector(
                input: [UInt8](0x00...0x4f), salt: [UInt8](0x60...0xaf), info: [UInt8](0xb0...0xff),
                output: """
                    b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c\
                    59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71
                    """),
            Vector(
                input: [UInt8](repeating: 0x0b, count: 22), salt: [], info: [],
                output: """
                    8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8
                    """),
        ])
    func vectors(vector: Vector) {
        let blocks = KeyDerivation.blocks(
            of: SymmetricKey(data: vector.input), salt: vector.salt, info: vector.info)
        let output = PasskeyVector.bytes(vector.output)
        #expect((Array(blocks.first) + Array(blocks.second)).prefix(output.count) == output[...])
    }

    @Test("Two blocks are what the library's own function derives")
    func library() {
        let key = SymmetricKey(data: [UInt8](repeating: 3, count: 32))
        let (salt, info) = ([UInt8](0..<16), Array("personal\0accounts|email|1".utf8))
        let blocks = KeyDerivation.blocks(of: key, salt: salt, info: info)
        let derived = HKDF<SHA256>.deriveKey(inputKeyMaterial: key, salt: salt, info: info, outputByteCount: 64)
        #expect(SymmetricKey(data: Array(blocks.first) + Array(blocks.second)) == derived)
    }
}
