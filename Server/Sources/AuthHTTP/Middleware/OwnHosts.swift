import AuthCore
import HTTPTypes
import Hummingbird
import WalletAuthWire

/// The hosts under which this server answers what is for its own machine: its issuer's, and loopback on any port.
///
/// A page on the web can have its own name lead to 127.0.0.1 (DNS rebinding) and then reads, as its own origin, whatever
/// answers there. The name stays in `Host`, which a page cannot set. Forwarding headers say nothing here: a page may send
/// them.
struct OwnHosts: Sendable {
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
        guard let host = Self.host(of: authority) else { return false }
        if host.hasPrefix("[") { return NetworkAddress(host)?.isLoopback ?? false || host == issuer.host }
        if host == "localhost" || host == issuer.host { return true }
        return NetworkAddress(host)?.isLoopback ?? false
    }

    /// The host in lower case, an IPv6 address in its brackets; `nil` where the text is none with a port or without.
    private static func host(of authority: String) -> String? {
        var host = authority.lowercased()[...]
        let end =
            host.hasPrefix("[") ? host.firstIndex(of: "]").map { host.index(after: $0) } : host.firstIndex(of: ":")
        guard let end = end ?? (host.hasPrefix("[") ? nil : host.endIndex) else { return nil }
        let port = host[end...]
        host = host[..<end]
        guard !host.isEmpty,
            port.isEmpty || (port.first == ":" && port.dropFirst().utf8.allSatisfy { (0x30...0x39).contains($0) })
        else { return nil }
        return String(host)
    }

    private static let host = HTTPField.Name("Host") ?? .origin
}
