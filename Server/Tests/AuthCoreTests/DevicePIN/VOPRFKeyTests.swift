import Foundation
import SignIn
import Testing
import WalletAuthWire

@Suite("The server's VOPRF key")
struct VOPRFKeyTests {
    /// Tests/Vectors/wpin-1/vectors.json, from which the published part and what goes in and out of the server is read.
    private struct Vectors: Decodable {
        let rfc9497: Published
        let derivations: [Derivation]

        struct Published: Decodable {
            let skSm: String
            let pkSm: String
            let vectors: [Vector]
        }

        struct Vector: Decodable {
            let BlindedElement: String
            let EvaluationElement: String
        }

        struct Derivation: Decodable {
            let voprfPrivateKey: String
            let voprfPublicKey: String
            let blinded: String
            let evaluation: String
        }

        static func read() throws -> Vectors {
            // Server/Tests/AuthCoreTests/DevicePIN/VOPRFKeyTests.swift lies five levels below the root.
            let root = (1...5).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
            let file = root.appending(path: "Tests/Vectors/wpin-1/vectors.json")
            return try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: file))
        }
    }

    private func hex(_ text: String) throws -> [UInt8] {
        let characters = Array(text.utf8)
        return try stride(from: 0, to: characters.count, by: 2).map { index in
            try #require(UInt8(String(decoding: characters[index...index + 1], as: UTF8.self), radix: 16))
        }
    }

    @Test("RFC 9497 appendix A.4.2: the blinded elements evaluate to the published ones under the published key")
    func published() throws {
        let vectors = try Vectors.read().rfc9497
        let key = try #require(VOPRFKey(privateBytes: hex(vectors.skSm)))
        #expect(try key.publicKey.bytes == hex(vectors.pkSm))
        try #require(vectors.vectors.count == 2)
        for vector in vectors.vectors {
            let evaluation = try key.evaluate(VOPRFElement(bytes: hex(vector.BlindedElement)))
            #expect(try evaluation.element == hex(vector.EvaluationElement))
        }
    }

    @Test("Another program's evaluations are this one's; the proofs differ each time")
    func derivations() throws {
        for vector in try Vectors.read().derivations {
            let key = try #require(VOPRFKey(privateBytes: hex(vector.voprfPrivateKey)))
            #expect(try key.publicKey.bytes == hex(vector.voprfPublicKey))
            let blinded = try VOPRFElement(bytes: hex(vector.blinded))
            let first = try key.evaluate(blinded)
            let second = try key.evaluate(blinded)
            #expect(try first.element == Array(hex(vector.evaluation).prefix(49)))
            #expect(first.element == second.element)
            #expect(first != second)
        }
    }

    @Test("What is no scalar of P-384 is no key, and a key is sealed and opened again as it was")
    func privateBytes() throws {
        let order = try hex(
            "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973")
        let one = [UInt8](repeating: 0, count: 47) + [1]
        for bytes in [
            [], [UInt8](repeating: 0, count: 48), [UInt8](repeating: 0xFF, count: 48), order,
            [UInt8](repeating: 1, count: 47), [UInt8](repeating: 1, count: 49),
        ] {
            #expect(VOPRFKey(privateBytes: bytes) == nil)
        }
        #expect(VOPRFKey(privateBytes: one)?.privateBytes == one)
        let key = try PINParty.voprfKey()
        let again = try #require(VOPRFKey(privateBytes: key.privateBytes))
        #expect(again.publicKey == key.publicKey)
    }

    @Test("A key is never printed")
    func redaction() throws {
        let key = try PINParty.voprfKey()
        var dumped = ""
        dump(key, to: &dumped)
        #expect("\(key)" == "<redacted>")
        #expect(!dumped.contains("bytes"))
    }
}
