import Foundation
import WalletAuthTransport
import WalletAuthWire

/// Where sensitive data may be sent.
enum ConnectionSecurity: Sendable {
    /// Over https.
    case https
    /// Over https, and over http to this device: for a sandbox.
    case httpsOrLoopback

    func allows(_ url: URL) -> Bool {
        guard url.user() == nil, url.password() == nil, url.host() != nil else { return false }
        switch (url.scheme?.lowercased(), self) {
        case ("https", _): return true
        case ("http", .httpsOrLoopback): return url.isLoopback
        default: return false
        }
    }
}

/// The origins that an access token may go to.
struct TokenDestinations: Sendable {
    let issuer: String
    /// In addition to the issuer's. Nil allows a bound token to go to any origin, and a bearer token to the issuer's only.
    let listed: [String]?

    /// - Parameter isBound: whether a proof by a key of this device goes with the token.
    func allows(_ url: URL, isBound: Bool) -> Bool {
        url.origin == issuer || (listed.map { $0.contains(url.origin) } ?? isBound)
    }
}

extension URL {
    /// Scheme, host and port, as RFC 6454 compares them.
    var origin: String {
        let scheme = scheme?.lowercased() ?? ""
        let standardPort = scheme == "https" ? 443 : scheme == "http" ? 80 : -1
        return "\(scheme)://\(bracketedHost?.lowercased() ?? ""):\(port ?? standardPort)"
    }

    /// Whether the address is this device.
    var isLoopback: Bool {
        guard let host = host()?.lowercased() else { return false }
        return host == "127.0.0.1" || host == "::1" || host == "[::1]" || host == "localhost"
    }
}

extension Issuer {
    /// The URL of a path below the issuer.
    /// - Throws: ``WalletError`` `invalid_configuration` if the issuer is not a URL.
    func url(of path: String, during operation: WalletError.Operation) throws -> URL {
        guard let url = URL(string: self.url(path: path)) else {
            throw WalletError(
                .invalidConfiguration, .misconfigured, during: operation, reason: "the issuer is not a URL")
        }
        return url
    }
}
