import Core
import Crypto
import Store
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Tokens

/// A first-party app that signs people in natively, with a key of its own.
struct TestApp: Sendable {
    let client: TestClient
    var key = TestKey()
    var address = "192.0.2.1"
    var merchant: String?

    private var server: TestServer { client.server }

    /// Signs in by password.
    func signIn(
        _ username: String = "ada", password: String = "correct horse battery", proof: PresentedProof? = nil
    ) async throws -> NativeSignInOutcome {
        let login = PasswordLogin(username: try Username(username), password: try Password(password))
        return try await step(.begin(.password(login)), proof: proof)
    }

    /// Goes on with a sign-in.
    func proceed(_ session: AuthSession, _ continuation: Continuation) async throws -> NativeSignInOutcome {
        try await step(.proceed(session, continuation))
    }

    /// One request to the endpoint.
    func step(
        _ step: AuthorizeChallengeRequest.Step, proof: PresentedProof? = nil, scope: String? = nil,
        acrValues: [String] = []
    ) async throws -> NativeSignInOutcome {
        let request = AuthorizeChallengeRequest(
            clientID: client.id, codeChallenge: CodeChallenge(verifier: TestClient.verifier), step: step,
            scope: try scope.map { try Scope($0) }, merchantID: try merchant.map { try MerchantID($0) },
            acrValues: acrValues)
        return try await server.flows.signIn.native.challenge(
            request, proof: try proof ?? self.proof(),
            origin: RequestOrigin(address: address, traceID: TestServer.origin.traceID))
    }

    /// A good proof for the endpoint.
    func proof(id: String? = nil) throws -> PresentedProof {
        let path = Endpoints.authorizeChallenge.path
        let header = try key.proof(
            method: "POST", url: server.context.settings.issuer.url(path: path), server: server,
            nonce: server.context.proofs.currentNonce(), id: id)
        return PresentedProof(header: header, method: "POST", path: path)
    }

    /// Redeems a code with the app's key.
    func redeem(_ code: AuthorizationCode) async throws -> TokenOutcome {
        try await client.token(
            .authorizationCode(code, redirectURI: nil, verifier: TestClient.verifier), proof: key)
    }

    /// Signs in and redeems: from then on the key is one that the account knows.
    @discardableResult
    func becomeKnown() async throws -> TokenResponse {
        try await redeem(signIn().code()).tokens()
    }
}

extension NativeSignInOutcome {
    /// The code of an outcome that has to be one.
    func code() throws -> AuthorizationCode {
        switch self {
        case .authorized(let answer): return answer.authorizationCode
        case .refused(let refusal): throw Unexpected(what: refusal.errorCode)
        case .invalid(let refusal): throw refusal
        }
    }

    /// The refusal's code; `nil` where there is none.
    var errorCode: String? {
        if case .refused(let refusal) = self { refusal.errorCode } else { nil }
    }

    /// The refusal; `nil` where there is none.
    var refusal: NativeSignInRefusal? {
        if case .refused(let refusal) = self { refusal } else { nil }
    }

    /// The tries that a wrong PIN left; `nil` where the answer has none.
    var remainingAttempts: Int? {
        if case .refused(.device(.wrongPIN(let remaining))) = self { remaining } else { nil }
    }

    /// Another outcome than the test was written for.
    struct Unexpected: Error {
        let what: String
    }
}

extension TestServer {
    /// The messages in the outbox, the newest first.
    func messages() async throws -> [(kind: String, content: JSONObject)] {
        try await context.database.read { try Outbox.recent(limit: 100, on: $0) }.map { record in
            let bytes =
                context.sealing.open(record.sealed, for: .outbox, context: AuditLog.context(record.id)) ?? []
            return (record.kind, try JSONValue.object(parsing: bytes))
        }
    }

    /// The code of the newest e-mail.
    func emailedCode() async throws -> EmailCode {
        let message = try await messages().first { $0.kind == "email_code" }
        return try EmailCode(message?.content.string("code") ?? "")
    }

    /// An account as it is stored.
    func record(of account: AccountID) async throws -> AccountRecord? {
        guard let id = UniqueID(bytes: account.bytes) else { return nil }
        return try await context.database.read { try Accounts.find(id, on: $0) }
    }
}
