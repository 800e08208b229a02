import Core
package import WalletAuthWire

@testable package import Kernel
@testable import Operations
@testable package import SignIn

/// A device of a person: an app with its DPoP key, a session, and the key that gets enrolled.
package struct TestDevice: Sendable {
    package let app: TestApp
    package let tokens: TokenResponse
    package var deviceKey: TestKey

    package init(app: TestApp, tokens: TokenResponse, deviceKey: TestKey = TestKey()) {
        self.app = app
        self.tokens = tokens
        self.deviceKey = deviceKey
    }

    private var server: TestServer { app.client.server }

    /// A device whose person signed in by methods.
    package static func signedIn(
        _ account: AccountID, _ client: TestClient, methods: [String] = ["pwd", "otp"]
    ) async throws -> TestDevice {
        let app = TestApp(client: client)
        // Two sign-ins at the same moment would count as one.
        client.server.clock.advance(by: .milliseconds(1))
        return TestDevice(
            app: app, tokens: try await client.signIn(account, proof: app.key, methods: methods))
    }

    /// A call with the session's token and a proof for a path, before it is let in.
    package func presented(_ method: Endpoint.Method, _ path: String) throws -> PresentedCredentials {
        let header = try app.key.proof(
            method: method.rawValue, url: server.context.settings.issuer.url(path: path), server: server,
            nonce: server.context.proofs.currentNonce(), accessToken: tokens.accessToken)
        return PresentedCredentials(
            authorization: .dpop(tokens.accessToken),
            proof: PresentedProof(header: header, method: method.rawValue, path: path), origin: TestServer.origin)
    }

    /// A call with the session's token and a proof for a path.
    package func call(_ method: Endpoint.Method, _ path: String) async throws -> AppCaller {
        try await server.flows.callers.app(presented(method, path))
    }

    /// A challenge of a purpose.
    package func challenge(_ purpose: ChallengeRequest.Purpose = .enroll) async throws -> ChallengeResponse {
        try await server.challenge(
            ChallengeRequest(purpose: purpose), presented(.post, Endpoints.challenges.path))
    }

    /// What enrolls the device's key over a challenge; the test may change it before it is sent.
    package func enrollment(
        _ account: AccountID, over challenge: ChallengeResponse, name: String = "Ada's phone",
        signedFor signedName: String? = nil, by key: TestKey? = nil
    ) async throws -> DeviceEnrollmentRequest {
        let proof = try EnrollmentProof(
            audience: server.context.settings.issuer, account: account, nonce: challenge.nonce,
            thumbprint: app.key.thumbprint, name: signedName ?? name, platform: "ios/18.2",
            issuedAt: NumericDate(clamping: server.clock.now().seconds))
        return DeviceEnrollmentRequest(
            name: try DeviceName(name), platform: try DevicePlatform("ios/18.2"), deviceKey: deviceKey.publicKey,
            challengeID: challenge.challengeID,
            proof: try DeviceProof(await proof.signed(by: (key ?? deviceKey).signer)))
    }

    /// Sends an enrollment.
    package func enroll(_ request: DeviceEnrollmentRequest) async throws -> Result<EnrolledDevice, DeviceRefusal> {
        try await server.flows.signIn.devices.enroll(request, call: call(.post, Endpoints.devices.path))
    }

    /// Enrolls the device.
    package func enrolled(_ account: AccountID, name: String = "Ada's phone") async throws -> EnrolledDevice {
        try await enroll(enrollment(account, over: challenge(), name: name)).get()
    }

    /// The account's devices.
    package func list() async throws -> [EnrolledDevice] {
        try await server.flows.signIn.devices.list(call: call(.get, Endpoints.devices.path)).devices
    }

    /// Removes a device.
    package func remove(_ id: DeviceID) async throws -> DeviceRefusal? {
        let outcome = try await server.flows.signIn.devices.remove(id, call: call(.delete, Endpoints.device.path(id)))
        if case .failure(let refusal) = outcome { return refusal }
        return nil
    }

    /// Signs in by password with the enrolled key's proof.
    package func signIn(
        as id: DeviceID, _ username: String = "ada", password: String = "correct horse battery",
        provedBy key: TestKey? = nil, acrValues: [String] = []
    ) async throws -> NativeSignInOutcome {
        let login = PasswordLogin(
            username: try Username(username), password: try Password(password), deviceID: id,
            deviceProof: try await proof(of: id, by: key, dpopKey: app.key))
        return try await app.step(.begin(.password(login)), acrValues: acrValues)
    }

    /// The proof of the enrolled key that goes along with a sign-in by a DPoP key.
    package func proof(of id: DeviceID, by key: TestKey? = nil, dpopKey: TestKey) async throws -> DeviceProof {
        try await DeviceProofContent(
            audience: server.context.settings.issuer, deviceID: id, thumbprint: dpopKey.thumbprint,
            codeChallenge: CodeChallenge(verifier: TestClient.verifier),
            nonce: try Nonce(server.context.proofs.currentNonce()),
            issuedAt: NumericDate(clamping: server.clock.now().seconds)
        ).signed(by: (key ?? deviceKey).signer)
    }
}

extension TestServer {
    /// A challenge for who asks for it.
    package func challenge(_ request: ChallengeRequest, _ presented: PresentedCredentials) async throws
        -> ChallengeResponse
    {
        try await flows.signIn.devices.challenge(by: flows.callers.challenge(request, presented))
    }

    /// A challenge for a key without a signed-in person.
    package func challenge(_ request: ChallengeRequest, to key: TestKey) async throws -> ChallengeResponse {
        let path = Endpoints.challenges.path
        let header = try key.proof(
            method: "POST", url: context.settings.issuer.url(path: path), server: self,
            nonce: context.proofs.currentNonce())
        return try await challenge(
            request,
            PresentedCredentials(
                authorization: nil, proof: PresentedProof(header: header, method: "POST", path: path),
                origin: TestServer.origin))
    }
}

extension Result where Failure == DeviceRefusal {
    /// The refusal; `nil` where there is none.
    package var refusal: DeviceRefusal? {
        if case .failure(let refusal) = self { refusal } else { nil }
    }
}
