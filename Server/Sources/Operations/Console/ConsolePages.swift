internal import Core
internal import HTTPTypes
internal import Kernel
internal import SignIn
internal import WalletAuthWire
internal import Web

/// Renders the console, in the language of the browser and in the look of the server itself.
struct ConsolePages: Sendable {
    let pages: Pages
    let language: Language
    /// The base of the sign-in that may follow a form, if it is at another origin.
    private let signIn: Issuer?
    /// Whose browser it is, and the form that signs them out.
    private var person: (name: String, form: PageFormValues)?

    /// - Parameter isElsewhere: whether people sign in at another origin than the console's.
    init(pages: Pages, language: Language, isElsewhere: Bool) {
        (self.pages, self.language) = (pages, language)
        signIn = isElsewhere ? pages.issuer : nil
    }

    mutating func setPerson(_ name: String, signingOutBy form: AccountPage.Form) {
        let action = address(ConsoleEndpoints.accountPath)
        person = (name, PageFormValues(action: action, request: form.request, csrf: form.csrf))
    }

    var text: Texts<ConsoleText> { language.consoleText }
    var common: Texts<PageText> { language.text }

    func response(
        _ status: HTTPResponse.Status = .ok, heading: String, lead: String, isFault: Bool = false,
        _ values: ConsoleValues
    ) -> EndpointResponse {
        // An error comes first in the title, which a screen reader reads when the page has loaded.
        let title = isFault ? "\(common[.faultHeading]) – \(heading)" : heading
        let frame = pages.frame(language, title: title, heading: heading, lead: lead, brandName: pages.ownName)
        var values = values
        if let person {
            values.form = values.form ?? person.form
            values.signedIn = .init(
                line: text[.signedInAs, ["name": person.name]],
                signOut: ButtonValues(value: ConsoleEndpoints.signOut, label: text[.signOutLabel]))
        }
        let policy = ContentPolicy(formTargets: signIn.map { [$0.rawValue] } ?? [])
        return pages.response(status, values, in: frame, language, policy)
    }

    func address(_ path: String, _ parameters: [(String, String?)] = []) -> String {
        var query = FormParameters()
        for (name, value) in parameters { query.append(name, value) }
        let address = pages.issuer.pathPrefix + path
        return query.parameters.isEmpty ? address : address + "?" + query.encoded
    }

    func address(ofAccount id: String) -> String { address(ConsoleEndpoints.accountPath, [("id", id)]) }

    // MARK: - Instead of a page

    /// It says nothing of what the console has.
    /// - Parameter brand: of the operators that the request names.
    func noRole(operatorsOf brand: BrandID?) -> EndpointResponse {
        var values = ConsoleValues()
        values.wayOn = LinkValues(
            address: address(
                ConsoleEndpoints.path,
                [(ConsoleEndpoints.anotherAccount, "yes"), (ConsoleEndpoints.operators, brand?.rawValue)]),
            label: text[.anotherLabel])
        values.links = [
            LinkValues(
                address: pages.issuer.url(path: Endpoints.accountPage.path), label: common[.accountLinkLabel])
        ]
        return response(.forbidden, heading: text[.noRoleHeading], lead: text[.noRole], values)
            .refused("forbidden_role")
    }

    func recovered(until end: Timestamp, retryAfter seconds: Int64) -> EndpointResponse {
        let time = language.moment(of: end.roundedUpToMinute)
        var response = response(
            .forbidden, heading: text[.noRoleHeading], lead: text[.recovered, ["time": time]], ConsoleValues())
        response.headers[.retryAfter] = String(seconds)
        return response.refused("recovery_cooling")
    }

    /// A page that a refusal takes the place of.
    func fault(_ fault: ConsoleFault) -> EndpointResponse {
        var values = ConsoleValues()
        values.links = [LinkValues(address: address(ConsoleEndpoints.path), label: text[.searchAgain])]
        switch fault {
        case .heldBack(let wait):
            var response = response(
                .tooManyRequests, heading: common[.faultHeading],
                lead: common[.tooManyAttempts, waiting: wait.seconds], values)
            response.headers[.retryAfter] = String(wait.seconds)
            return response.refused("too_many_attempts")
        case .refused(let refusal):
            let status = AdminEndpoints.status(of: refusal.code)
            values.detail = detail(of: refusal)
            var response = response(
                status, heading: common[.faultHeading], lead: sentence(for: refusal.code, refusal.decision), values)
            if status == .serviceUnavailable { response.headers[.retryAfter] = "1" }
            return response.refused(refusal.code)
        }
    }

    // MARK: - Refusals

    /// What a refusal's code says to people.
    /// - Parameter decision: why a role does not allow it.
    func sentence(for code: String, _ decision: OperatorDecision? = nil) -> String {
        switch code {
        case "forbidden_role":
            switch decision {
            case .brand: text[.faultBrand]
            case .ownAccount: text[.faultOwnAccount]
            case .administration: text[.faultAdministration]
            case .role, .unknown, .allowed, nil: text[.faultForbidden]
            }
        case "not_found": text[.faultNotFound]
        case "last_owner": text[.faultLastOwner]
        case CallMark.formUsed: text[.faultFormUsed]
        case OperatorApproval.pending: text[.faultSecondOperator]
        case "ambiguous": text[.faultSeveral]
        case "busy": text[.faultBusy]
        case "outcome_unknown": text[.faultUncertain]
        default:
            switch AdminEndpoints.status(of: code) {
            case .badRequest: text[.faultMalformed]
            case .serviceUnavailable: common[.unavailable]
            case .internalServerError: text[.faultServer]
            default: text[.faultUnchanged]
            }
        }
    }

    /// The server's own words where a code says less; `nil` where the sentence for it says all.
    func detail(of refusal: AdministrationRefusal) -> String? {
        switch refusal.code {
        case "forbidden_role", "not_found", "last_owner", "ambiguous", "busy", "outcome_unknown", CallMark.formUsed,
            OperatorApproval.pending:
            nil
        default: refusal.message
        }
    }
}
