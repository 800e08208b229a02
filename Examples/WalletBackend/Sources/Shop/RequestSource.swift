import HTTPTypes
import WalletAuthWire

/// Which site's page sent a request, as browsers tell by headers that no script can set.
struct RequestSource: Sendable {
    private let fetchSite: String?
    private let origin: String?

    init(_ headers: HTTPFields) {
        fetchSite = HTTPField.Name("Sec-Fetch-Site").flatMap { headers[$0] }
        origin = headers[.origin]
    }

    /// Whether it may be a page of a site, and of no other. `Sec-Fetch-Site` decides where there is one: it holds behind any proxy.
    /// Browsers send it to https alone, and older ones do not; those send `Origin`. Programs that are no browsers send neither.
    /// - Parameter url: where browsers reach the site.
    func isSite(at url: WebURL) -> Bool {
        if let fetchSite { return fetchSite == "same-origin" }
        return origin.map { $0 == url.origin } ?? true
    }
}

extension WebURL {
    /// Its origin, as browsers write it: without a path.
    fileprivate var origin: String {
        let scheme = rawValue.prefix { $0 != ":" }
        return scheme + "://" + rawValue.dropFirst(scheme.count + 3).prefix { $0 != "/" && $0 != "?" }
    }
}
