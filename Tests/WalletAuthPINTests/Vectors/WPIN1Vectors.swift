import Foundation
import Testing

/// Tests/Vectors/wpin-1/vectors.json, which a Python program of its own makes from docs/wpin-1.md.
struct WPIN1Vectors: Decodable {
    let rfc9497: Published
    let derivations: [Derivation]
    let counters: [Counter]
    let hostile: Hostile
    let issuer: String
    let account: String
    let time: Int64
    let statements: Statements
    let assertions: Assertions

    /// RFC 9497 appendix A.4.2, by its own names.
    struct Published: Decodable {
        let skSm: String
        let pkSm: String
        let vectors: [Vector]

        struct Vector: Decodable {
            let Input: String
            let Blind: String
            let BlindedElement: String
            let EvaluationElement: String
            let Proof: String
            let ProofRandomScalar: String
            let Output: String
        }
    }

    struct Derivation: Decodable, CustomTestStringConvertible {
        let name: String
        let enrollment: String
        let pin: String
        let epoch: Int64
        let ka: String
        let E: String
        let r: String
        let ecdh: String
        let ds: String
        let x: String
        let voprfPrivateKey: String
        let voprfPublicKey: String
        let blind: String
        let blinded: String
        let evaluation: String
        let y: String
        let s: String
        let counter: UInt8
        let sk: String
        let publicKey: String
        let thumbprint: String

        var testDescription: String { name }
    }

    struct Counter: Decodable, CustomTestStringConvertible {
        let name: String
        let candidates: [String]
        let counter: UInt8
        let sk: String

        var testDescription: String { name }
    }

    struct Hostile: Decodable {
        let evaluations: [Named]
        let malformedEvaluations: [Named]
        let malformedElements: [Named]
    }

    struct Named: Decodable, CustomTestStringConvertible {
        let name: String
        let bytes: String

        var testDescription: String { name }
    }

    struct Statements: Decodable {
        let devicePrivateKey: String
        let deviceKey: String
        let dpopThumbprint: String
        let codeChallenge: String
        let deviceProof: String
        let request: Request
        let enrollment: Enrollment

        struct Request: Decodable {
            let body: String
            let signature: String
        }

        struct Enrollment: Decodable {
            let name: String
            let platform: String
            let proof: String
        }
    }

    struct Assertions: Decodable {
        let shown: String
        let bioKey: String
        let entries: [Entry]

        struct Entry: Decodable, CustomTestStringConvertible {
            let name: String
            let payload: String
            let secondKeys: [String]
            let assertion: String

            var testDescription: String { name }
        }
    }

    /// Tests/WalletAuthPINTests/Vectors/WPIN1Vectors.swift lies four levels below the root.
    static let repository = (1...4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    static let folder = repository.appending(path: "Tests/Vectors/wpin-1")
    static let file = folder.appending(path: "vectors.json")

    static let read = Result { try JSONDecoder().decode(WPIN1Vectors.self, from: Data(contentsOf: file)) }
    static var all: WPIN1Vectors { get throws { try read.get() } }

    /// For the arguments of tests, which cannot throw; that the file is there is a test of its own.
    static func list<T>(_ path: (WPIN1Vectors) -> [T]) -> [T] { (try? read.get()).map(path) ?? [] }
}

/// The bytes of hexadecimal text.
func hex(_ text: String) throws -> [UInt8] {
    let characters = Array(text.utf8)
    try #require(characters.count % 2 == 0)
    return try stride(from: 0, to: characters.count, by: 2).map { index in
        try #require(UInt8(String(decoding: characters[index...index + 1], as: UTF8.self), radix: 16))
    }
}

/// Hexadecimal text of some bytes.
func hex(of bytes: some Sequence<UInt8>) -> String {
    bytes.map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined()
}
