public import AuthCore

/// Where and how the server listens, and whom it believes about the network.
///
/// Nothing here names the public base URL: links, `iss` and metadata come from the issuer alone, so that neither `Host`
/// nor any forwarding header can ever flow into them.
public struct HTTPConfiguration: Sendable {
    /// The address to bind. Port 0 takes a free one, told by `onReady` of ``HTTPServer/make(server:configuration:logger:onReady:)``.
    public var address: ListenAddress
    /// Certificate and key files; `nil` serves plain HTTP, for loopback or behind a proxy that ends TLS.
    public var tls: TLSFiles?
    /// How often the certificate files are looked at. Default 5 seconds.
    public var tlsReloadInterval: Duration = .seconds(5)
    /// Proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed. Empty: both headers are ignored.
    public var trustedProxies: [AddressRange]
    /// Who may read `/metrics`.
    public var metrics: MetricsAccess
    /// What a connection and a request may take.
    public var limits: HTTPLimits

    /// - Parameters:
    ///   - address: the address to bind.
    ///   - tls: certificate and key files, or `nil` for plain HTTP.
    ///   - trustedProxies: the proxies whose forwarding headers are believed.
    ///   - metrics: who may read `/metrics`.
    ///   - limits: what a connection and a request may take.
    public init(
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
public struct ListenAddress: Sendable, Hashable {
    /// A host name or address literal, such as `127.0.0.1` or `::`.
    public var host: String
    /// A TCP port; 0 takes a free one.
    public var port: Int

    /// - Parameters:
    ///   - host: a host name or address literal.
    ///   - port: a TCP port; 0 takes a free one.
    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }
}

/// The PEM files of a TLS server. They are read again when they change, so a renewed certificate needs no restart.
public struct TLSFiles: Sendable, Hashable {
    /// The path of the certificate chain, leaf first.
    public var certificateChain: String
    /// The path of the private key.
    public var privateKey: String

    /// - Parameters:
    ///   - certificateChain: the path of the PEM certificate chain, leaf first.
    ///   - privateKey: the path of the PEM private key.
    public init(certificateChain: String, privateKey: String) {
        self.certificateChain = certificateChain
        self.privateKey = privateKey
    }
}

/// Who may read `/metrics`.
public enum MetricsAccess: Sendable {
    /// Nobody: the path answers 404.
    case off
    /// Connections from this machine that carry no forwarding header.
    case loopback
    /// Whoever presents this token as `Authorization: Bearer`.
    case token(String)
}

/// What a connection and a request may take. Everything a stranger can make grow has a limit.
public struct HTTPLimits: Sendable {
    /// The largest request body in bytes; more is 413.
    public var maxBodyBytes: Int
    /// The most header fields of one request; more is 400 and the end of the connection.
    public var maxHeaderFields: Int
    /// The most bytes of all header fields together.
    public var maxHeaderBytes: Int
    /// How long a request body may take from its head to its end.
    public var bodyDeadline: Duration
    /// How long a connection may stay silent, and how long a request head may take.
    public var idleTimeout: Duration
    /// How long a TLS handshake may take.
    public var handshakeDeadline: Duration
    /// The most open connections; more wait in the kernel's queue.
    public var maxConnections: Int
    /// The most open connections of one peer, trusted proxies excepted; more are closed.
    public var maxConnectionsPerPeer: Int

    /// - Parameters:
    ///   - maxBodyBytes: the largest request body in bytes.
    ///   - maxHeaderFields: the most header fields of one request.
    ///   - maxHeaderBytes: the most bytes of all header fields together.
    ///   - bodyDeadline: how long a request body may take.
    ///   - idleTimeout: how long a connection may stay silent.
    ///   - handshakeDeadline: how long a TLS handshake may take.
    ///   - maxConnections: the most open connections.
    ///   - maxConnectionsPerPeer: the most open connections of one peer.
    public init(
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
