package import Core

/// The parts of the server that may have a listener of their own.
package enum Listener: Sendable, Hashable, CaseIterable {
    /// Everything that no other listener has.
    case everyone
    /// The operators' console and `/admin/v1`.
    case operators
    /// `/metrics`.
    case metrics
}

/// Where the server listens, its limits, and the proxies it trusts.
///
/// The program fills it from flags, variables and files (`walletauth`).
///
/// The public base URL is deliberately absent: links, `iss` and metadata come from the issuer alone, so that neither
/// `Host` nor a forwarding header can influence them.
package struct HTTPConfiguration: Sendable {
    /// The address to bind. Port 0 picks a free port; `onReady` of ``HTTPServer/application(_:onReady:)`` gets its number.
    package var address: ListenAddress
    /// The address of a listener of its own for the operators; `nil` serves them at ``address``.
    package var operators: ListenAddress?
    /// The address of a listener of its own for `/metrics`, which then answers everyone who reaches it, on loopback under the hosts of this
    /// machine; `nil` serves it at ``address``.
    package var metricsListener: ListenAddress?
    /// Certificate and key files. `nil` serves plain HTTP, for loopback or behind a proxy that terminates TLS.
    package var tls: TLSFiles?
    /// How often the certificate files are checked for changes. Default 5 seconds.
    package var tlsReloadInterval: Duration = .seconds(5)
    /// Proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are trusted. If empty, both headers are ignored.
    package var trustedProxies: [AddressRange]
    package var metrics = MetricsAccess.loopback
    package var limits: HTTPLimits

    package init(
        address: ListenAddress, tls: TLSFiles? = nil, trustedProxies: [AddressRange] = [],
        limits: HTTPLimits = HTTPLimits()
    ) {
        self.address = address
        self.tls = tls
        self.trustedProxies = trustedProxies
        self.limits = limits
    }
}

package struct ListenAddress: Sendable, Hashable {
    /// A host name or an address literal, such as `127.0.0.1` or `::`.
    package var host: String
    /// A TCP port; 0 picks a free one.
    package var port: Int

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }
}

/// The PEM files of a TLS server. They are reloaded when they change, so a renewed certificate needs no restart.
package struct TLSFiles: Sendable, Hashable {
    /// The path of the certificate chain, leaf first.
    package var certificateChain: String
    package var privateKey: String

    package init(certificateChain: String, privateKey: String) {
        self.certificateChain = certificateChain
        self.privateKey = privateKey
    }
}

package enum MetricsAccess: Sendable {
    /// The path answers 404.
    case off
    /// Connections from this machine without a field of a proxy.
    case loopback
    /// Requests with this token in `Authorization: Bearer`.
    case token(String)
    /// Every connection: its listener is in a network of the operator's.
    case everyone
    /// Every connection under a host of this machine's: its listener is at a loopback address, at which a web page can point its own name.
    /// - Parameter address: of the path there, for the refusal of another host.
    case ownHosts(address: String)
}

extension HTTPConfiguration {
    /// Who gets the metrics, wherever they are.
    var metricsAccess: MetricsAccess {
        guard let own = metricsListener else { return metrics }
        guard own.host == "localhost" || NetworkAddress(own.host)?.isLoopback == true else { return .everyone }
        let host = own.host.contains(":") ? "[\(own.host)]" : own.host
        let scheme = tls == nil ? "http" : "https"
        return .ownHosts(address: "\(scheme)://\(host):\(own.port)\(MetricsEndpoint.path)")
    }

    /// The address of a listener; `nil` if the server has no such listener.
    func address(of listener: Listener) -> ListenAddress? {
        switch listener {
        case .everyone: address
        case .operators: operators
        case .metrics: metricsListener
        }
    }
}

/// Limits per connection and per request. Everything a client can make grow has one.
package struct HTTPLimits: Sendable {
    /// The largest request body in bytes. A larger one gets 413.
    package var maxBodyBytes = 64 * 1024
    /// The most header fields in a request. More get 400, and the connection closes.
    package var maxHeaderFields = 100
    /// The most bytes in all header fields together.
    package var maxHeaderBytes = 32 * 1024
    /// The time limit for a request body, from the head to its last byte.
    package var bodyDeadline: Duration
    /// The time limit for an idle connection, for a request head, and for answers that the client does not read.
    package var idleTimeout: Duration
    package var handshakeDeadline: Duration
    /// The most open connections. Further ones wait in the kernel's queue.
    package var maxConnections = 10_000
    /// The most open connections of one peer that is no trusted proxy; more are closed. Over HTTP/2, each concurrent
    /// request beyond the first counts as another connection.
    package var maxConnectionsPerPeer: Int

    package init(
        bodyDeadline: Duration = .seconds(15), idleTimeout: Duration = .seconds(60),
        handshakeDeadline: Duration = .seconds(10), maxConnectionsPerPeer: Int = 256
    ) {
        self.bodyDeadline = bodyDeadline
        self.idleTimeout = idleTimeout
        self.handshakeDeadline = handshakeDeadline
        self.maxConnectionsPerPeer = maxConnectionsPerPeer
    }
}
