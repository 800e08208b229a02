import HTTPTypes
import WalletAuthWire

/// The site whose page sent a request, according to headers that scripts cannot set.
struct RequestSource: Sendable {
    private let fetchSite: String?
    private let origin: String?

    init(_ headers: HTTPFields) {
        fetchSite = HTTPField.Name("Sec-Fetch-Site").flatMap { headers[$0] }
        origin = headers[.origin]
    }

    /// Whether the request may come from a page of this site, and of no other. `Sec-Fetch-Site` decides if present: it
    /// is right behind any proxy. Browsers send it to https only, and older ones not at all; those send `Origin`.
    /// Programs that are not browsers send neither.
    ///
    /// - Parameter url: the URL at which browsers reach the site.
    func isSite(at url: WebURL) -> Bool {
        if let fetchSite { return fetchSite == "same-origin" }
        return origin.map { $0 == url.origin } ?? true
    }
}

extension WebURL {
    /// The URL's origin, in the browsers' format: without a path.
    fileprivate var origin: String {
        let scheme = rawValue.prefix { $0 != ":" }
        return scheme + "://" + rawValue.dropFirst(scheme.count + 3).prefix { $0 != "/" && $0 != "?" }
    }
}
