import Store
package import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable package import SignIn

/// A second factor that a sign-in was asked for.
package struct AskedFactor: Sendable {
    package let session: AuthSession
    package let prompt: InsufficientAuthorization.SecondFactor

    package init(session: AuthSession, prompt: InsufficientAuthorization.SecondFactor) {
        self.session = session
        self.prompt = prompt
    }
}

extension NativeSignInOutcome {
    /// The second factor of an outcome that has to ask for one.
    package func asked() throws -> AskedFactor {
        guard case .refused(.mfaRequired(let session, let prompt)) = self else {
            throw Unexpected(what: errorCode ?? "no second factor was asked for")
        }
        return AskedFactor(session: session, prompt: prompt)
    }

    /// Whether the sign-in is over for good.
    package var isOver: Bool {
        if case .refused(.invalidSession) = self { true } else { false }
    }
}

extension TestApp {
    /// The app of a person whom codes reach, at a server of its own.
    /// - Parameter phone: their telephone number; `nil` for an e-mail address alone.
    package static func ofReachablePerson(phone: String? = nil) async throws -> (server: TestServer, app: TestApp) {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount(phone: phone)
        return (server, TestApp(client: try await server.publicClient()))
    }

    /// Answers the second factor.
    package func answer(_ answer: String, to asked: AskedFactor) async throws -> NativeSignInOutcome {
        try await proceed(asked.session, .mfa(asked.prompt.token, answer: Password(answer)))
    }

    /// Signs in with the code that is sent by e-mail or SMS.
    package func signInWithCode(_ username: String = "ada") async throws -> NativeSignInOutcome {
        let asked = try await signIn(username).asked()
        return try await answer(try await client.server.sentCode(), to: asked)
    }
}

extension TestServer {
    /// The newest code that is a second factor.
    package func sentCode() async throws -> String {
        let message = try await messages().first { Self.codeKinds.contains($0.kind) }
        return try message?.content.string("code") ?? ""
    }

    /// A code that is not the one that was sent.
    package func wrongCode() async throws -> String {
        try await sentCode() == "000000" ? "000001" : "000000"
    }

    /// How many codes were sent.
    package func codesSent() async throws -> Int {
        try await messages().count { Self.codeKinds.contains($0.kind) }
    }

    private static let codeKinds = ["second_factor_code", "payment_code"]

    /// How many rows a table has.
    package func rows(of table: String) async throws -> Int64 {
        try await context.database.read {
            try $0.row("SELECT COUNT(*) AS number FROM \(table)", [])?.integer("number") ?? 0
        }
    }

    /// An account with an e-mail address that is confirmed.
    package func reachableAccount(_ username: String = "ada", phone: String? = nil) async throws -> AccountID {
        try await account(username) {
            $0.email = "\(username)@example.com"
            $0.emailVerified = true
            $0.phone = phone
        }
    }

    /// What an access token says.
    package func claims(of tokens: TokenResponse) async throws -> AccessTokenClaims {
        guard
            let claims = try await context.accessTokens.claims(of: tokens.accessToken, now: clock.now())
        else { throw NativeSignInOutcome.Unexpected(what: "the access token does not verify") }
        return claims
    }

    /// The id of the account of a name.
    package func accountID(_ username: String = "ada") async throws -> AccountID? {
        try await context.database.read { try Accounts.find(named: username, brand: "default", on: $0) }
            .map { try AccountID(bytes: $0.id.bytes) }
    }
}
