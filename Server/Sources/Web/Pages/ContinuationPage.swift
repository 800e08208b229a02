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
}

extension Pages {
    /// How a browser gets back to an app.
    package enum WayBack {
        case redirect
        /// Because the browser may still be following a form.
        case page
    }

    /// Sends a browser back to an app.
    ///
    /// Chromium applies the `form-action` of a page also to every redirect after its form, and the app may redirect again, to hosts that
    /// no page can know. So the form ends at a page, and what the browser loads from there is no longer subject to the policy.
    ///
    /// An app's own scheme is the last redirect in any case. It follows the form directly, since systems that open apps only after a
    /// gesture count the press of the button.
    /// - Parameters:
    ///   - location: the redirect URI with its parameters.
    ///   - appearance: the brand's look; `nil` for a page without one.
    ///   - locales: the languages of the request, best first.
    package func back(
        to location: String, by way: WayBack, appearance: BrandAppearance?, locales: [LocaleTag] = [],
        acceptLanguage: String?
    ) -> EndpointResponse {
        guard case .page = way, let origin = Self.webOrigin(of: location) else {
            // Always 303: the browser follows with a GET, so a password in this request's body is not forwarded.
            return EndpointResponse(status: .seeOther, headers: [.location: location])
        }
        let language = Language.choose(locales: locales.map(\.rawValue), acceptLanguage: acceptLanguage)
        let lead = BrandLanguage(language, appearance?.texts).text[.continueMessage, ["host": origin]]
        return continuation(to: location, lead: lead, appearance: appearance, language)
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
        let look = appearance.map { BrandStyle($0) } ?? BrandStyle()
        let frame = frame(
            language, heading: text[.continueHeading], lead: lead, brandName: appearance?.name ?? ownName,
            look: look)
        let values = ContinuationValues(link: LinkValues(address: url, label: text[.continueLabel]))
        var response = response(.ok, values, in: frame, language, ContentPolicy(images: look.images))
        response.headers[.refresh] = "0;url=" + url
        return response
    }
}
