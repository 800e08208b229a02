import AuthCore
import NIOCore

extension NetworkAddress {
    /// The address of a socket's peer; `nil` for a Unix socket, which has none.
    ///
    /// By its place in `sockaddr_in` and `sockaddr_in6`: behind family and port, and for IPv6 the flow (RFC 3493 §3.3, §3.4).
    /// The fields have no name here: which of several C modules declares them differs from one compilation to the next.
    init?(_ address: SocketAddress) {
        switch address {
        case .v4(let address): self.init(bytes: withUnsafeBytes(of: address.address) { Array($0[4..<8]) })
        case .v6(let address): self.init(bytes: withUnsafeBytes(of: address.address) { Array($0[8..<24]) })
        case .unixDomainSocket: return nil
        }
    }
}
