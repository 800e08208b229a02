package import Core
package import Kernel
internal import Store
package import WalletAuthWire

/// A person at the operators' console, as the cookie of their browser says. Whether they may do anything there is not decided here.
package struct ConsoleVisitor: Sendable {
    package let account: AccountRecord
    /// Their username.
    package let name: String
    /// When they signed in.
    package let authTime: Timestamp
    /// The methods of the sign-in that count.
    package let settledMethods: [String]
    /// The hash of their browser session.
    fileprivate let session: [UInt8]
}

/// A sign-in that was made for one page of the console. A copy of the browser's cookie comes without it.
package struct ConsoleProof: Codable, Sendable, Hashable {
    /// Of the page's address, in which the proof is sealed.
    package static let parameter = "proof"
    /// Of the page's address, in which is sealed that the sign-in at another origin led there.
    package static let arrival = "arrival"

    /// The page's, with its query, below the console's base.
    package let path: String
    /// The hash of the browser session that began with the sign-in.
    fileprivate let session: [UInt8]
}

/// What nothing undoes, and what therefore takes a sign-in of its own.
package enum ConsoleQuestion: String, Codable, Sendable {
    case erase, removeDevice, removePasskey

    /// The purpose of that sign-in.
    var lead: AccountText {
        switch self {
        case .erase: .eraseAgainLead
        case .removeDevice: .removeDeviceAgainLead
        case .removePasskey: .removePasskeyAgainLead
        }
    }
}

/// What the console shares with the account's page: the sign-in before it, and the seal of its forms.
///
/// A form of the console proves nothing at the account's page, where changes follow a sign-in on that page (decision 18).
extension AccountPages {
    /// The client of what people do on the account's page, in the audit log. It is registered nowhere.
    package static var clientID: String { AccountPageClient.id }

    /// The person signed in in a browser; `nil` if no one is.
    package func consoleVisitor(
        _ cookies: BrowserCookies, _ origin: RequestOrigin, now: Timestamp
    ) async throws -> ConsoleVisitor? {
        guard let person = try await consoleInteraction(cookies, origin, now: now).signedIn() else { return nil }
        let names = try await pages.database.read { try Accounts.names(of: person.account.id, on: $0) }
        return ConsoleVisitor(
            account: person.account, name: names.first ?? "", authTime: person.session.authTime,
            settledMethods: person.settledMethods, session: person.session.idHash)
    }

    /// Ends the session of a browser.
    /// - Returns: the cookies to set.
    package func signOutOfConsole(
        _ cookies: BrowserCookies, _ origin: RequestOrigin, now: Timestamp
    ) async throws -> [CookieChange] {
        try await consoleInteraction(cookies, origin, now: now).endSession()
    }

    /// Asks for a sign-in with two factors, which leads to a page of the console.
    /// - Parameters:
    ///   - path: with its query, below the console's base.
    ///   - question: of the page, if the sign-in counts for that page alone; ``consoleProof(in:of:now:)`` then finds it in its address.
    ///   - isAnother: whether another person than the one who is signed in shall sign in.
    ///   - brand: of the operators' accounts; `nil`, or an unknown one, for `default`, or that of the person who is signed in and stays.
    package func askToSignIn(
        beforeConsole path: String, asking question: ConsoleQuestion?, asAnother isAnother: Bool, brand: BrandID?,
        _ cookies: BrowserCookies, _ origin: RequestOrigin, now: Timestamp
    ) async throws -> AuthorizationAnswer {
        var known = brand
        if let brand, try await pages.database.read({ try Brands.find(brand.rawValue, on: $0) }) == nil { known = nil }
        return try await consoleInteraction(cookies, origin, now: now).inItsLanguage { interaction in
            try await interaction.askBeforeConsole(path, question, asAnother: isAnother, brand: known)
        }
    }

    /// The proof in the address of a page of the console.
    /// - Returns: `nil` without one, or if another session's sign-in made it.
    package func consoleProof(in sealed: String?, of visitor: ConsoleVisitor, now: Timestamp) -> ConsoleProof? {
        let proof = sealed.flatMap { consoleProofs.open($0, now: now) }
        return proof.flatMap { $0.session == visitor.session ? $0 : nil }
    }

