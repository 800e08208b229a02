package import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// The reason a request got no response. What matters is whether the server may have acted on it.
package struct LoadingFailure: Error {
    /// What is known about the request.
    package enum Kind: Sendable {
        /// No network or no route: the request was never sent.
        case offline
        /// The server could not be reached or refused the connection: the request was never sent.
        case unreachable
        /// The secure connection failed (certificate, protocol): the request was never sent.
        case untrusted
        /// The request may have been sent, but its response was lost (connection dropped, timeout).
        case lost
    }

    package let kind: Kind
    /// A diagnostic text for developers; never contains a header, a body or a query string.
    package let reason: String

    init(_ kind: Kind, reason: String) {
        self.kind = kind
        self.reason = reason
    }
}

extension LoadingFailure {
    /// Classifies an error of the URL loading system.
    ///
    /// A request counts as unsent only if that is certain. Everything else counts as lost, because the server may have
    /// acted.
    /// - Parameters:
    ///   - error: the error that ended the request.
    ///   - url: the URL of the request.
    init(_ error: any Error, to url: URL?) {
        guard let error = error as? URLError else {
            self.init(.lost, reason: "the connection failed")
            return
        }
        let reason = Self.text(error.code, url)
        switch error.code {
        case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff, .callIsActive:
            self.init(.offline, reason: reason)
        case .cannotFindHost, .dnsLookupFailed, .cannotConnectToHost:
            // Linux has no separate error for a missing network.
            self.init(NetworkInterfaces.mayReach(url?.host) ? .unreachable : .offline, reason: reason)
        case .badURL where url?.host?.contains(":") == true:
            // Foundation on Linux compares the host with libcurl's, which has the brackets, before it sends anything.
            self.init(
                .unreachable, reason: "this system cannot connect to IPv6 addresses: use a host name, such as localhost"
            )
        case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
            .serverCertificateNotYetValid, .serverCertificateHasUnknownRoot, .clientCertificateRejected,
            .clientCertificateRequired, .appTransportSecurityRequiresSecureConnection:
            self.init(.untrusted, reason: reason)
        case .unknown where Self.isHandshakeFailure(error):
            self.init(.untrusted, reason: "the server's certificate is not trusted, or the server does not speak TLS")
        default:
            // Includes the error that Linux reports as an unsupported URL: a response that is not HTTP.
            self.init(.lost, reason: reason)
        }
    }

    /// On Linux, a failed TLS handshake has no error code, only libcurl's text. An unknown text counts as lost;
    /// `SSL_read` and `SSL_write` fail after the handshake.
    private static func isHandshakeFailure(_ error: URLError) -> Bool {
        ["SSL certificate problem", "SSL: ", "OpenSSL/", "OpenSSL SSL_connect"].contains {
            error.localizedDescription.hasPrefix($0)
        }
    }

    private static func text(_ code: URLError.Code, _ url: URL?) -> String {
        switch code {
        case .notConnectedToInternet: "no network"
        case .dataNotAllowed, .internationalRoamingOff, .callIsActive: "the mobile network may not be used right now"
        case .cannotFindHost, .dnsLookupFailed: "the server's name could not be resolved"
        case .cannotConnectToHost: "the connection\(place(url)) was refused"
        case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasUnknownRoot:
            "the server's certificate is not trusted"
        case .serverCertificateHasBadDate, .serverCertificateNotYetValid: "the server's certificate is not valid now"
        case .clientCertificateRejected, .clientCertificateRequired: "the server requires a client certificate"
        case .appTransportSecurityRequiresSecureConnection: "App Transport Security forbids http"
        case .timedOut: "there was no response in time"
        // Linux reports a dropped connection this way, and a response that is not HTTP.
        case .networkConnectionLost, .badServerResponse, .cannotParseResponse, .unsupportedURL:
            "the connection broke, or the other side does not speak HTTP"
        default: "the connection failed (URLError \(code.rawValue))"
        }
    }

    /// Host and port, without path, query or password.
    private static func place(_ url: URL?) -> String {
        guard let url, let host = url.bracketedHost else { return "" }
        return " to \(host)" + (url.port.map { ":\($0)" } ?? "")
    }
}

extension URL {
    /// The host as a URL has it. Foundation takes the brackets off an IPv6 address on some platforms.
    package var bracketedHost: String? {
        host().map { $0.contains(":") && !$0.hasPrefix("[") ? "[\($0)]" : $0 }
    }
}

/// Distinguishes a server that is down from a machine without a network.
enum NetworkInterfaces {
    /// Whether `host` may be reachable: whether any interface is up. The loopback interface counts only for a loopback
    /// host.
    static func mayReach(_ host: String?) -> Bool {
        #if os(Linux)
            guard let host, !["localhost", "127.0.0.1", "::1", "[::1]"].contains(host) else { return true }
            var first: UnsafeMutablePointer<ifaddrs>?
            guard getifaddrs(&first) == 0 else { return true }
            defer { freeifaddrs(first) }
            guard let first else { return false }
            let up = UInt32(IFF_UP) | UInt32(IFF_RUNNING)
            return sequence(first: first) { $0.pointee.ifa_next }.contains { interface in
                let flags = interface.pointee.ifa_flags
                return interface.pointee.ifa_addr != nil && flags & up == up && flags & UInt32(IFF_LOOPBACK) == 0
            }
        #else
            // Apple's platforms report this with a separate error.
            return true
        #endif
    }
}
