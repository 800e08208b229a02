import Foundation
import NIOCore

/// A network address as sixteen bytes; IPv4 stands mapped into IPv6, so one comparison serves both.
struct NetworkAddress: Hashable, Sendable {
    private let bytes: [UInt8]

    /// The address of a socket's peer; `nil` for a Unix socket, which has none.
    init?(_ address: SocketAddress) {
        switch address {
        case .v4(let address):
            self.init(v4: withUnsafeBytes(of: address.address.sin_addr) { Array($0) })
        case .v6(let address):
            self.init(bytes: withUnsafeBytes(of: address.address.sin6_addr) { Array($0) })
        case .unixDomainSocket:
            return nil
        }
    }

    /// An address literal, with or without brackets; `nil` for anything else, host names included.
    init?(_ text: some StringProtocol) {
        var literal = text[...]
        if literal.hasPrefix("["), literal.hasSuffix("]") { literal = literal.dropFirst().dropLast() }
        guard literal.utf8.count <= 45, let address = try? SocketAddress(ipAddress: String(literal), port: 0) else {
            return nil
        }
        self.init(address)
    }

    private init(v4: [UInt8]) {
        self.init(bytes: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff] + v4)
    }

    private init(bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)
    }

    var isV4: Bool { bytes.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff] }

    /// `127.0.0.0/8` and `::1`.
    var isLoopback: Bool {
        isV4 ? bytes[12] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] == 1
    }

    /// What one customer of a network usually has: an IPv4 address, or the /64 of an IPv6 address.
    var network: NetworkAddress {
        isV4 ? self : NetworkAddress(bytes: bytes.prefix(8) + [UInt8](repeating: 0, count: 8))
    }

    /// The canonical text: what goes into failure counters and audit entries, so one address has one spelling.
    var text: String {
        if isV4 { return bytes[12...].map { String($0) }.joined(separator: ".") }
        let buffer = ByteBuffer(bytes: bytes)
        return (try? SocketAddress(packedIPAddress: buffer, port: 0).ipAddress) ?? ""
    }

    func sharesPrefix(of other: NetworkAddress, bits: Int) -> Bool {
        let whole = bits / 8
        guard bytes[..<whole] == other.bytes[..<whole] else { return false }
        let rest = bits % 8
        guard rest > 0 else { return true }
        let mask = UInt8(truncatingIfNeeded: 0xff << (8 - rest))
        return bytes[whole] & mask == other.bytes[whole] & mask
    }
}

/// A range of addresses in CIDR notation: `10.0.0.0/8`, `2001:db8::/32`, or one address alone.
public struct AddressRange: Sendable, Hashable, CustomStringConvertible {
    private let network: NetworkAddress
    private let prefixBits: Int
    /// The range as it was written.
    public let description: String

    /// - Parameter text: an address literal, or one followed by `/` and a prefix length; `nil` when it is neither.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let network = NetworkAddress(first) else { return nil }
        let width = network.isV4 ? 32 : 128
        var length = width
        if parts.count == 2 {
            guard let given = Int(parts[1]), (0...width).contains(given) else { return nil }
            length = given
        }
        self.network = network
        // An IPv4 prefix counts behind the 96 bits of the mapping.
        prefixBits = length + (128 - width)
        description = text
    }

    func contains(_ address: NetworkAddress) -> Bool {
        address.isV4 == network.isV4 && address.sharesPrefix(of: network, bits: prefixBits)
    }
}
