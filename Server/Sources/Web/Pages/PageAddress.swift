internal import HTTPTypes
package import WalletAuthWire

/// The address of a page that answers a form.
///
/// A browser that reloads a page which answered a POST, or comes back to it, asks whether to send the form again. So a form is answered by a
/// redirect to a GET, whose query has what the page shows: sealed, and worth nothing without the cookie of the browser that it was sealed for.
package enum PageAddress {
    /// The parameter of the query.
    package static let parameter = "page"
    /// Proxies commonly take 8 kB for the first line of a request.
    fileprivate static let mostBytes = 6_000
}

extension Pages {
    /// Leads a browser from a form to its page.
    /// - Parameters:
    ///   - request: what the page answers.
    ///   - path: of the page's endpoint.
    ///   - locales: the languages of the request (`ui_locales`), best first. Error pages find them there.
    ///   - state: what the page shows, sealed; `nil` for a page without an address.
    ///   - always: also if it answers no form.
    /// - Returns: `nil` if the request is to be answered by the page itself: it is no form, or the address would be too long, as with a very
    ///   long request of an app.
    package func redirect(
        from request: EndpointRequest, to path: String, _ locales: [LocaleTag] = [], showing state: String?,
        always: Bool = false
    ) -> EndpointResponse? {
        guard always || request.head.method == .post, let state else { return nil }
        var query = FormParameters()
        let languages = locales.prefix(8).map(\.rawValue).joined(separator: " ")
        query.append("ui_locales", languages.isEmpty ? nil : languages)
        query.append(PageAddress.parameter, state)
        let location = issuer.url(path: path) + "?" + query.encoded
        guard location.utf8.count <= PageAddress.mostBytes else { return nil }
        // Always 303: the browser follows with a GET, so a password in this request's body is not forwarded.
        return EndpointResponse(status: .seeOther, headers: [.location: location])
    }
}
