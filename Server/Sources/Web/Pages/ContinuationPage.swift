package import Core
internal import HTTPTypes
package import Kernel
package import WalletAuthWire

extension EndpointRequest {
    /// Whether a browser shows the answer in its window, rather than in a frame or to a script. Browsers report it over TLS and on
    /// localhost; other clients do not.
    package var isNavigation: Bool { headers[.secFetchDest] == "document" }

    /// Whether the answer may belong to a form of these pages, or to a redirect that followed one.
    package var mayFollowForm: Bool { isNavigation && headers[.secFetchSite] == "same-origin" }

    /// Whether another site's page sent the browser here, by what a modern browser reports. A bookmark and a mail program do not count.
    package var isFromAnotherSite: Bool {
        headers[.secFetchSite].map { $0 != "same-origin" && $0 != "none" } ?? false
    }
}

extension Pages {
    /// How a browser gets back to an app.
    package enum WayBack {
        case redirect
        /// Because the browser may still be following a form. `byItself` is false for a page that is loaded later, which has the link only.
        case page(byItself: Bool)
    }

    /// How long the page to an app's own scheme goes on by itself, for a slow network. The browser stays at it behind the app: who comes
    /// back to it later, or reloads it, must not be thrown into the app again.
    package static let patienceOfReturn = Duration.seconds(20)

    /// What a page says that leads to an app's own scheme. It stays in the browser when the app is open, so it says only what is certain.
    package struct Ending: Sendable {
        let heading: String
        let lead: String
        let summary: SummaryValues?
        let backLabel: String

        package init(heading: String, lead: String, summary: SummaryValues? = nil, backLabel: String) {
            self.heading = heading
            self.lead = lead
            self.summary = summary
            self.backLabel = backLabel
        }
    }

    /// Sends a browser back to an app.
    ///
    /// Chromium applies the `form-action` of a page also to every redirect after its form, and the app may redirect again, to hosts that
    /// no page can know. So the form ends at a page, and what the browser loads from there is no longer subject to the policy.
    ///
    /// After a redirect to an app's own scheme, a browser would still show the page with the form, and any error on it. The page says
    /// how the visit ended instead, and its link is a gesture for systems that open an app only after one.
    /// The browser stays at that page, so it has an address of its own if it answers a form: see ``PageAddress``.
    /// - Parameters:
    ///   - location: the redirect URI with its parameters.
    ///   - request: what the page answers.
    ///   - path: of the page's endpoint.
    ///   - appearance: the brand's look; `nil` for a page without one.
    ///   - locales: the languages of the request, best first.
    ///   - state: what the page shows, sealed; `nil` for a page without an address.
    ///   - ending: what the page says if it leads to an app's own scheme.
    package func back(
        to location: String, by way: WayBack, from request: EndpointRequest, at path: String,
        appearance: BrandAppearance?, locales: [LocaleTag] = [], state: String? = nil,
        ending: (BrandLanguage) -> Ending
    ) -> EndpointResponse {
        guard case .page(let byItself) = way else {
            // Always 303: the browser follows with a GET, so a password in this request's body is not forwarded.
            return EndpointResponse(status: .seeOther, headers: [.location: location])
        }
        if let page = redirect(from: request, to: path, locales, showing: state) { return page }
        let language = Language.choose(
            locales: locales.map(\.rawValue), acceptLanguage: request.context.acceptLanguage)
        let words = BrandLanguage(language, appearance?.texts)
        if let origin = Self.webOrigin(of: location) {
            let lead = words.text[.continueMessage, ["host": origin]]
            return continuation(to: location, lead: lead, appearance: appearance, language)
        }
        return byItself
            ? continuation(to: location, saying: ending(words), appearance: appearance, language)
            : onward(to: location, saying: ending(words), appearance: appearance, language)
    }

    /// The origin of an http or https URL, for people; `nil` for any other.
    private static func webOrigin(of url: String) -> String? {
        guard let scheme = ["https://", "http://"].first(where: { url.hasPrefix($0) }) else { return nil }
        return scheme + String(url.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" && $0 != "#" })
    }

    /// A page that continues by itself at another address. If the browser does not, the person follows the link.
    package func continuation(
        to url: String, lead: String, appearance: BrandAppearance?, _ language: Language
    ) -> EndpointResponse {
        let text = BrandLanguage(language, appearance?.texts).text
        let ending = Ending(heading: text[.continueHeading], lead: lead, backLabel: text[.continueLabel])
        return continuation(to: url, saying: ending, appearance: appearance, language)
    }

    private func continuation(
        to url: String, saying ending: Ending, appearance: BrandAppearance?, _ language: Language
    ) -> EndpointResponse {
        var response = onward(to: url, saying: ending, appearance: appearance, language)
        response.headers[.refresh] = "0;url=" + url
        return response
    }

    /// A page with a link to another address, which the person follows if they like.
    package func onward(
        to url: String, saying ending: Ending, appearance: BrandAppearance?, _ language: Language
    ) -> EndpointResponse {
        let look = appearance.map { BrandStyle($0) } ?? BrandStyle()
        let frame = frame(
            language, heading: ending.heading, lead: ending.lead, brandName: appearance?.name ?? ownName, look: look)
        let values = ContinuationValues(
            about: ending.summary, link: LinkValues(address: url, label: ending.backLabel))
        return response(.ok, values, in: frame, language, ContentPolicy(images: look.images))
    }
}
