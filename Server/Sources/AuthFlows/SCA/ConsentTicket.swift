internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

/// What the link to the page carries, sealed, where a person agrees to an operation: one event, one way, one account.
///
/// Whoever has the link may look at the page. It signs nobody in, agrees to nothing by itself and opens nothing else; a later
/// challenge of the event voids it, and so does the event's end.
struct ConsentTicket: Codable, Sendable {
    /// The event, as a UUID.
    var event: String
    /// Whose operation it is, as a UUID.
    var account: String
    /// The method that was challenged; its channel is ``WalletAuthWire/SCAChannel/redirect``.
    var method: String
    /// Names the challenge: the event's row keeps its digest.
    var mark: String
    /// Where the page comes back to; it was the client's when the ticket was made.
    var returnURL: String

    /// The way that was challenged; `nil` for what no ticket of ours says.
    var verification: SCAVerification? {
        SCAMethod(rawValue: method).flatMap { try? SCAVerification(method: $0, channel: .redirect) }
    }

    /// What the event's row keeps of the challenge.
    var digest: [UInt8] { Digests.of("consent-page", Array(mark.utf8)) }
}

/// What the page's form carries sealed.
struct ConsentPageState: Codable, Sendable {
    /// The page's ticket.
    var ticket: ConsentTicket
    /// The browser that was shown the page: a digest of its binding cookie.
    var binding: [UInt8]
}

/// Seals and opens links to the page and its forms.
struct ConsentSeal: Sendable {
    let context: ServerContext

    private var pages: PageSeal { PageSeal(context: context) }
    private var tickets: SealedState<ConsentTicket> {
        SealedState(context: context, purpose: .page, label: "consent-ticket", lifetime: SCALimits.eventLifetime)
    }
    private var states: SealedState<ConsentPageState> {
        SealedState(context: context, purpose: .page, label: "consent-page", lifetime: SCALimits.eventLifetime)
    }

    /// The link to the page.
    func link(_ ticket: ConsentTicket, now: Timestamp) throws -> WebURL {
        var query = FormParameters()
        query.append("ticket", try tickets.seal(ticket, now: now))
        return try WebURL(context.settings.issuer.url(path: Endpoints.consentPage.path) + "?" + query.encoded)
    }

    /// The ticket of a link; `nil` for a forged or an old one.
    func open(_ ticket: String, now: Timestamp) -> ConsentTicket? { tickets.open(ticket, now: now) }

    /// The hidden fields of the page's forms.
    func fields(_ ticket: ConsentTicket, binding: String, now: Timestamp) throws -> (request: String, csrf: String) {
        let state = ConsentPageState(ticket: ticket, binding: PageSeal.digest(of: binding))
        let request = try states.seal(state, now: now)
        return (request, pages.token(for: request, binding: binding, key: try context.keyRing.active(.page)))
    }

    /// The ticket of a form that this browser was served; `nil` for a forged, foreign or stale one.
    func open(_ request: String, csrf: String, binding: String?, now: Timestamp) -> ConsentTicket? {
        guard let binding, pages.isGenuine(csrf, for: request, binding: binding, now: now),
            let state = states.open(request, now: now),
            ConstantTime.equal(state.binding, PageSeal.digest(of: binding))
        else { return nil }
        return state.ticket
    }

    /// The value of the binding cookie, made new where the browser brought none of ours.
    func binding(_ presented: String?) -> String { pages.binding(presented) }
}
