internal import NIOSSL

/// The certificate authorities to trust.
package enum TrustRoots: Sendable, Hashable {
    case system
    /// Only those in a PEM file, for servers with certificates of a private authority.
    case file(String)

    var forTLS: NIOSSLTrustRoots {
        switch self {
        case .system: .default
        case .file(let path): .file(path)
        }
    }

    /// The settings of every connection: certificates and host names are verified, and TLS 1.2 is the minimum.
    var clientConfiguration: TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = forTLS
        configuration.minimumTLSVersion = .tlsv12
        return configuration
    }
}
