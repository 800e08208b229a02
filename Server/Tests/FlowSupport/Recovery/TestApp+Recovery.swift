package import WalletAuthWire

@testable package import SignIn

/// A recovery that waits for its code.
package struct AskedRecovery: Sendable {
    package let session: AuthSession
    package let prompt: RecoveryPrompt

    package init(session: AuthSession, prompt: RecoveryPrompt) {
        self.session = session
        self.prompt = prompt
    }
}

extension NativeSignInOutcome {
    /// The recovery of an outcome that has to ask for a code.
    package func recovery() throws -> AskedRecovery {
        guard case .refused(.recoveryCodeRequired(let session, let prompt)) = self else {
            throw Unexpected(what: errorCode ?? "no recovery was begun")
        }
        return AskedRecovery(session: session, prompt: prompt)
    }

    /// The session of an outcome that has to ask for a new password.
    package func passwordSession() throws -> AuthSession {
        guard case .refused(.passwordChangeRequired(let session)) = self else {
            throw Unexpected(what: errorCode ?? "no new password was asked for")
        }
        return session
    }
}

extension TestApp {
    /// Begins a recovery.
    package func beginRecovery(_ username: String = "ada") async throws -> NativeSignInOutcome {
        try await step(.begin(.recovery(RecoveryLogin(username: try Username(username)))))
    }

    /// Gives a recovery's code.
    package func answerRecovery(_ code: String, to asked: AskedRecovery) async throws -> NativeSignInOutcome {
        try await proceed(asked.session, .recoveryAnswer(OneTimeCode(code)))
    }

    /// Recovers by the code that is sent, up to what is asked for next.
    package func recoverByCode(_ username: String = "ada") async throws -> NativeSignInOutcome {
        let asked = try await beginRecovery(username).recovery()
        return try await answerRecovery(try await client.server.recoveryCode(), to: asked)
    }

    /// Sets the password that a recovery asks for.
    package func choose(_ password: String, in session: AuthSession) async throws -> NativeSignInOutcome {
        try await proceed(session, .newPassword(Password(password)))
    }
}

extension TestServer {
    /// The newest code of a recovery that was sent to a person.
    package func recoveryCode() async throws -> String {
        let message = try await messages().first { $0.kind == "password_recovery_code" && $0.content["to"] != nil }
        return try message?.content.string("code") ?? ""
    }

    /// How many codes of recoveries were sent to a person.
    package func recoveryCodesSent() async throws -> Int {
        try await messages().count { $0.kind == "password_recovery_code" && $0.content["to"] != nil }
    }

    /// Locks a wallet as failures on a known device do.
    package func closeByFailures(_ app: TestApp) async throws {
        for _ in 0..<5 { _ = try await app.signIn(password: "a wrong one") }
    }
}
