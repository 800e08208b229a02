import Foundation
import Testing
import WalletAuthVerifier
import WalletAuthWire

/// RFC 9470 from end to end: the backend's challenge is taken to the authorization endpoint, whose token is enough.
@Suite("Step-up between a backend, an app and the running server")
struct StepUpEndToEndTests {
    /// What the app reads from the refusal, and asks the authorization endpoint for.
    private func parameters(_ refusal: AccessRefusal) throws -> [String: String?] {
        #expect(refusal.code == .insufficientUserAuthentication)
        #expect(refusal.answer.status == 401)
        let needed = try #require(
            AuthenticationRequirements(
                wwwAuthenticate: refusal.answer.headers.filter { $0.name == "WWW-Authenticate" }.map(\.value)))
        return [
            "acr_values": needed.acrValues.isEmpty ? nil : needed.acrValues.joined(separator: " "),
            "max_age": needed.maximumAge.map(String.init),
        ]
    }

    @Test("A payment needs two factors: the app asks for what is missing, and comes again")
    func stronger() async throws {
        try await VerifyingBackend.use { backend in
            let payments = AccessRequirement(acrValues: AuthenticationStrength.twoFactors, maximumAge: .seconds(300))
            let browser = HeadlessBrowser(ledger: backend.server.ledger)
            let weak = try await backend.signIn(in: browser)
            try await backend.letIn(weak)
            let refusal = try #require(try await backend.refusal(of: weak, for: payments))
            let strong = try await backend.signIn(parameters(refusal), in: browser)
            let access = try await backend.letIn(strong, for: payments)
            #expect(access.claims.acr == "urn:wallet-auth:acr:2fa")
            #expect(access.claims.authenticatedAt != nil)
            // The weaker token is no worse than it was.
            try await backend.letIn(weak)
        }
    }

    @Test("Without a second factor the authorization endpoint says so, once, and no loop begins", .onceForAllEngines)
    func unreachable() async throws {
        try await VerifyingBackend.use { backend in
            let grace = try await backend.server.makeAccount("grace")
            let callback = try await backend.arrive(["acr_values": "urn:wallet-auth:acr:2fa"], as: grace)
            #expect(callback.items["error"] == "unmet_authentication_requirements")
            #expect(callback.items["code"] == nil)
            #expect(callback.items["iss"] == (await backend.server.issuer.absoluteString))
        }
    }

    @Test("The server's own calls challenge in the same words", .onceForAllEngines)
    func ownCalls() async throws {
        try await VerifyingBackend.use { backend in
            let issuer = await backend.server.issuer.absoluteString
            let token = try await backend.signIn(resource: issuer)
            let url = await backend.server.url("/v1/account/recovery-codes")
            var nonce: String?
            var answer: WebAnswer
            repeat {
                let asked = nonce != nil
                let proof = try backend.app.proof(method: "POST", url: url, nonce: nonce, accessToken: token)
                answer = try await backend.app.web.send(
                    "POST", url, headers: ["Authorization": "DPoP \(token)", "DPoP": proof], body: nil)
                nonce = answer.header("dpop-nonce")
                if asked { break }
            } while answer.status == 401
            #expect(answer.status == 401)
            #expect(answer.members["code"] == "insufficient_user_authentication")
            let needed = AuthenticationRequirements(wwwAuthenticate: [answer.header("www-authenticate") ?? ""])
            #expect(
                needed == AuthenticationRequirements(acrValues: ["urn:wallet-auth:acr:2fa"], maximumAge: 300))
        }
    }
}
