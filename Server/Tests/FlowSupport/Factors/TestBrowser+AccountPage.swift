import Testing
package import WalletAuthWire

@testable import Operations
@testable package import SignIn

/// What a browser does at the account's own page.
extension TestBrowser {
    /// Opens the page.
    package func openAccount(_ asked: AccountPageRequest = AccountPageRequest()) async throws
        -> AuthorizationAnswer.Outcome
    {
        take(try await server.flows.signIn.accountPages.open(asked, cookies: cookies, origin: TestServer.origin))
    }

    /// Presses a button of the page.
    package func press(
        _ action: AccountPage.Action, on page: AccountPage
    ) async throws -> AuthorizationAnswer.Outcome {
        let form = try #require(page.form)
        return try await send(form.request, form.csrf, action)
    }

    /// Takes a step of the sign-in before it.
    package func press(_ action: SignInPage.Action, on page: SignInPage) async throws -> AuthorizationAnswer.Outcome {
        try await send(page.request, page.csrf, .signIn(action))
    }

    /// Types the password.
    package func typePassword(
        on page: SignInPage, _ username: String = "ada"
    ) async throws -> AuthorizationAnswer.Outcome {
        try await press(.signIn(username: username, password: Password("correct horse battery")), on: page)
    }

    /// Types the password, and the code that was sent.
    package func signIn(on page: SignInPage, _ username: String = "ada") async throws -> AccountPage {
        let asked = try await typePassword(on: page, username).page()
        return try await press(.answerFactor(Password(server.sentCode())), on: asked).accountPage()
    }

    /// Loads the page once more, from the address that its form led to.
    package func load(_ page: AccountPage) async throws -> AuthorizationAnswer.Outcome {
        let address = try #require(page.state)
        return take(
            try await server.flows.signIn.accountPages.show(
                address: address, cookies: cookies, origin: TestServer.origin))
    }

    /// Loads a page of the sign-in before it once more.
    package func loadStep(_ page: SignInPage) async throws -> AuthorizationAnswer.Outcome {
        take(
            try await server.flows.signIn.accountPages.show(
                address: page.request, cookies: cookies, origin: TestServer.origin))
    }

    private func send(
        _ request: String, _ csrf: String, _ action: AccountPage.Action
    ) async throws -> AuthorizationAnswer.Outcome {
        let submission = PageSubmission(request: request, csrf: csrf, action: action)
        return take(
            try await server.flows.signIn.accountPages.submit(submission, cookies: cookies, origin: TestServer.origin))
    }
}

extension AuthorizationAnswer.Outcome {
    /// The account's page of an outcome that has to be one.
    package func accountPage() throws -> AccountPage {
        guard case .account(let page) = self else { throw NativeSignInOutcome.Unexpected(what: "\(self)") }
        return page
    }
}

extension AccountPage {
    /// What the account has.
    package var overview: AccountOverview? {
        if case .overview(let overview) = step { overview } else { nil }
    }

    /// The secret that waits.
    package func setup() throws -> AuthenticatorSetup {
        guard case .authenticator(let setup) = step else { throw NativeSignInOutcome.Unexpected(what: "\(step)") }
        return setup
    }

    /// The codes that were made.
    package func codes() throws -> [RecoveryCode] {
        guard case .recoveryCodes(let set, _) = step else { throw NativeSignInOutcome.Unexpected(what: "\(step)") }
        return set.codes
    }

    /// Whether the page says that the codes replaced others.
    package var namesOldCodes: Bool {
        if case .recoveryCodes(_, replacedOthers: true) = step { true } else { false }
    }
}

extension TestServer {
    /// What an authenticator app shows.
    package func code(of setup: AuthenticatorSetup) throws -> OneTimeCode {
        let secret = try #require(Base32.decode(setup.secret.reveal()))
        return try OneTimeCode(TOTP.code(at: TOTP.stepNumber(at: clock.now()), secret: secret))
    }
}
