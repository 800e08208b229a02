import AuthCore
import NIOCore

extension NetworkAddress {
    /// The address of a socket's peer; `nil` for a Unix socket, which has none.
    ///
    /// Reads it by its offset in `sockaddr_in` and `sockaddr_in6`: after family and port and, for IPv6, the flow (RFC
    /// 3493 §3.3, §3.4). The fields are not used by name, because several C modules declare them, and which one is
    /// visible varies between compilations.
    init?(_ address: SocketAddress) {
        switch address {
        case .v4(let address): self.init(bytes: withUnsafeBytes(of: address.address) { Array($0[4..<8]) })
        case .v6(let address): self.init(bytes: withUnsafeBytes(of: address.address) { Array($0[8..<24]) })
        case .unixDomainSocket: return nil
        }
    }
}
