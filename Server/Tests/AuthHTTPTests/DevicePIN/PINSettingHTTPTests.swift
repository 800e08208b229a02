import Crypto
import HTTPTypes
import HummingbirdTesting
import Kernel
import NIOCore
import Operations
import Store
import Testing
import WalletAuthWire

@Suite("Setting a PIN over HTTP")
struct PINSettingHTTPTests {
    /// The body for a PIN key that is made here. Nothing was evaluated for it.
    private func body(_ phone: PhoneOverHTTP) async throws -> String {
        let key = P256Signer(P256.Signing.PrivateKey())
        let publicKey = try #require(key.publicJWK)
        let assertion = try await DeviceAssertion(
            audience: try Issuer(TestServer.issuer),
            account: try AccountID("6f1a2b3c-4d5e-4f60-8a7b-9c0d1e2f3a4b"), deviceID: phone.id,
            factor: .pin(.first), challengeID: try ChallengeID("00000000-0000-4000-8000-000000000000"),
            nonce: try Nonce("AAECAwQFBgcICQoLDA0ODw"), act: .enroll(.key(publicKey.thumbprint)),
            issuedAt: try PhoneOverHTTP.now()
        ).signed(by: phone.deviceKey, key)
        let request = PINSettingRequest(publicKey: publicKey, assertion: assertion)
        return String(decoding: request.json.bytes, as: UTF8.self)
    }

    @Test("An old sign-in is 401 insufficient_user_authentication, and WWW-Authenticate has acr_values and max_age")
    func oldSignIn() async throws {
        try await TestServer.serve { server, client in
            let phone = try await PhoneOverHTTP.enrolled(server, client)
            try await server.server.context.database.write {
                _ = try $0.execute("UPDATE sessions SET auth_time = auth_time - 600000", [])
            }
            let refused = try await phone.send(.put, Endpoints.devicePIN.path(phone.id), try await body(phone))
            #expect(refused.status == .unauthorized)
            #expect(try refused.member("code") == "insufficient_user_authentication")
            let needed = AuthenticationRequirements(wwwAuthenticate: refused.headers[values: .wwwAuthenticate])
            #expect(
                needed
                    == AuthenticationRequirements(acrValues: [AuthenticationStrength.twoFactors], maximumAge: 300))
        }
    }

    @Test("A missing token, a wrong proof and a stale nonce get JSON with an error and no code")
    func unauthorized() async throws {
        try await TestServer.serve { server, client in
            let phone = try await PhoneOverHTTP.enrolled(server, client)
            let path = Endpoints.devicePIN.path(phone.id)
            let text = try await body(phone)
            let nonce = server.server.context.proofs.currentNonce()
            let anonymous = try await client.execute(
                uri: path, method: .put, headers: [.contentType: "application/json"], body: ByteBuffer(string: text))
            let otherwise = try phone.key.proof(path, method: "GET", nonce: nonce, token: phone.token)
            let stale = try phone.key.proof(path, method: "PUT", nonce: "stale", token: phone.token)
            for (answer, error) in [
                (anonymous, "invalid_token"),
                (try await phone.send(.put, path, text, proof: otherwise), "invalid_dpop_proof"),
                (try await phone.send(.put, path, text, proof: stale), "use_dpop_nonce"),
            ] {
                #expect(answer.status == .unauthorized)
                #expect(answer.headers[.contentType]?.hasPrefix("application/json") == true)
                #expect(try answer.member("error") == error)
                #expect(try answer.json["code"] == nil)
            }
        }
    }
}
