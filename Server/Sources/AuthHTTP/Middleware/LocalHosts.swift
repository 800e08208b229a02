import AuthCore
import HTTPTypes
import Hummingbird
import WalletAuthWire

/// The hosts under which this server answers what is for its own machine: its issuer's, and loopback on any port.
///
/// A page on the web can have its own name lead to 127.0.0.1 (DNS rebinding) and then reads, as its own origin, whatever
/// answers there. The name stays in `Host`, which a page cannot set. Forwarding headers say nothing here: a page may send
/// them.
struct LocalHosts: Sendable {
    let issuer: Issuer

    /// - Parameter path: the route's, so that a refusal can name the address to use.
    /// - Throws: ``RequestFault/foreignHost(address:)``.
    func check(_ request: Request, at path: String) throws(RequestFault) {
        // The first Host is the authority; a second one leaves open which of them counts (RFC 9112 §3.2).
        guard !request.headers.contains(Self.host), let authority = request.head.authority, contain(authority) else {
            throw .foreignHost(address: issuer.url(path: path))
        }
    }

    /// - Parameter authority: a host, with or without a port.
    func contain(_ authority: String) -> Bool {
        guard let host = HostField(authority)?.host else { return false }
        if host == "localhost" || host == issuer.host { return true }
        return NetworkAddress(host)?.isLoopback ?? false
    }

    private static let host = HTTPField.Name("Host") ?? .origin
}
