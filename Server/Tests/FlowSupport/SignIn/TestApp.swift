import Core
import Crypto
import Store
package import WalletAuthWire

@testable package import Kernel
@testable import Operations
@testable package import SignIn
@testable package import Tokens

/// A first-party app that signs people in natively, with a key of its own.
package struct TestApp: Sendable {
    package let client: TestClient
    package var key: TestKey
    package var address: String
    package var merchant: String?

    package init(client: TestClient, key: TestKey = TestKey(), address: String = "192.0.2.1", merchant: String? = nil) {
        self.client = client
        self.key = key
        self.address = address
        self.merchant = merchant
    }

    private var server: TestServer { client.server }

    /// Signs in by password.
    package func signIn(
        _ username: String = "ada", password: String = "correct horse battery", proof: PresentedProof? = nil
    ) async throws -> NativeSignInOutcome {
        let login = PasswordLogin(username: try Username(username), password: try Password(password))
        return try await step(.begin(.password(login)), proof: proof)
    }

    /// Goes on with a sign-in.
    package func proceed(_ session: AuthSession, _ continuation: Continuation) async throws -> NativeSignInOutcome {
        try await step(.proceed(session, continuation))
    }

    /// One request to the endpoint.
    package func step(
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
    package func proof(id: String? = nil) throws -> PresentedProof {
        try key.present(to: server, at: Endpoints.authorizeChallenge.path, id: id)
    }

    /// Redeems a code with the app's key.
    package func redeem(_ code: AuthorizationCode) async throws -> TokenOutcome {
        try await client.token(
            .authorizationCode(code, redirectURI: nil, verifier: TestClient.verifier), proof: key)
    }

    /// Signs in and redeems: from then on the key is one that the account knows.
    @discardableResult
    package func becomeKnown() async throws -> TokenResponse {
        try await redeem(signIn().code()).tokens()
    }
}

extension NativeSignInOutcome {
    /// The code of an outcome that has to be one.
    package func code() throws -> AuthorizationCode {
        switch self {
        case .authorized(let answer): return answer.authorizationCode
        case .refused(let refusal): throw Unexpected(what: refusal.errorCode)
        case .invalid(let refusal): throw refusal
        }
    }

    /// The refusal's code; `nil` where there is none.
    package var errorCode: String? {
        if case .refused(let refusal) = self { refusal.errorCode } else { nil }
    }

    /// The refusal; `nil` where there is none.
    package var refusal: NativeSignInRefusal? {
        if case .refused(let refusal) = self { refusal } else { nil }
    }

    /// The tries that a wrong PIN left; `nil` where the answer has none.
    package var remainingAttempts: Int? {
        if case .refused(.device(.wrongPIN(let remaining))) = self { remaining } else { nil }
    }

    /// Another outcome than the test was written for.
    package struct Unexpected: Error {
        package let what: String

        package init(what: String) { self.what = what }
    }
}

extension TestServer {
    /// The messages in the outbox, the newest first.
    package func messages() async throws -> [(kind: String, content: JSONObject)] {
        try await context.database.read { try Outbox.recent(limit: 100, on: $0) }.map { record in
            let bytes =
                context.sealing.open(record.sealed, for: .outbox, context: AuditLog.context(record.id)) ?? []
            return (record.kind, try JSONValue.object(parsing: bytes))
        }
    }

    /// The code of the newest e-mail.
    package func emailedCode() async throws -> EmailCode {
        let message = try await messages().first { $0.kind == "email_code" }
        return try EmailCode(message?.content.string("code") ?? "")
    }

    /// An account as it is stored.
    package func record(of account: AccountID) async throws -> AccountRecord? {
        guard let id = UniqueID(bytes: account.bytes) else { return nil }
        return try await context.database.read { try Accounts.find(id, on: $0) }
    }

    /// Every failure counter.
    package func attempts() async throws -> [(tries: Int64, failures: Int64)] {
        try await context.database.read { connection in
            try connection.query("SELECT tries, failures FROM attempts LIMIT 1000", [])
                .map { (try $0.integer("tries"), try $0.integer("failures")) }
        }
    }
}

extension TestClient {
    /// A new app in a network of `2001:db8:1::/48`.
    package func app(inSubnet subnet: Int) -> TestApp {
        var app = TestApp(client: self)
        app.address = "2001:db8:1:\(String(subnet, radix: 16))::1"
        return app
    }
}
