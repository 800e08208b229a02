import Foundation
import WalletAuthTransport
import WalletAuthWire

/// The newest DPoP nonce of each server (RFC 9449 §8): the authorization server and each resource server issue their
/// own.
final class DPoPNonceCache: Sendable {
    private let nonces = LockedValue<[(origin: String, nonce: Nonce)]>([])

    subscript(url: URL) -> Nonce? {
        let origin = url.origin
        return nonces.withLock { $0.last { $0.origin == origin }?.nonce }
    }

    /// Stores the nonce in a response from `url`, for up to 32 servers.
    func learn(_ header: String?, from url: URL) {
        guard let nonce = header.flatMap({ try? Nonce($0) }) else { return }
        let origin = url.origin
        nonces.withLock { nonces in
            nonces.removeAll { $0.origin == origin }
            nonces.append((origin: origin, nonce: nonce))
            nonces.removeFirst(max(0, nonces.count - 32))
        }
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
