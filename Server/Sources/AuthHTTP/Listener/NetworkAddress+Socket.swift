import AuthCore
import Foundation
import NIOCore

extension NetworkAddress {
    /// The address of a socket's peer; `nil` for a Unix socket, which has none.
    init?(_ address: SocketAddress) {
        switch address {
        case .v4(let address):
            self.init(bytes: withUnsafeBytes(of: address.address.sin_addr) { Array($0) })
        case .v6(let address):
            self.init(bytes: withUnsafeBytes(of: address.address.sin6_addr) { Array($0) })
        case .unixDomainSocket:
            return nil
        }
    }
}
