import Testing
package import WalletAuthWire
package import Web

@testable import Operations
@testable package import SignIn
@testable package import Tokens

/// A browser as the hosted pages see it: it keeps cookies and sends the form that it was served.
package final class TestBrowser {
    package let server: TestServer
    package var cookies = BrowserCookies()

    package init(_ server: TestServer) {
        self.server = server
    }

    /// Opens the authorization endpoint.
    package func open(_ form: FormParameters) async throws -> AuthorizationAnswer.Outcome {
        take(try await server.flows.signIn.authorization.begin(form, cookies: cookies, origin: TestServer.origin))
    }

    /// Presses a button of a page.
    package func submit(_ page: SignInPage, _ action: SignInPage.Action) async throws -> AuthorizationAnswer.Outcome {
        let submission = PageSubmission(request: page.request, csrf: page.csrf, action: action)
        return take(
            try await server.flows.signIn.authorization.submit(submission, cookies: cookies, origin: TestServer.origin))
    }

    /// Loads a page once more, from the address that its form led to.
    package func load(_ page: SignInPage) async throws -> AuthorizationAnswer.Outcome { try await load(page.request) }

    /// Loads the page with this sealed state in its address.
    package func load(_ address: String) async throws -> AuthorizationAnswer.Outcome {
        take(
            try await server.flows.signIn.authorization.show(
                address: address, cookies: cookies, origin: TestServer.origin))
    }

    /// Opens the endpoint and signs in by password.
    package func signIn(
        _ form: FormParameters, _ username: String = "ada", password: String = "correct horse battery"
    ) async throws -> AuthorizationAnswer.Outcome {
        try await submit(open(form).page(), .signIn(username: username, password: Password(password)))
    }

    /// Follows a form's redirect to the beginning of its request.
    package func follow(_ outcome: AuthorizationAnswer.Outcome) async throws -> AuthorizationAnswer.Outcome {
        let location = try #require(outcome.restart)
        let query = try #require(location.split(separator: "?", maxSplits: 1).last)
        return try await open(FormParameters(parsing: query))
    }

    package func take(_ answer: AuthorizationAnswer) -> AuthorizationAnswer.Outcome {
        take(answer.cookies)
        return answer.outcome
    }

    /// Takes the cookies of an answer.
    package func take(_ changes: [CookieChange]) {
        for change in changes {
            switch change.cookie {
            case .binding: cookies.binding = change.value
            case .session: cookies.session = change.value
            case .device: cookies.device = change.value
            case .watch: cookies.watch = change.value
            }
        }
    }
}

extension AuthorizationAnswer.Outcome {
    /// The page of an outcome that has to be one.
    package func page() throws -> SignInPage {
        guard case .page(let page) = self else { throw NativeSignInOutcome.Unexpected(what: "\(self)") }
        return page
    }

    /// The redirect of an outcome that has to be one.
    package func redirect() throws -> AuthorizationRedirect {
        guard case .redirect(let redirect) = self else { throw NativeSignInOutcome.Unexpected(what: "\(self)") }
        return redirect
    }

    /// The code of an outcome that has to carry one.
    package func code() throws -> AuthorizationCode {
        try AuthorizationCode(try redirect()["code"] ?? "")
    }

    /// Where the request begins again; `nil` where it does not.
    package var restart: String? {
        if case .restart(let location) = self { location } else { nil }
    }

    /// The page that leads to an app's own scheme, and whether it goes on by itself; `nil` where the page is another.
    package var returning: (redirect: AuthorizationRedirect, byItself: Bool)? {
        if case .returning(let redirect, let byItself) = self { (redirect, byItself) } else { nil }
    }

    /// Where a person goes on who is signed in already; `nil` where the page is another.
    package var onward: SignInOnward? {
        if case .signedIn(let onward) = self { onward } else { nil }
    }

    /// Why there is an error page; `nil` where there is none.
    package var fault: AuthorizationFault? {
        if case .refused(let fault) = self { fault } else { nil }
    }

    /// The redirect URI that was refused; `nil` where none was.
    package var redirectMismatch: RedirectMismatch? {
        if case .unregisteredRedirectURI(let mismatch) = fault { mismatch } else { nil }
    }
}

extension AuthorizationRedirect {
    /// A parameter of the response.
    package subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }
}

extension TestClient {
    /// An authorization request's parameters.
    package func request(_ adjust: (inout [String: String?]) -> Void = { _ in }) throws -> FormParameters {
        var values: [String: String?] = [
            "response_type": "code", "client_id": id.rawValue, "redirect_uri": "https://app.example.com/callback",
            "scope": "openid wallet", "state": "s-1", "nonce": "n-1",
            "code_challenge": CodeChallenge(verifier: TestClient.verifier).rawValue, "code_challenge_method": "S256",
        ]
        adjust(&values)
        var form = FormParameters()
        for (name, value) in values.sorted(by: { $0.key < $1.key }) { form.append(name, value) }
        return form
    }

    /// Redeems a code of a browser's sign-in.
    package func redeem(_ code: AuthorizationCode) async throws -> TokenOutcome {
        try await token(
            .authorizationCode(
                code, redirectURI: RedirectURI("https://app.example.com/callback"), verifier: TestClient.verifier))
    }
}