    /// Whether a sign-in of this visitor led to a page of the console, as the page's address says. It proves nothing else.
    package func hasArrived(
        _ visitor: ConsoleVisitor, at path: String, saying sealed: String?, now: Timestamp
    ) -> Bool {
        sealed.flatMap { consoleArrivals.open($0, now: now) } == ConsoleProof(path: path, session: visitor.session)
    }

    fileprivate var consoleProofs: SealedState<ConsoleProof> { proofs("console-proof") }

    fileprivate var consoleArrivals: SealedState<ConsoleProof> { proofs("console-arrival") }

    private func proofs(_ label: String) -> SealedState<ConsoleProof> {
        SealedState(pages.vault.sealing, purpose: .page, label: label, lifetime: PageState.lifetime)
    }

    /// The hidden fields of a page of the console, for this person in this browser.
    /// - Parameter proof: that of the page.
    package func consoleForm(
        for visitor: ConsoleVisitor, proof: ConsoleProof? = nil, _ cookies: BrowserCookies, now: Timestamp
    ) throws -> (form: AccountPage.Form, cookies: [CookieChange]) {
        let binding = pages.seal.binding(cookies.binding)
        let state = PageState(
            request: try AccountPageClient.request(AccountPageRequest(), at: issuer, random: random),
            binding: PageSeal.digest(of: binding), named: visitor.account.id.uuid,
            account: AccountPageState(intent: .administrationForm(proof), proved: nil, mark: random.bytes(16)))
        let fields = try pages.seal.fields(state, binding: binding, now: now)
        return (
            AccountPage.Form(request: fields.request, csrf: fields.csrf),
            binding == cookies.binding ? [] : [CookieChange(cookie: .binding, value: binding)]
        )
    }

    /// The mark of a form of the console, and the proof of its page.
    /// - Returns: `nil` for a form of another page, browser or person, or one that is too old.
    package func consoleMark(
        of submission: PageSubmission<String>, by visitor: ConsoleVisitor, _ cookies: BrowserCookies, now: Timestamp
    ) -> (mark: [UInt8], proof: ConsoleProof?)? {
        guard case .current(let state) = pages.seal.open(submission, binding: cookies.binding, now: now),
            let page = state.account, case .administrationForm(let proof) = page.intent,
            state.named == visitor.account.id.uuid
        else { return nil }
        return (page.mark, proof?.session == visitor.session ? proof : nil)
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
    fileprivate func askBeforeConsole(
        _ path: String, _ question: ConsoleQuestion?, asAnother isAnother: Bool, brand: BrandID?
    ) async throws -> AuthorizationAnswer {
        var request = request
        request.acrValues = [AuthenticationStrength.twoFactors]
        request.brand = brand
        if brand == nil, !isAnother, let account = try await signedIn()?.account {
            request.brand = try BrandID(account.brandID)
            request.loginHint = try await database.read { try Accounts.names(of: account.id, on: $0) }.first
        }
        let page = AccountPageState(intent: .administration(path, before: question), proved: nil, mark: newMark())
        let flow = try flow(page, request)
        return try await flow.ask(flow.beginning(flow.hint))
    }

    /// Leads to the page of the console that asked for the sign-in.
    /// - Parameters:
    ///   - session: the hash of the session that began with the sign-in; `nil` if there was none.
    ///   - isProving: whether the page asked for the sign-in as a proof.
    func goOn(to path: String, from session: [UInt8]?, proving isProving: Bool) throws -> AuthorizationAnswer {
        var location = (host.console ?? host.issuer).url(path: path)
        if let session {
            let proof = ConsoleProof(path: path, session: session)
            var query = FormParameters()
            if isProving { query.append(ConsoleProof.parameter, try host.consoleProofs.seal(proof, now: now)) }
            // A browser that comes from another origin does not say that it was the sign-in's.
            if host.hasConsoleElsewhere {
                query.append(ConsoleProof.arrival, try host.consoleArrivals.seal(proof, now: now))
            }
            if !query.parameters.isEmpty { location += (path.contains("?") ? "&" : "?") + query.encoded }
        }
        return AuthorizationAnswer(outcome: .restart(location), cookies: [])
    }
}
