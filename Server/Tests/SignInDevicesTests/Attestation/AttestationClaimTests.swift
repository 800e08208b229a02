import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Tokens

@Suite("The attested app in access tokens", .covers("attestation of apps and of biometric keys"))
struct AttestationClaimTests {
    private static let app = AppAttestation(
        platform: .apple, environment: .production, app: "ABCDE12345.com.example.wallet", keyLevel: nil,
        attestedAt: NumericDate(clamping: 1_700_000_000))

    /// A person whose genuine app enrolled a device.
    private struct Scene {
        let server: TestServer
        let account: AccountID
        let client: TestClient
        let device: TestDevice
        let id: DeviceID

        /// The tokens of a session on the device, at a client that may have the codes of another.
        func tokens(
            of client: TestClient, signedInTo app: TestClient? = nil, on device: DeviceID? = nil
        ) async throws -> TokenResponse {
            let key = client.secret == nil ? self.device.app.key : nil
            var grant = try (app ?? client).grant(for: account, scope: "wallet", boundTo: key)
            grant.securityVersion = try await server.record(of: account)?.securityVersion ?? 1
            grant.device = device
            let code = try server.sealedCode(for: grant)
            return try await client.token(
                .authorizationCode(code, redirectURI: nil, verifier: TestClient.verifier), proof: key
            ).tokens()
        }
    }

    /// An enrolled device, with the verdict that the genuine app's attestation leaves.
    private func scene(
        claim: Bool = true, _ app: AppAttestation = Self.app, in environment: ServerSettings.Environment = .production
    ) async throws -> Scene {
        let server = try await TestServer.start { $0.environment = environment }
        let account = try await server.account()
        let client = try await server.publicClient {
            $0.attestation = .recorded
            $0.appleAppIDs = [app.app]
            $0.attestationClaim = claim
        }
        let device = try await TestDevice.signedIn(account, client)
        let id = try await device.enrolled(account).id
        let values = [SQLValue.id(try id.rowID), .text(String(decoding: app.json.bytes, as: UTF8.self))]
        _ = try await server.context.database.write {
            try $0.execute("UPDATE devices SET attestation = $2 WHERE id = $1", values)
        }
        return Scene(server: server, account: account, client: client, device: device, id: id)
    }

    @Test(
        "From the enrollment on, the tokens of the device's sessions say which app enrolled it, and when",
        .article("24 association of person, credentials, device"))
    func claim() async throws {
        let scene = try await scene()
        #expect(try await scene.server.claims(of: scene.device.tokens).attestation == nil)
        let renewed = try await scene.client.refresh(
            #require(scene.device.tokens.refreshToken), proof: scene.device.app.key
        ).tokens()
        #expect(try await scene.server.claims(of: renewed).attestation == Self.app)
        let later = try await scene.device.app.redeem(scene.device.signIn(as: scene.id).code()).tokens()
        #expect(try await scene.server.claims(of: later).attestation == Self.app)
    }

    @Test("A resource server that asks hears the same of the token")
    func introspection() async throws {
        let scene = try await scene()
        let tokens = try await scene.tokens(of: scene.client, on: scene.id)
        let resource = try await scene.server.confidentialClient("api") { $0.introspection = true }
        let request = TokenStateRequest(
            client: resource.authentication, token: try PresentedToken(tokens.accessToken.reveal()))
        let answer = try await scene.server.flows.tokens.introspection.introspect(request).get()
        guard case .active(let claims, _, _) = answer else {
            Issue.record("the token is not active")
            return
        }
        #expect(claims.attestation == Self.app)
    }

    @Test("Tokens say nothing of an app unless their client wants it, and nothing of a session without a device")
    func unwanted() async throws {
        let silent = try await scene(claim: false)
        let tokens = try await silent.tokens(of: silent.client, on: silent.id)
        #expect(try await silent.server.claims(of: tokens).attestation == nil)
        let wanted = try await self.scene()
        let browser = try await wanted.tokens(of: wanted.client)
        #expect(try await wanted.server.claims(of: browser).attestation == nil)
    }

    @Test("The backend that redeems the app's codes has the claim in its own tokens, and at their introspection")
    func redeemer() async throws {
        let scene = try await scene(claim: false)
        let backend = try await scene.server.confidentialClient { $0.attestationClaim = true }
        try await scene.server.administer(["client", "update", "app", "--redeemer", "backend"])
        let tokens = try await scene.tokens(of: backend, signedInTo: scene.client, on: scene.id)
        #expect(try await scene.server.claims(of: tokens).attestation == Self.app)
        let request = TokenStateRequest(
            client: backend.authentication, token: try PresentedToken(try #require(tokens.refreshToken).reveal()))
        let answer = try await scene.server.flows.tokens.introspection.introspect(request).get()
        guard case .active(let claims, _, _) = answer else {
            Issue.record("the refresh token is not active")
            return
        }
        #expect(claims.attestation == Self.app)
    }

    @Test(
        "attack: the verdict on a development build, in a database that was a sandbox's, counts for nothing in production",
        .threat("A script or another app in place of the app"),
        arguments: ServerSettings.Environment.allCases)
    func development(environment: ServerSettings.Environment) async throws {
        var build = Self.app
        build.environment = .development
        let scene = try await scene(build, in: environment)
        let tokens = try await scene.tokens(of: scene.client, on: scene.id)
        let found = try await scene.server.claims(of: tokens).attestation
        #expect(found == (environment == .sandbox ? build : nil))
    }

    @Test(
        "attack: another client's sessions on the device do not borrow the verdict on the app that enrolled it",
        .threat("A script or another app in place of the app"))
    func borrowed() async throws {
        let scene = try await scene()
        let other = try await scene.server.publicClient("other") {
            $0.attestation = .recorded
            $0.appleAppIDs = ["ABCDE12345.com.example.other"]
            $0.attestationClaim = true
        }
        let tokens = try await scene.tokens(of: other, on: scene.id)
        #expect(try await scene.server.claims(of: tokens).attestation == nil)
    }
}
