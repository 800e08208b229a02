internal import Core
package import Kernel
package import SignIn
internal import Store
internal import WalletAuthWire
internal import Web

/// The page on which a person consents to an operation in the browser.
///
/// The browser need not be signed in, and it does not matter if it is: the link names the operation, and the factor that the
/// account's holder proves on the page identifies the person.
package struct ConsentPages: Sendable {
    let events: ConsentEvents
    let clients: ClientDirectory
    let factors: PageFactors

    private var seal: ConsentSeal { events.seal }

    /// Opens the page.
    /// - Parameter ticket: the link's parameter.
    package func open(
        ticket: String, cookies: BrowserCookies, origin: RequestOrigin
    ) async throws -> ConsentPageAnswer {
        let now = events.ledger.clock.now()
        guard let opened = seal.open(ticket, now: now),
            let interaction = try await self.interaction(of: opened, origin: origin, now: now)
        else { return try await stale(seal.openExpired(link: ticket)) }
        return try answer(try await interaction.open(), of: interaction, cookies: cookies)
    }

    /// Shows the page that answers a form, as things are by now. It changes nothing, and loading it again spends no try.
    /// - Parameter address: the address's parameter.
    package func show(
        address: String, cookies: BrowserCookies, origin: RequestOrigin
    ) async throws -> ConsentPageAnswer {
        let now = events.ledger.clock.now()
        switch seal.open(address: address, binding: cookies.binding, now: now) {
        case .current(let state):
            guard let interaction = try await self.interaction(of: state.ticket, origin: origin, now: now) else {
                return try await stale(state.ticket)
            }
            if let departure = state.answer?.departure, let left = state.answer?.at {
                let outcome = ConsentPageAnswer.Outcome.leave(
                    departure, interaction.page, byItself: now - left <= Pages.patienceOfReturn)
                return ConsentPageAnswer(outcome: outcome, cookies: [])
            }
            return try answer(try await interaction.open(after: state.answer), of: interaction, cookies: cookies)
        case .unbound(let ticket): return try restart(ticket, now: now)
        case .refused: return try await stale(seal.openExpired(form: address))
        }
    }

    /// Handles a form of the page.
    package func submit(
        _ submission: PageSubmission<ConsentPage.Action>, cookies: BrowserCookies, origin: RequestOrigin
    ) async throws -> ConsentPageAnswer {
        let now = events.ledger.clock.now()
        let ticket: ConsentTicket
        var isCurrent = true
        switch seal.open(submission.request, csrf: submission.csrf, binding: cookies.binding, now: now) {
        case .current(let state): ticket = state.ticket
        case .unbound(let opened):
            ticket = opened
            isCurrent = false
        case .refused: return try await stale(seal.openExpired(form: submission.request))
        }
        guard let interaction = try await self.interaction(of: ticket, origin: origin, now: now) else {
            return try await stale(ticket)
        }
        let shown: ConsentInteraction.Shown
        switch submission.action {
        // It changes nothing, so the form need not count.
        case .cancel: shown = .leave(.cancelled)
        case _ where !isCurrent: return try restart(ticket, now: now)
        case .refuse: shown = try await interaction.refuse()
        case .agree(let password): shown = try await interaction.agree(by: password)
        case .agreeByPIN(let pin): shown = try await interaction.agree(byPIN: pin)
        case .usePasskey(let response): shown = try await interaction.agree(by: response, binding: cookies.binding)
        }
        return try answer(shown, of: interaction, cookies: cookies)
    }

    private func restart(_ ticket: ConsentTicket, now: Timestamp) throws -> ConsentPageAnswer {
        ConsentPageAnswer(outcome: .restart(location: try seal.link(ticket, now: now).rawValue), cookies: [])
    }

    /// - Parameter ticket: a genuine one; `nil` if it may be forged.
    private func stale(_ ticket: ConsentTicket?) async throws -> ConsentPageAnswer {
        guard let id = ticket.flatMap({ UniqueID(uuid: $0.account) }),
            let account = try await events.ledger.database.read({ try Accounts.find(id, on: $0) })
        else { return ConsentPageAnswer(outcome: .stale(nil), cookies: []) }
        let appearance = try await BrandAppearance.of(BrandID(account.brandID), in: events.ledger.database)
        return ConsentPageAnswer(outcome: .stale(appearance), cookies: [])
    }

    private func answer(
        _ shown: ConsentInteraction.Shown, of interaction: ConsentInteraction, cookies: BrowserCookies
    ) throws -> ConsentPageAnswer {
        var page = interaction.page
        let now = interaction.call.now
        var said = ConsentPageState.Answer(at: now)
        switch shown {
        case .leave(let departure):
            // The browser stays at the page before an app's own scheme, which therefore has an address.
            if let binding = cookies.binding,
                (try? RedirectURI(interaction.ticket.returnURL))?.kind == .customScheme
            {
                said.departure = departure
                page.state = try seal.fields(interaction.ticket, said, binding: binding, now: now).request
            }
            return ConsentPageAnswer(outcome: .leave(departure, page), cookies: Self.again(cookies))
        case .over(let end):
            page.step = .over(end)
            said.end = end
            // Without a cookie it answers no form.
            if let binding = cookies.binding {
                page.state = try seal.fields(interaction.ticket, said, binding: binding, now: now).request
            }
            return ConsentPageAnswer(outcome: .page(page), cookies: Self.again(cookies))
        case .asking(let factor, let notice):
            page.step = .asking(factor)
            page.notice = notice
            said.notice = notice
            let binding = seal.binding(cookies.binding)
            if case .passkey = factor { page.passkey = try interaction.passkeyOptions(binding: binding) }
            let fields = try seal.fields(interaction.ticket, said, binding: binding, now: now)
            page.form = ConsentPage.Form(request: fields.request, csrf: fields.csrf)
            page.state = fields.request
            return ConsentPageAnswer(
                outcome: .page(page),
                cookies: binding == cookies.binding ? [] : [CookieChange(cookie: .binding, value: binding)])
        }
    }

    /// The binding cookie once more, as it is. Chromium keeps even a `no-store` page, and Back would show it with its password and a button to
    /// approve. It forgets the page once the site sets an `HttpOnly` cookie, and then Back asks the server.
    private static func again(_ cookies: BrowserCookies) -> [CookieChange] {
        guard let binding = cookies.binding, Base64URL.decode(binding)?.count == 32 else { return [] }
        return [CookieChange(cookie: .binding, value: binding)]
    }

    /// Loads the event of a ticket; `nil` if its event, account, app or return URL no longer exists.
    func interaction(
        of ticket: ConsentTicket, origin: RequestOrigin, now: Timestamp
    ) async throws -> ConsentInteraction? {
        guard let id = UniqueID(uuid: ticket.event), let returnURL = try? RedirectURI(ticket.returnURL) else {
            return nil
        }
        let found = try await events.ledger.database.read { connection -> Found? in
            guard let record = try WalletOperations.find(event: id, on: connection),
                record.accountID.uuid == ticket.account, record.decision == .required,
                let account = try Accounts.find(record.accountID, on: connection), account.state == .active,
                let session = try Sessions.living(record.sessionID, now: now, on: connection),
                session.facts.accountID == account.id
            else { return nil }
            let name = try Accounts.names(of: account.id, on: connection).first
            return Found(record: record, account: account, session: session, username: name ?? "")
        }
        guard let found,
            let app = try await clients.find(
                ClientID(found.session.facts.signedInTo), now: now),
            // As for the app's own calls: links that it has got end with its right to ask.
            app.isFirstParty, app.allows(returnURL: returnURL)
        else { return nil }
        let content = try events.vault.open(found.record)
        let requester = try await clients.find(content.payload.clientID, now: now)?.name
        var parameters = FormParameters()
        parameters.append("event_id", content.payload.eventID.rawValue)
        parameters.append("wallet_operation_id", content.payload.operationID.rawValue)
        let page = ConsentPage(
            step: .over(.over), operation: content.payload.operation,
            requester: requester ?? content.payload.clientID.rawValue, app: app.name, username: found.username,
            resetLocation: app.settings.resetCredentialsURLs.first, coolingPeriod: factors.coolingPeriod,
            returnLocation: returnURL.appending(parameters),
            appearance: try await .of(BrandID(found.account.brandID), in: events.ledger.database))
        let call = ConsentingApp(
            account: found.account, session: found.session, device: nil, client: app, thumbprint: nil, origin: origin,
            now: now, operation: found.record)
        return ConsentInteraction(
            events: events, factors: factors, ticket: ticket, record: found.record, content: content, call: call,
            page: page)
    }

    private struct Found: Sendable {
        var record: WalletOperationRecord
        var account: AccountRecord
        var session: SessionRecord
        var username: String
    }
}

/// What compares the factors of the page.
struct PageFactors: Sendable {
    let passwords: PasswordHasher
    /// The relying party of passkeys; `nil` if there are none.
    let party: PasskeyRelyingParty?
    let challenges: PasskeyChallenges
    let passkeys: PasskeyAuthentication
    let accountPINs: AccountPINGuesses
    /// How long a password that was reset may not suffice.
    let coolingPeriod: Duration
}
