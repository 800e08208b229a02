internal import Core
internal import Kernel
internal import SignIn
internal import WalletAuthWire

/// The sealed content of a link to the consent page: one event, one method, one account.
///
/// Anyone with the link can see the page. It signs no one in, consents to nothing by itself and opens nothing else. A later
/// challenge of the event voids it, and so does the end of the event.
struct ConsentTicket: Codable, Sendable {
    /// A UUID.
    var event: String
    /// The account of the operation, as a UUID.
    var account: String
    /// The challenged method; its channel is ``WalletAuthWire/SCAChannel/redirect``.
    var method: String
    /// Identifies the challenge: the event's row stores its digest.
    var mark: String
    /// The page's return URL. It was registered for the client when the ticket was created.
    var returnURL: String

    /// The challenged method; `nil` if the ticket does not contain a valid one.
    var verification: SCAVerification? {
        SCAMethod(rawValue: method).flatMap { try? SCAVerification(method: $0, channel: .redirect) }
    }

    /// The digest of the challenge in the event's row.
    var digest: [UInt8] { Digests.of("consent-page", Array(mark.utf8)) }
}

/// The sealed content of the page's form, and of the address of a page that answers one.
struct ConsentPageState: Codable, Sendable {
    /// What a form came to, as far as the event itself does not say it.
    struct Answer: Codable, Sendable {
        var notice: ConsentPage.Notice?
        var end: ConsentPage.End?
        /// The page leads to the app's own scheme.
        var departure: ConsentPage.Departure?
        var at: Timestamp
    }

    var ticket: ConsentTicket
    /// The browser that got the page: a digest of its binding cookie.
    var binding: [UInt8]
    /// `nil` for the page that the link opens.
    var answer: Answer?
}

/// Seals and opens links to the page and its forms.
struct ConsentSeal: Sendable {
    let sealing: SealingKeys
    let pages: PageSeal
    let issuer: Issuer

    private var tickets: SealedState<ConsentTicket> {
        SealedState(sealing, purpose: .page, label: "consent-ticket", lifetime: SCALimits.eventLifetime)
    }
    private var states: SealedState<ConsentPageState> {
        SealedState(sealing, purpose: .page, label: "consent-page", lifetime: SCALimits.eventLifetime)
    }

    func link(_ ticket: ConsentTicket, now: Timestamp) throws -> WebURL {
        var query = FormParameters()
        query.append("ticket", try tickets.seal(ticket, now: now))
        return try WebURL(issuer.url(path: Endpoints.consentPage.path) + "?" + query.encoded)
    }

    /// The ticket of a link; `nil` if it is forged or too old.
    func open(_ ticket: String, now: Timestamp) -> ConsentTicket? { tickets.open(ticket, now: now) }

    /// The hidden fields of a page. The first one is also the state in its address.
    func fields(
        _ ticket: ConsentTicket, _ answer: ConsentPageState.Answer, binding: String, now: Timestamp
    ) throws -> (request: String, csrf: String) {
        let state = ConsentPageState(ticket: ticket, binding: PageSeal.digest(of: binding), answer: answer)
        let request = try states.seal(state, now: now)
        return (request, pages.token(for: request, binding: binding, key: try sealing.keyRing.active(.page)))
    }

    /// A form that arrived; see ``PageSeal/Form``.
    enum Form {
        case current(ConsentPageState)
        /// Genuine, but bound to another cookie. It counts as the link alone.
        case unbound(ConsentTicket)
        case refused
    }

    func open(_ request: String, csrf: String, binding: String?, now: Timestamp) -> Form {
        let form = open(address: request, binding: binding, now: now)
        guard case .current = form, let binding else { return form }
        return pages.isGenuine(csrf, for: request, binding: binding, now: now) ? form : .refused
    }

    /// Opens the state in the address of a page. It has no form's token, since showing a page changes nothing.
    func open(address request: String, binding: String?, now: Timestamp) -> Form {
        guard let binding, Base64URL.decode(binding)?.count == 32, let state = states.open(request, now: now) else {
            return .refused
        }
        guard ConstantTime.equal(state.binding, PageSeal.digest(of: binding)) else { return .unbound(state.ticket) }
        return .current(state)
    }

    /// The ticket of a genuine link, however old; see ``openExpired(form:)``.
    func openExpired(link: String) -> ConsentTicket? { tickets.openExpired(link) }

    /// The ticket of a genuine form, however old. It tells an error page how to look, and counts for nothing else.
    func openExpired(form: String) -> ConsentTicket? { states.openExpired(form)?.ticket }

    /// The binding cookie's value: the presented one if it is valid, otherwise a new one.
    func binding(_ presented: String?) -> String { pages.binding(presented) }
}
