import Crypto
import Foundation
import Testing
import WalletAuthWire

@testable import CryptoExtras
@testable import WalletAuthPIN

/// The blind of a published vector has to be handed in, which the library lets its own tests do alone.
private func blinded(_ input: [UInt8], by blind: [UInt8]) throws -> VOPRFClient.Blinded {
    let key = P384._VOPRF.PrivateKey(compactRepresentable: false).publicKey
    let scalar = try P384._VOPRF.H2G.G.Scalar(bytes: Data(blind))
    return try VOPRFClient.Blinded(key.blind(Data(input), with: scalar))
}

// One after the other: each costs milliseconds of processor, and other tests measure time.
@Suite("VOPRF(P-384, SHA-384)", .serialized)
struct VOPRFVectorTests {
    @Test("RFC 9497 appendix A.4.2: blinded element, proof and output are the published ones")
    func published() throws {
        let published = try WPIN1Vectors.all.rfc9497
        try #require(published.vectors.count == 2)
        for vector in published.vectors {
            let blinded = try blinded(hex(vector.Input), by: hex(vector.Blind))
            #expect(try blinded.element.bytes == hex(vector.BlindedElement))
            let output = try VOPRFClient.finalize(
                blinded, evaluation: VOPRFEvaluation(bytes: hex(vector.EvaluationElement) + hex(vector.Proof)),
                publicKey: VOPRFElement(bytes: hex(published.pkSm)))
            #expect(try output.withBytes { Array($0) } == hex(vector.Output))
        }
    }

    @Test("RFC 9497 appendix A.4.2: the whole protocol with a fresh blind comes to the published output")
    func wholeProtocol() throws {
        let published = try WPIN1Vectors.all.rfc9497
        let server = try SimulatedServer(
            privateKey: P384._VOPRF.PrivateKey(rawRepresentation: hex(published.skSm)), epoch: 1)
        #expect(try server.publicKey.bytes == hex(published.pkSm))
        for vector in published.vectors {
            let first = try VOPRFClient.blind(SecretBytes(hex(vector.Input)))
            let second = try VOPRFClient.blind(SecretBytes(hex(vector.Input)))
            #expect(first.element != second.element)
            for blinded in [first, second] {
                let output = try VOPRFClient.finalize(
                    blinded, evaluation: server.evaluation(blinded.element), publicKey: server.publicKey)
                #expect(try output.withBytes { Array($0) } == hex(vector.Output))
            }
        }
    }

    @Test("Another program's evaluation and proof give its output", arguments: WPIN1Vectors.list(\.derivations))
    func derivations(vector: WPIN1Vectors.Derivation) throws {
        let blinded = try blinded(hex(vector.x), by: hex(vector.blind))
        #expect(try blinded.element.bytes == hex(vector.blinded))
        let output = try VOPRFClient.finalize(
            blinded, evaluation: VOPRFEvaluation(bytes: hex(vector.evaluation)),
            publicKey: VOPRFElement(bytes: hex(vector.voprfPublicKey)))
        #expect(try output.withBytes { Array($0) } == hex(vector.y))
    }

    /// The proof of the ones at infinity is right by the equations; unchecked, the library stops the process on them.
    @Test(
        "A hostile server's evaluation is refused, and none stops the app",
        arguments: WPIN1Vectors.list(\.hostile.evaluations))
    func hostile(vector: WPIN1Vectors.Named) throws {
        let derivation = try #require(WPIN1Vectors.all.derivations.first)
        let blinded = try blinded(hex(derivation.x), by: hex(derivation.blind))
        let evaluation = try VOPRFEvaluation(bytes: hex(vector.bytes))
        let publicKey = try VOPRFElement(bytes: hex(derivation.voprfPublicKey))
        #expect(throws: PINFailure.wrongServerKey) {
            try VOPRFClient.finalize(blinded, evaluation: evaluation, publicKey: publicKey)
        }
    }

    @Test("A bit turned anywhere in an evaluation is noticed", arguments: Array(stride(from: 0, to: 145, by: 3)))
    func everyByte(index: Int) throws {
        let derivation = try #require(WPIN1Vectors.all.derivations.first)
        let blinded = try blinded(hex(derivation.x), by: hex(derivation.blind))
        let publicKey = try VOPRFElement(bytes: hex(derivation.voprfPublicKey))
        var bytes = try hex(derivation.evaluation)
        bytes[index] ^= 1 << (index % 8)
        // Most changed elements are no point any more, and are refused by their form.
        guard let evaluation = try? VOPRFEvaluation(bytes: bytes) else { return }
        #expect(throws: PINFailure.wrongServerKey) {
            try VOPRFClient.finalize(blinded, evaluation: evaluation, publicKey: publicKey)
        }
    }
}

@Suite("What is no element and no evaluation")
struct VOPRFValueTests {
    @Test(
        "Points at infinity, off the curve, in another spelling or of another curve are refused",
        arguments: WPIN1Vectors.list(\.hostile.malformedElements))
    func elements(vector: WPIN1Vectors.Named) throws {
        let bytes = try hex(vector.bytes)
        #expect(throws: MalformedValue.self) { try VOPRFElement(bytes: bytes) }
        #expect(throws: MalformedValue.self) { try VOPRFElement(Base64URL.encode(bytes)) }
    }

    @Test(
        "Wrong lengths, scalars of zero and scalars not below the order are refused",
        arguments: WPIN1Vectors.list(\.hostile.malformedEvaluations))
    func evaluations(vector: WPIN1Vectors.Named) throws {
        let bytes = try hex(vector.bytes)
        #expect(throws: MalformedValue.self) { try VOPRFEvaluation(bytes: bytes) }
        #expect(throws: MalformedValue.self) { try VOPRFEvaluation(Base64URL.encode(bytes)) }
    }

    @Test(
        "An evaluation with any element that is none is refused",
        arguments: WPIN1Vectors.list(\.hostile.malformedElements))
    func evaluationsOfElements(vector: WPIN1Vectors.Named) throws {
        let derivation = try #require(WPIN1Vectors.all.derivations.first)
        let bytes = try hex(vector.bytes) + hex(derivation.evaluation).dropFirst(49)
        #expect(throws: MalformedValue.self) { try VOPRFEvaluation(bytes: bytes) }
    }

    @Test("The text is canonical base64url, and the parts are where they belong")
    func parts() throws {
        let derivation = try #require(WPIN1Vectors.all.derivations.first)
        let bytes = try hex(derivation.evaluation)
        let evaluation = try VOPRFEvaluation(bytes: bytes)
        #expect(evaluation.rawValue.utf8.count == 194)
        #expect(evaluation.element + evaluation.challenge + evaluation.response == bytes)
        #expect(try VOPRFEvaluation(evaluation.rawValue) == evaluation)
        #expect(throws: MalformedValue.self) { try VOPRFEvaluation(evaluation.rawValue + "=") }
        let element = try VOPRFElement(bytes: hex(derivation.blinded))
        #expect(element.rawValue.utf8.count == 66)
        #expect(try VOPRFElement(element.rawValue) == element)
        #expect(throws: MalformedValue.self) { try VOPRFElement(" " + element.rawValue) }
    }
}
