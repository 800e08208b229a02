import Testing
import WalletAuthWire

@testable import SignIn

@Suite("The test vectors of WebAuthn Level 3")
struct PasskeyVectorTests {
    private let party = PasskeyRelyingParty(id: "example.org", origins: ["https://example.org"])

    private func fault(_ body: () throws(PasskeyFault) -> Void) -> PasskeyFault? {
        do { try body() } catch { return error }
        return nil
    }

    /// The specification leaves some ceremonies without user verification, and has some in a frame: each of them is refused
    /// for that, and for nothing else.
    private func expectation(_ vector: PasskeyVector, _ flags: UInt8) -> PasskeyFault? {
        if vector.testDescription.hasSuffix("Origin") { return .crossOrigin }
        return flags & 0x04 == 0 ? .userNotVerified : nil
    }

    @Test("A registration is taken, or refused for what it lacks alone", arguments: PasskeyVector.all)
    func registration(vector: PasskeyVector) throws {
        guard let object = vector.attestationObject.map(PasskeyVector.bytes) else { return }
        let response = PasskeyRegistrationResponse(
            id: PasskeyVector.bytes(vector.credentialID), clientData: Array(vector.clientData.utf8),
            attestationObject: object)
        let data = try #require(try CBORReader.value(of: object).map?[.text("authData")]?.bytes)
        var registration: PasskeyRegistration?
        let fault = fault { () throws(PasskeyFault) in
            registration = try PasskeyRegistration.verify(
                response, challenge: PasskeyVector.bytes(vector.challenge), party: party)
        }
        #expect(fault == expectation(vector, data[32]))
        let credential = try #require(try AuthenticatorData(data).credential)
        #expect(credential.id == PasskeyVector.bytes(vector.credentialID))
        #expect(credential.encodedKey == PasskeyVector.bytes(vector.publicKey))
        if let registration { #expect(registration.attestation == .selfSigned) }
    }

    @Test("An assertion is taken, or refused for what it lacks alone; by a changed signature always for that")
    func assertions() throws {
        var taken = 0
        for vector in PasskeyVector.all {
            let known = PasskeyAssertion.Known(
                credentialID: PasskeyVector.bytes(vector.credentialID),
                publicKey: PasskeyVector.bytes(vector.publicKey), counter: 0,
                isBackupEligible: vector.isBackupEligible)
            var response = PasskeyAssertionResponse(
                id: known.credentialID, clientData: Array(vector.assertionClientData.utf8),
                authenticatorData: PasskeyVector.bytes(vector.authenticatorData),
                signature: PasskeyVector.bytes(vector.signature), userHandle: nil)
            let challenge = PasskeyVector.bytes(vector.assertionChallenge)
            let expected = expectation(vector, response.authenticatorData[32])
            let first = fault { () throws(PasskeyFault) in
                _ = try PasskeyAssertion.verify(response, challenge: challenge, party: party, by: known)
            }
            #expect(first == expected, "\(vector.testDescription)")
            if first == nil { taken += 1 }
            response.signature[response.signature.count - 1] ^= 1
            let second = fault { () throws(PasskeyFault) in
                _ = try PasskeyAssertion.verify(response, challenge: challenge, party: party, by: known)
            }
            #expect(second == (expected == .crossOrigin ? .crossOrigin : .wrongSignature), "\(vector.testDescription)")
        }
        #expect(taken == 2)
    }
}
