package import AuthCore

/// Where and how the server listens, and whom it believes about the network.
///
/// Nothing here names the public base URL: links, `iss` and metadata come from the issuer alone, so that neither `Host`
/// nor any forwarding header can ever flow into them.
package struct HTTPConfiguration: Sendable {
    /// The address to bind. Port 0 takes a free one, told by `onReady` of ``HTTPServer/make(server:configuration:logger:onReady:)``.
    package var address: ListenAddress
    /// Certificate and key files; `nil` serves plain HTTP, for loopback or behind a proxy that ends TLS.
    package var tls: TLSFiles?
    /// How often the certificate files are looked at. Default 5 seconds.
    package var tlsReloadInterval: Duration = .seconds(5)
    /// Proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed. Empty: both headers are ignored.
    package var trustedProxies: [AddressRange]
    /// Who may read `/metrics`.
    package var metrics: MetricsAccess
    /// What a connection and a request may take.
    package var limits: HTTPLimits

    /// - Parameters:
    ///   - address: the address to bind.
    ///   - tls: certificate and key files, or `nil` for plain HTTP.
    ///   - trustedProxies: the proxies whose forwarding headers are believed.
    ///   - metrics: who may read `/metrics`.
    ///   - limits: what a connection and a request may take.
    package init(
        address: ListenAddress,
        tls: TLSFiles? = nil,
        trustedProxies: [AddressRange] = [],
        metrics: MetricsAccess = .loopback,
        limits: HTTPLimits = HTTPLimits()
    ) {
        self.address = address
        self.tls = tls
        self.trustedProxies = trustedProxies
        self.metrics = metrics
        self.limits = limits
    }
}

/// A host and port to listen on.
package struct ListenAddress: Sendable, Hashable {
    /// A host name or address literal, such as `127.0.0.1` or `::`.
    package var host: String
    /// A TCP port; 0 takes a free one.
    package var port: Int

    /// - Parameters:
    ///   - host: a host name or address literal.
    ///   - port: a TCP port; 0 takes a free one.
    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }
}

/// The PEM files of a TLS server. They are read again when they change, so a renewed certificate needs no restart.
package struct TLSFiles: Sendable, Hashable {
    /// The path of the certificate chain, leaf first.
    package var certificateChain: String
    /// The path of the private key.
    package var privateKey: String

    /// - Parameters:
    ///   - certificateChain: the path of the PEM certificate chain, leaf first.
    ///   - privateKey: the path of the PEM private key.
    package init(certificateChain: String, privateKey: String) {
        self.certificateChain = certificateChain
        self.privateKey = privateKey
    }
}

/// Who may read `/metrics`.
package enum MetricsAccess: Sendable {
    /// Nobody: the path answers 404.
    case off
    /// Connections from this machine that carry no forwarding header.
    case loopback
    /// Whoever presents this token as `Authorization: Bearer`.
    case token(String)
}

/// What a connection and a request may take. Everything a stranger can make grow has a limit.
package struct HTTPLimits: Sendable {
    /// The largest request body in bytes; more is 413.
    package var maxBodyBytes: Int
    /// The most header fields of one request; more is 400 and the end of the connection.
    package var maxHeaderFields: Int
    /// The most bytes of all header fields together.
    package var maxHeaderBytes: Int
    /// How long a request body may take from its head to its end.
    package var bodyDeadline: Duration
    /// How long a connection may stay silent, and how long a request head may take.
    package var idleTimeout: Duration
    /// How long a TLS handshake may take.
    package var handshakeDeadline: Duration
    /// The most open connections; more wait in the kernel's queue.
    package var maxConnections: Int
    /// The most open connections of one peer, trusted proxies excepted; more are closed.
    package var maxConnectionsPerPeer: Int

    /// - Parameters:
    ///   - maxBodyBytes: the largest request body in bytes.
    ///   - maxHeaderFields: the most header fields of one request.
    ///   - maxHeaderBytes: the most bytes of all header fields together.
    ///   - bodyDeadline: how long a request body may take.
    ///   - idleTimeout: how long a connection may stay silent.
    ///   - handshakeDeadline: how long a TLS handshake may take.
    ///   - maxConnections: the most open connections.
    ///   - maxConnectionsPerPeer: the most open connections of one peer.
    package init(
        maxBodyBytes: Int = 64 * 1024,
        maxHeaderFields: Int = 100,
        maxHeaderBytes: Int = 32 * 1024,
        bodyDeadline: Duration = .seconds(15),
        idleTimeout: Duration = .seconds(60),
        handshakeDeadline: Duration = .seconds(10),
        maxConnections: Int = 10_000,
        maxConnectionsPerPeer: Int = 256
    ) {
        self.maxBodyBytes = maxBodyBytes
        self.maxHeaderFields = maxHeaderFields
        self.maxHeaderBytes = maxHeaderBytes
        self.bodyDeadline = bodyDeadline
        self.idleTimeout = idleTimeout
        self.handshakeDeadline = handshakeDeadline
        self.maxConnections = maxConnections
        self.maxConnectionsPerPeer = maxConnectionsPerPeer
    }
}
