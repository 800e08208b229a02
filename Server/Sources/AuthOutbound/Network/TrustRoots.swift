internal import NIOSSL

/// Whose certificates are believed.
package enum TrustRoots: Sendable, Hashable {
    /// The system's.
    case system
    /// Those in a PEM file alone: for servers whose certificate a private authority issued.
    case file(String)

    var forTLS: NIOSSLTrustRoots {
        switch self {
        case .system: .default
        case .file(let path): .file(path)
        }
    }

    /// What every connection is made with: certificates and host names are verified, and TLS 1.2 is the least.
    var clientConfiguration: TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = forTLS
        configuration.minimumTLSVersion = .tlsv12
        return configuration
    }
}
