import Crypto
import HTTPTypes
import HummingbirdTesting
import Kernel
import Operations
import Store
import Testing
import WalletAuthWire

@testable import HTTP
@testable import Web

@Suite("What a session that a scan opened may change, over HTTP", .threat("A relayed sign-in code"))
struct ScannedSessionHTTPTests {
    /// An enrolled device whose page named the device's key, and which another phone then let in.
    private func scanned(_ server: TestServer, _ client: any TestClientProtocol) async throws -> PhoneOverHTTP {
        let phone = try await PhoneOverHTTP.enrolled(server, client) { $0.deviceTokens = true }
        try await server.server.context.database.write {
            _ = try $0.execute(
                "UPDATE sessions SET amr = $1",
                [.text("pin \(KeyStorage.software.method) \(AuthenticationStrength.crossDevice)")])
        }
        return phone
    }

    /// A well-formed body for each call that changes something, by method and path.
    private func bodies(of phone: PhoneOverHTTP) async throws -> [String: JSONObject] {
        let key = P256Signer(P256.Signing.PrivateKey())
        let publicKey = try #require(key.publicJWK)
        let operation = try WalletOperationID("op-1")
        func assertion(_ act: DeviceAssertion.Act) async throws -> SignedAssertion {
            try await DeviceAssertion(
                audience: try Issuer(TestServer.issuer),
                account: try AccountID("6f1a2b3c-4d5e-4f60-8a7b-9c0d1e2f3a4b"), deviceID: phone.id,
                factor: .pin(.first), challengeID: try ChallengeID("00000000-0000-4000-8000-000000000000"),
                nonce: try Nonce("AAECAwQFBgcICQoLDA0ODw"), act: act, issuedAt: try PhoneOverHTTP.now()
            ).signed(by: phone.deviceKey, key)
        }
        let change = try await assertion(.pinChange(.key(publicKey.thumbprint)))
        let proof = try EnrollmentProof(
            audience: Issuer(TestServer.issuer), account: AccountID("6f1a2b3c-4d5e-4f60-8a7b-9c0d1e2f3a4b"),
            nonce: Nonce("AAECAwQFBgcICQoLDA0ODw"), thumbprint: phone.key.thumbprint, name: "Another phone",
            platform: "ios/18.2", issuedAt: PhoneOverHTTP.now())
        let enrollment = DeviceEnrollmentRequest(
            name: try DeviceName("Another phone"), platform: try DevicePlatform("ios/18.2"), deviceKey: publicKey,
            challengeID: try ChallengeID("00000000-0000-4000-8000-000000000000"),
            proof: try DeviceProof(await proof.signed(by: key)))
        return [
            "POST \(Endpoints.devices.path)": enrollment.json,
            "PATCH \(Endpoints.device.path)": DeviceRenaming(name: try DeviceName("Maria's old phone")).json,
            "PUT \(Endpoints.devicePush.path)":
                PushAddress(
                    token: try PushToken(String(repeating: "7", count: 64)), environment: .production
                ).json,
            "PUT \(Endpoints.devicePIN.path)": PINSettingRequest(publicKey: publicKey, assertion: change).json,
            "PUT \(Endpoints.deviceBiometricKey.path)":
                BiometricKeyRequest(
                    publicKey: publicKey, assertion: try await assertion(.biometric(.key(publicKey.thumbprint)))
                ).json,
            "POST \(Endpoints.deviceVerification.path)": DeviceVerification.resend.json,
            "POST \(Endpoints.deviceAuthenticationTokens.path)":
                DeviceTokenRequest(
                    deviceID: phone.id, challengeID: try ChallengeID("00000000-0000-4000-8000-000000000000"),
                    username: try Username(PhoneOverHTTP.username), password: try Password(PhoneOverHTTP.password)
                ).json,
            "PUT \(Endpoints.currentDeviceAuthenticationToken.path)": DeviceTokenConsent(state: .declined).json,
            "POST \(Endpoints.authenticatorConfirmation.path)":
                AuthenticatorConfirmation(code: try OneTimeCode("123456")).json,
            "PUT \(Endpoints.secretQuestions.path)": SecretQuestionChoice(answers: []).json,
            "POST \(Endpoints.accountPasskeys.path)":
                PasskeyAddition(
                    credential: PasskeyRegistrationResponse(id: [7], clientData: [7], attestationObject: [7])
                ).json,
            "PUT \(Endpoints.accountPassword.path)":
                PasswordChangeRequest(
                    currentPassword: try Password(PhoneOverHTTP.password),
                    newPassword: try Password("staple battery horse")
                ).json,
            "PUT \(Endpoints.accountIdentities.path)":
                IdentityJoining(session: try AuthSession(String(repeating: "x", count: 43))).json,
            "POST \(Endpoints.accountEmail.path)":
                EmailChangeRequest(email: try EmailAddress("eve@example.com")).json,
            "POST \(Endpoints.accountEmailConfirmation.path)":
                ContactConfirmation(code: try OneTimeCode("123456")).json,
            "POST \(Endpoints.accountPhone.path)": PhoneChangeRequest(phone: "+35921234567").json,
            "POST \(Endpoints.accountPhoneConfirmation.path)":
                ContactConfirmation(code: try OneTimeCode("123456")).json,
            "POST \(Endpoints.approvalAttempts.path)":
                ApprovalAttempt(operationID: operation, assertion: change).json,
            "POST \(Endpoints.approvalRefusal.path)": SCARefusalRequest(operationID: operation).json,
        ]
    }

    @Test(
        "attack: a session that a scan opened on an enrolled device changes nothing: each app call that could asks for another sign-in"
    )
    func changes() async throws {
        try await TestServer.serve { server, client in
            let phone = try await scanned(server, client)
            let bodies = try await bodies(of: phone)
            let values = [
                "{deviceId}": phone.id.rawValue, "{eventId}": "00000000-0000-4000-8000-000000000000",
                "{passkeyId}": "00000000-0000-4000-8000-000000000000",
                "{identityId}": Base64URL.encode([UInt8](repeating: 7, count: 32)),
            ]
            let before = try await phone.send(.get, Endpoints.devices.path).text
            // A new call is in the table of routes, and so in this test: it needs a body here, or it is refused as malformed.
            let changing = try server.routes().filter { $0.callers == [.app] && $0.method != .get }
            #expect(changing.count > bodies.count)
            for route in changing {
                let name = "\(route.method.rawValue) \(route.path)"
                let path = values.reduce(route.path) { $0.replacing($1.key, with: $1.value) }
                let body = bodies[name].map { String(decoding: $0.bytes, as: UTF8.self) }
                let answer = try await phone.send(route.method, path, body)
                #expect(answer.status == .unauthorized, "\(name): \(answer.status) \(answer.text)")
                #expect(try answer.member("code") == "insufficient_user_authentication", "\(name): \(answer.text)")
            }
            #expect(try await phone.send(.get, Endpoints.devices.path).text == before)
        }
    }
}
