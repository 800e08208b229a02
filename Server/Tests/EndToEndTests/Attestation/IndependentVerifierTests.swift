import Crypto
import Foundation
import SoftwareAttesters
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

/// Verifiers of other authors read what is made in software here, so that our own are not its only judge.
@Suite("Attesters and passkeys in software, to independent verifiers", .onceForAllEngines)
struct IndependentVerifierTests {
    private func peer<Seen: Decodable>(_ script: String, _ input: [String: Any], as type: Seen.Type) async throws
        -> Seen
    {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let result = try await ChildProcess.run(
            Programs.python, [Programs.peers.appending(path: script).path], folder: folder.url,
            input: String(decoding: try JSONSerialization.data(withJSONObject: input), as: UTF8.self))
        try #require(result.succeeded, "\(result.errors.suffix(3_000))")
        return try JSONDecoder().decode(Seen.self, from: Data(result.output.utf8))
    }

    private struct Counters: Decodable, Equatable {
        let attestation: Int
        let assertion: Int
    }

    @Test("pyattest accepts the stand-in for App Attest, and a later assertion of its key")
    func pyattest() async throws {
        let appID = "ABCDE12345.com.example.wallet"
        let authority = try AttestationAuthority()
        var phone = SoftwareAppAttest(authority, appID: appID)
        let (attested, asserted) = (Data("attested".utf8), Data("asserted".utf8))
        let attestation = try phone.attestation(over: Array(SHA256.hash(data: attested)))
        let assertion = try phone.assertion(over: Array(SHA256.hash(data: asserted)))
        let seen = try await peer(
            "attestation_check.py",
            [
                "root": try authority.pem, "app": appID, "attested": attested.base64EncodedString(),
                "asserted": asserted.base64EncodedString(),
                "attestation": Data(attestation.object ?? []).base64EncodedString(),
                "assertion": Data(assertion.object ?? []).base64EncodedString(),
            ], as: Counters.self)
        #expect(seen == Counters(attestation: 0, assertion: 1))
    }

    private struct Verified: Decodable {
        let format: String
        let verified: Bool
    }

    @Test("py_webauthn accepts a passkey that the SDK makes in software, and a signature by it")
    func webauthn() async throws {
        let passkeys = SoftwarePasskeys(store: InMemoryStore(), presence: ScriptedUserPresence())
        let site = "id.example.com"
        let (first, second) = (Data(repeating: 1, count: 32), Data(repeating: 2, count: 32))
        let created = try await passkeys.create(
            PasskeyCreationRequest(
                site: site, challenge: first, userHandle: Data([7]), userName: "ada", existing: []))
        let used = try await passkeys.use(PasskeyUseRequest(site: site, challenge: second))
        let seen = try await peer(
            "passkey_check.py",
            [
                "site": site,
                "created": [
                    "challenge": base64URL(first), "id": base64URL(created.id),
                    "clientData": base64URL(created.clientData),
                    "attestationObject": base64URL(created.attestationObject),
                ],
                "used": [
                    "challenge": base64URL(second), "id": base64URL(used.id), "clientData": base64URL(used.clientData),
                    "authenticatorData": base64URL(used.authenticatorData), "signature": base64URL(used.signature),
                    "userHandle": base64URL(used.userHandle),
                ],
            ], as: Verified.self)
        #expect(seen.format == "none")
        #expect(seen.verified)
    }
}
