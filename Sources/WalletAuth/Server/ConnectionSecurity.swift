import Foundation

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
