import Core
import FlowSupport
import Store
import TestSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

/// What an app does with passkeys.
extension TestApp {
    /// What a passkey has to sign in this app's sign-in.
    func passkeyOptions(verifier: CodeVerifier = TestClient.verifier) async throws -> PasskeyRequestOptions {
        let server = client.server
        let path = Endpoints.passkeyOptions.path
        let header = try key.proof(
            method: "POST", url: server.context.settings.issuer.url(path: path), server: server,
            nonce: server.context.proofs.currentNonce())
        return try await server.flows.signIn.native.passkeyOptions(
            PasskeyOptionsRequest(clientID: client.id, codeChallenge: CodeChallenge(verifier: verifier)),
            proof: PresentedProof(header: header, method: "POST", path: path), origin: TestServer.origin
        ).get()
    }

    /// Signs in with a passkey.
    func signIn(
        with passkey: SoftwarePasskey, as username: String? = nil, on page: SoftwarePasskey.Page = .own
    ) async throws -> NativeSignInOutcome {
        try await signIn(with: passkey.use(passkeyOptions().challenge, on: page), as: username)
    }

    func signIn(
        with response: PasskeyAssertionResponse, as username: String? = nil
    ) async throws -> NativeSignInOutcome {
        try await step(
            .begin(.passkey(PasskeyLogin(assertion: response, username: try username.map { try Username($0) }))))
    }

    /// Uses a passkey as the second factor.
    func proceed(_ session: AuthSession, with passkey: SoftwarePasskey) async throws -> NativeSignInOutcome {
        try await proceed(session, .passkey(passkey.use(passkeyOptions().challenge, on: .own)))
    }
}

extension TestDevice {
    private var management: PasskeyManagement { app.client.server.flows.signIn.security.passkeys }

    func newPasskeyOptions() async throws -> Result<PasskeyCreationOptions, PasskeyRefusal> {
        try await management.creation(call: call(.post, Endpoints.accountPasskeyOptions.path))
    }

    func add(
        _ made: PasskeyRegistrationResponse, called name: String? = nil
    ) async throws -> Result<AccountFactorList.Passkey, PasskeyRefusal> {
        let addition = PasskeyAddition(credential: made, name: try name.map { try DeviceName($0) })
        return try await management.add(addition, call: call(.post, Endpoints.accountPasskeys.path))
    }

    /// Adds a passkey as an app does.
    func add(
        _ passkey: inout SoftwarePasskey, on page: SoftwarePasskey.Page = .own
    ) async throws -> Result<AccountFactorList.Passkey, PasskeyRefusal> {
        let options = try await newPasskeyOptions().get()
        passkey.userHandle = options.userHandle
        return try await add(passkey.register(options.challenge, on: page), called: "Phone")
    }

    func remove(_ id: PasskeyID) async throws -> Result<Void, PasskeyRefusal> {
        try await management.remove(id, call: call(.delete, Endpoints.accountPasskey.path(id)))
    }
}

extension TestServer {
    /// A client whose app the operator named to Apple's devices.
    func passkeyClient(
        _ id: String = "app", _ adjust: (inout ClientRegistration) -> Void = { _ in }
    ) async throws -> TestClient {
        try await publicClient(id) {
            $0.appleAppIDs = ["ABCDE12345.com.example.wallet"]
            adjust(&$0)
        }
    }

    /// A passkey past its cooling period, of an account that may have nothing else.
    func storedPasskey(of account: AccountID) async throws -> SoftwarePasskey {
        var passkey = try SoftwarePasskey()
        passkey.userHandle = account.bytes
        let id = try context.random.uniqueID()
        let record = PasskeyRecord(
            id: id, credentialID: passkey.credentialID, accountID: try #require(UniqueID(bytes: account.bytes)),
            relyingParty: "auth.example.com", publicKey: try passkey.publicKey, counter: 0, isBackupEligible: false,
            isBackedUp: false, transports: [], name: try PasskeyVault(context.sealing).seal("Phone", .name, of: id),
            createdAt: clock.now(), coolingUntil: clock.now())
        let added = try await context.database.write { try Passkeys.add(record, limit: 20, on: $0) }
        try #require(added == .added)
        return passkey
    }
}
