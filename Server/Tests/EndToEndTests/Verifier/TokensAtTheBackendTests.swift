import Crypto
import Foundation
import Testing
import WalletAuthVerifier
import WalletAuthWire

@Suite("The running server's tokens at a backend on the verifier", .threat("forged, misdirected or doubled tokens"))
struct TokensAtTheBackendTests {
    @Test("A signed-in person is accepted by token, proof and nonce; anything else is refused")
    func signedIn() async throws {
        try await VerifyingBackend.use { backend in
            let token = try await backend.signIn()
            let access = try await backend.letIn(token)
            let person = try #require(access.person)
            #expect(access.tokenType == .dpop)
            #expect(access.claims.subject == person.account.rawValue)
            #expect(access.claims.acr == "urn:wallet-auth:acr:1fa")

            let nonce = try #require(access.responseHeaders.first { $0.name == "DPoP-Nonce" }?.value)
            let once = try backend.request(token, nonce: nonce)
            _ = try await backend.verifier.verify(once)
            let stolen = try backend.request(token, nonce: nonce, key: P256.Signing.PrivateKey())
            let elsewhere = PresentedRequest(
                method: "GET", path: "/transfers", authorization: once.authorization, proofs: once.proofs)
            let bearer = PresentedRequest(method: "GET", path: "/balance", authorization: ["Bearer \(token)"])
            let unproved = PresentedRequest(method: "GET", path: "/balance", authorization: ["DPoP \(token)"])
            for (request, code) in [
                (once, AccessRefusal.Code.invalidProof), (stolen, .invalidToken), (elsewhere, .invalidProof),
                (bearer, .invalidToken), (unproved, .invalidProof),
            ] {
                let refusal = await #expect(throws: AccessRefusal.self) { try await backend.verifier.verify(request) }
                #expect(refusal?.code == code)
                #expect(refusal?.answer.headers.contains { $0.name == "WWW-Authenticate" } == true)
            }
        }
    }

    @Test("attack: a token for another backend, or for the server itself, is not valid here", .onceForAllEngines)
    func wrongAudience() async throws {
        try await VerifyingBackend.use { backend in
            for resource in ["https://other.example.com", await backend.server.issuer.absoluteString] {
                let token = try await backend.signIn(resource: resource)
                let request = try backend.request(token, nonce: nil)
                let refusal = await #expect(throws: AccessRefusal.self) { try await backend.verifier.verify(request) }
                #expect(refusal?.code == .invalidToken)
                #expect(refusal?.reason.contains("aud") == true, "\(refusal?.reason ?? "")")
            }
        }
    }

    @Test("Keys are rolled over under the backend: the old token and the new one are both let in", .onceForAllEngines)
    func rollOver() async throws {
        try await VerifyingBackend.use(TrustedIssuer.Settings(unknownKeyInterval: .zero)) { backend in
            let before = try await backend.signIn()
            try await backend.letIn(before)
            try await backend.server.require(["keys", "rotate"])
            // Published, it does not sign yet: copies of the key set that lack it are still about.
            try await backend.letIn(backend.signIn())
            // As if all of them had aged out: its time has come, which the next start sees.
            try await backend.server.write("UPDATE signing_keys SET published_at = 0 WHERE state = 'next'")
            _ = try await backend.server.stop()
            try await backend.server.start()
            let after = try await within(.patience, "a token by the new key") {
                var token = before
                while try keyID(of: token) == keyID(of: before) { token = try await backend.signIn() }
                return token
            } otherwise: {
            }
            try await backend.letIn(after)
            try await backend.letIn(before)
        }
    }

    private func keyID(of token: String) throws -> String? { try CompactJWS(token).header.keyID }

    @Test(
        "While the server is down the keys at hand serve for a day beyond their time, and then no longer",
        .onceForAllEngines)
    func outage() async throws {
        try await VerifyingBackend.use { backend in
            let token = try await backend.signIn()
            try await backend.letIn(token)
            _ = try await backend.server.stop()
            try await backend.letIn(token)
            // The key set's life is minutes, the tolerance a day.
            backend.clock.advance(by: .seconds(23 * 3600))
            try await backend.letIn(token)
            backend.clock.advance(by: .seconds(2 * 3600))
            let refusal = await #expect(throws: AccessRefusal.self) {
                try await backend.verifier.verify(backend.request(token, nonce: nil))
            }
            #expect(refusal?.code == .temporarilyUnavailable)
            #expect(refusal?.answer.headers.contains(HeaderField("Retry-After", "5")) == true)
            try await backend.server.start()
            backend.clock.advance(by: .seconds(60))
            try await backend.letIn(token)
        }
    }
}
