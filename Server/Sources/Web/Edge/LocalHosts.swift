internal import Core
internal import HTTPTypes
package import WalletAuthWire

/// The hosts that may be used for routes reserved to this machine: the issuer's host, and loopback on any port.
///
/// A web page can point its own name at 127.0.0.1 (DNS rebinding) and then reads everything that answers there as its
/// own origin. But the name remains in `Host`, which a page cannot set. No name is believed from forwarding headers, because
/// a page can send them.
///
/// A tunnel or proxy on this machine may rewrite `Host` to a loopback name, for anyone who knows its address. Unless it is
/// configured as a proxy, what it passes on is refused.
package struct LocalHosts: Sendable {
    let issuer: Issuer

    package init(issuer: Issuer) { self.issuer = issuer }

    /// - Parameter path: the path of the route, so that a refusal can name the address to use.
    /// - Throws: ``RequestFault/unknownPath`` for a request from an unknown proxy, and ``RequestFault/foreignHost(address:)``.
    package func check(_ request: EndpointRequest, at path: String) throws(RequestFault) {
        guard !request.context.client.isFromUnknownProxy else { throw .unknownPath }
        // The first `Host` becomes the authority. A second one makes it ambiguous which one counts (RFC 9112 §3.2).
        guard !request.headers.contains(.hostField), let authority = request.head.authority, contain(authority) else {
            throw .foreignHost(address: issuer.url(path: path))
        }
    }

    /// Whether a form came from this site. Another page in the developer's browser must not be able to change the sandbox. Programs send
    /// neither header.
    package func isOfThisSite(_ request: EndpointRequest) -> Bool {
        if let site = request.headers[.secFetchSite] { return site == "same-origin" || site == "none" }
        guard let origin = request.headers[.origin] else { return true }
        return (try? WebURL(origin)).map { contain($0.host) } ?? false
    }

    /// - Parameter authority: a host, with or without a port.
    package func contain(_ authority: String) -> Bool {
        guard let host = HostField(authority)?.host else { return false }
        if host == "localhost" || host == issuer.host { return true }
        return NetworkAddress(host)?.isLoopback ?? false
    }
}
