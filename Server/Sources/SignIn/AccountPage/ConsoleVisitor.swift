package import Core
package import Kernel
internal import Store
package import WalletAuthWire

/// A person at the operators' console, as the cookie of their browser says. Whether they may do anything there is not decided here.
package struct ConsoleVisitor: Sendable {
    package let account: AccountRecord
    /// When they signed in.
    package let authTime: Timestamp
    /// The methods of the sign-in that count.
    package let settledMethods: [String]
}

/// What the console shares with the account's page: the sign-in before it, and the seal of its forms.
///
/// A form of the console proves nothing at the account's page, where changes follow a sign-in on that page (decision 18).
extension AccountPages {
    /// The person signed in in a browser; `nil` if no one is.
    package func consoleVisitor(
        _ cookies: BrowserCookies, _ origin: RequestOrigin, now: Timestamp
    ) async throws -> ConsoleVisitor? {
        let found = try await consoleInteraction(cookies, origin, now: now).signedIn()
        return found.map { person in
            ConsoleVisitor(
                account: person.account, authTime: person.session.authTime, settledMethods: person.settledMethods)
        }
    }

    /// Asks for a sign-in with two factors, which leads to a page of the console.
    /// - Parameters:
    ///   - path: with its query, below the issuer.
    ///   - brand: of the operators' accounts; `nil`, or an unknown one, for that of the person who is signed in, or `default`.
    package func askToSignIn(
        beforeConsole path: String, brand: BrandID?, _ cookies: BrowserCookies, _ origin: RequestOrigin, now: Timestamp
    ) async throws -> AuthorizationAnswer {
        var known = brand
        if let brand, try await pages.database.read({ try Brands.find(brand.rawValue, on: $0) }) == nil { known = nil }
        return try await consoleInteraction(cookies, origin, now: now).inItsLanguage { interaction in
            try await interaction.askBeforeConsole(path, brand: known)
        }
    }

    /// The hidden fields of a page of the console, for this person in this browser.
    package func consoleForm(
        for visitor: ConsoleVisitor, _ cookies: BrowserCookies, now: Timestamp
    ) throws -> (form: AccountPage.Form, cookies: [CookieChange]) {
        let binding = pages.seal.binding(cookies.binding)
        let state = PageState(
            request: try AccountPageClient.request(AccountPageRequest(), at: issuer, random: random),
            binding: PageSeal.digest(of: binding), named: visitor.account.id.uuid,
            account: AccountPageState(intent: .administrationForm, proved: nil, mark: random.bytes(16)))
        let fields = try pages.seal.fields(state, binding: binding, now: now)
        return (
            AccountPage.Form(request: fields.request, csrf: fields.csrf),
            binding == cookies.binding ? [] : [CookieChange(cookie: .binding, value: binding)]
        )
    }

    /// The mark of a form of the console.
    /// - Returns: `nil` for a form of another page, browser or person, or one that is too old.
    package func consoleMark(
        of submission: PageSubmission<String>, by visitor: ConsoleVisitor, _ cookies: BrowserCookies, now: Timestamp
    ) -> [UInt8]? {
        guard case .current(let state) = pages.seal.open(submission, binding: cookies.binding, now: now),
            let page = state.account, case .administrationForm = page.intent,
            state.named == visitor.account.id.uuid
        else { return nil }
        return page.mark
    }

    private func consoleInteraction(
        _ cookies: BrowserCookies, _ origin: RequestOrigin, now: Timestamp
    ) throws -> AccountInteraction {
        AccountInteraction(
            host: self, request: try AccountPageClient.request(AccountPageRequest(), at: issuer, random: random),
            cookies: cookies, origin: origin, now: now)
    }
}

extension ActivityText {
    /// The text of a kind of event; `nil` for one that says nothing to people.
    package static func ofKind(_ kind: String) -> ActivityText? { byKind[kind] }
}

extension AccountInteraction {
    fileprivate func askBeforeConsole(_ path: String, brand: BrandID?) async throws -> AuthorizationAnswer {
        var request = request
        request.acrValues = [AuthenticationStrength.twoFactors]
        request.brand = brand
        if brand == nil, let account = try await signedIn()?.account {
            request.brand = try BrandID(account.brandID)
            request.loginHint = try await database.read { try Accounts.names(of: account.id, on: $0) }.first
        }
        let page = AccountPageState(intent: .administration(path), proved: nil, mark: newMark())
        let flow = try flow(page, request)
        return try await flow.ask(flow.beginning(flow.hint))
    }

    /// Leads to the page of the console that asked for the sign-in.
    func goOn(to path: String) -> AuthorizationAnswer {
        AuthorizationAnswer(outcome: .restart(host.issuer.url(path: path)), cookies: [])
    }
}
