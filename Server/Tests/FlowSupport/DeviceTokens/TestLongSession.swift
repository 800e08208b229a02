import Core
package import WalletAuthWire

@testable import Kernel
@testable package import Operations
@testable package import SignIn

/// A device with a PIN whose app may keep long-lived sessions.
package struct TestLongSession: Sendable {
    package let pin: TestPIN

    package var device: TestDevice { pin.device }
    private var server: TestServer { device.app.client.server }
    private var tokens: DeviceAuthenticationTokens { server.flows.signIn.deviceTokens }

    package static let password = "correct horse battery"

    /// Enrolled, with the PIN 271828 and no token yet.
    package static func start(
        on server: TestServer, _ adjust: (inout ClientRegistration) -> Void = { $0.deviceTokens = true }
    ) async throws -> TestLongSession {
        let account = try await server.account {
            $0.email = "ada@example.com"
            $0.emailVerified = true
        }
        return try await another(of: account, try await server.publicClient("app", adjust))
    }

    /// One more device of an account.
    package static func another(of account: AccountID, _ client: TestClient) async throws -> TestLongSession {
        let device = try await TestDevice.signedIn(account, client)
        let pin = try TestPIN(device, account, try await device.enrolled(account).id)
        _ = try await pin.setPIN("271828").get()
        return TestLongSession(pin: pin)
    }

    /// Asks for a token, signed by the device's key unless a test says otherwise.
    package func issue(
        _ username: String = "ada", password: String = password, signedBy signer: TestKey? = nil,
        signedBody: [UInt8]? = nil
    ) async throws -> Result<DeviceTokenResponse, DeviceTokenRefusal> {
        let challenge = try await server.challenge(
            ChallengeRequest(purpose: .deviceToken, deviceID: pin.id),
            device.presented(.post, Endpoints.challenges.path))
        let request = DeviceTokenRequest(
            deviceID: pin.id, challengeID: challenge.challengeID, username: try Username(username),
            password: try Password(password))
        let path = Endpoints.deviceAuthenticationTokens.path
        let signature = DeviceRequestSignature(
            audience: server.context.settings.issuer, deviceID: pin.id, method: "POST",
            target: try HTTPTarget(server.context.settings.issuer.url(path: path)),
            body: signedBody ?? request.json.bytes, nonce: challenge.nonce,
            idempotencyKey: try request.signatureKey, issuedAt: NumericDate(clamping: server.clock.now().seconds))
        return try await tokens.issue(
            PresentedDeviceTokenRequest(
                request: request, body: request.json.bytes,
                signature: try await signature.signed(by: (signer ?? device.deviceKey).signer)),
            call: device.call(.post, path))
    }

    /// Signs in by a token and a PIN.
    package func signIn(_ token: DeviceAuthenticationToken, _ code: String = "271828") async throws
        -> NativeSignInOutcome
    {
        try await signIn(token, by: try await pin.signInAssertion(code))
    }

    /// Signs in by a token and an assertion.
    package func signIn(
        _ token: DeviceAuthenticationToken, by assertion: SignedAssertion
    ) async throws -> NativeSignInOutcome {
        try await device.app.step(
            .begin(.deviceToken(DeviceTokenLogin(deviceID: pin.id, token: token, assertion: assertion))))
    }

    package func expire() async throws -> Result<Void, DeviceTokenRefusal> {
        try await tokens.expire(call: current(.delete))
    }

    package func decline() async throws -> Result<DeviceTokenConsent, DeviceTokenRefusal> {
        try await tokens.decline(call: current(.put))
    }

    package func consent() async throws -> DeviceTokenConsent.State {
        try await tokens.consent(call: current(.get)).get().state
    }

    private func current(_ method: Endpoint.Method) async throws -> AppCaller {
        try await device.call(method, Endpoints.currentDeviceAuthenticationToken.path)
    }
}

extension Result where Failure == DeviceTokenRefusal {
    /// The refusal; `nil` where there is none.
    package var refusal: DeviceTokenRefusal? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}
