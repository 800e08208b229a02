package import WalletAuthWire

@testable package import Kernel
@testable import Operations
@testable package import SignIn

/// A backend that has login nonces issued, with a token of its own.
package struct TestBackend: Sendable {
    package let client: TestClient

    package init(client: TestClient) { self.client = client }

    private var server: TestServer { client.server }

    /// A backend that may.
    package static func registered(
        at server: TestServer, _ id: String = "nonce-backend", brand: String? = nil
    ) async throws -> TestBackend {
        let client = try await server.confidentialClient(id) {
            $0.scopes = ["wallet_operations", LoginNonceIssuer.scope]
            $0.brand = brand
        }
        return TestBackend(client: client)
    }

    /// Asks for a nonce.
    package func ask(
        for person: LoginNonceRequest.Person, app: TestClient, purpose: String = "login", key: TestKey? = nil,
        scope: String? = nil
    ) async throws -> Result<LoginNonceResponse, LoginNonceRefusal> {
        let token = try await client.token(.clientCredentials, scope: scope.map { try Scope($0) }).tokens().accessToken
        return try await ask(for: person, app: app, purpose: purpose, key: key, authorization: .bearer(token))
    }

    /// Asks for a nonce with whatever token.
    package func ask(
        for person: LoginNonceRequest.Person, app: TestClient, purpose: String = "login", key: TestKey? = nil,
        authorization: PresentedAccessToken?
    ) async throws -> Result<LoginNonceResponse, LoginNonceRefusal> {
        let request = LoginNonceRequest(
            person: person, clientID: app.id, purpose: try LoginPurpose(purpose), keyThumbprint: key?.thumbprint)
        let presented = PresentedCredentials(
            authorization: authorization,
            proof: PresentedProof(header: nil, method: "POST", path: Endpoints.loginNonces.path),
            origin: TestServer.origin)
        return try await server.flows.signIn.loginNonces.issue(
            request, call: server.flows.callers.backend(presented, scope: LoginNonceIssuer.scope))
    }

    /// A nonce that has to be issued.
    package func nonce(
        for username: String = "ada", app: TestClient, purpose: String = "login", key: TestKey? = nil
    ) async throws -> LoginNonce {
        try await ask(for: .username(try Username(username)), app: app, purpose: purpose, key: key).get().nonce
    }
}

extension TestApp {
    /// Signs in by a nonce.
    package func signIn(nonce: LoginNonce, purpose: String = "login") async throws -> NativeSignInOutcome {
        try await step(.begin(.nonce(NonceLogin(nonce: nonce, purpose: try LoginPurpose(purpose)))))
    }

    /// Signs in by a nonce, along with a device's proof.
    package func signIn(
        nonce: LoginNonce, from device: TestDevice, as id: DeviceID, provedBy key: TestKey? = nil,
        acrValues: [String] = []
    ) async throws -> NativeSignInOutcome {
        try await step(
            .begin(
                .nonce(
                    NonceLogin(
                        nonce: nonce, deviceID: id,
                        deviceProof: try await device.proof(of: id, by: key, dpopKey: self.key)))),
            acrValues: acrValues)
    }
}
