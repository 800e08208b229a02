internal import Core
package import Kernel
package import SignIn
internal import WalletAuthWire

/// The page on which a person consents to an operation in the browser.
///
/// The browser need not be signed in, and it does not matter if it is: the link names the operation, and the factor that the
/// account's holder proves on the page identifies the person.
package struct ConsentPages: Sendable {
    package let context: ServerContext

    package init(context: ServerContext) { self.context = context }

    private var seal: ConsentSeal { ConsentSeal(context: context) }

    /// Opens the page.
    /// - Parameter ticket: the link's parameter.
    package func open(
        ticket: String, cookies: BrowserCookies, origin: RequestOrigin
    ) async throws -> ConsentPageAnswer {
        let now = context.clock.now()
        guard let ticket = seal.open(ticket, now: now),
            let interaction = try await ConsentInteraction.load(ticket, in: context, origin: origin, now: now)
        else { return ConsentPageAnswer(outcome: .stale, cookies: []) }
        return try answer(try await interaction.open(), of: interaction, cookies: cookies)
    }

    /// Handles a form of the page.
    package func submit(
        _ submission: PageSubmission<ConsentPage.Action>, cookies: BrowserCookies, origin: RequestOrigin
    ) async throws -> ConsentPageAnswer {
        let now = context.clock.now()
        let ticket: ConsentTicket
        var isCurrent = true
        switch seal.open(submission.request, csrf: submission.csrf, binding: cookies.binding, now: now) {
        case .current(let opened): ticket = opened
        case .unbound(let opened):
            ticket = opened
            isCurrent = false
        case .refused: return ConsentPageAnswer(outcome: .stale, cookies: [])
        }
        guard let interaction = try await ConsentInteraction.load(ticket, in: context, origin: origin, now: now) else {
            return ConsentPageAnswer(outcome: .stale, cookies: [])
        }
        if !isCurrent {
            // Cancelling changes nothing, so the form need not count.
            guard case .cancel = submission.action else {
                let link = try seal.link(ticket, now: now)
                return ConsentPageAnswer(outcome: .restart(location: link.rawValue), cookies: [])
            }
        }
        let shown: ConsentInteraction.Shown
        switch submission.action {
        case .cancel: shown = .leave
        case .refuse: shown = try await interaction.refuse()
        case .agree(let password): shown = try await interaction.agree(by: password)
        case .agreeByPIN(let pin): shown = try await interaction.agree(byPIN: pin)
        case .usePasskey(let response): shown = try await interaction.agree(by: response, binding: cookies.binding)
        }
        return try answer(shown, of: interaction, cookies: cookies)
    }

    private func answer(
        _ shown: ConsentInteraction.Shown, of interaction: ConsentInteraction, cookies: BrowserCookies
    ) throws -> ConsentPageAnswer {
        var page = interaction.page
        switch shown {
        case .leave:
            return ConsentPageAnswer(outcome: .leave(location: page.returnLocation, page.appearance), cookies: [])
        case .over(let end):
            page.step = .over(end)
            return ConsentPageAnswer(outcome: .page(page), cookies: [])
        case .asking(let factor, let notice):
            page.step = .asking(factor)
            page.notice = notice
            let binding = seal.binding(cookies.binding)
            if case .passkey = factor { page.passkey = try interaction.passkeyOptions(binding: binding) }
            let fields = try seal.fields(interaction.ticket, binding: binding, now: interaction.call.now)
            page.form = ConsentPage.Form(request: fields.request, csrf: fields.csrf)
            return ConsentPageAnswer(
                outcome: .page(page),
                cookies: binding == cookies.binding ? [] : [CookieChange(cookie: .binding, value: binding)])
        }
    }
}
