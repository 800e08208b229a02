#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A network address in sixteen bytes. IPv4 is mapped into IPv6, so that one comparison covers both and an IPv4 address
/// cannot be disguised as an IPv6 one (RFC 4291 §2.5.5.2).
package struct NetworkAddress: Hashable, Sendable {
    let bytes: [UInt8]
    /// Whether it is an IPv4 address, mapped or not.
    package let isV4: Bool

    private static let mapping: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]

    /// - Parameter bytes: 4 bytes of IPv4 or 16 of IPv6 in network byte order; `nil` is returned for anything else.
    package init?(bytes: [UInt8]) {
        switch bytes.count {
        case 4: (self.bytes, isV4) = (Self.mapping + bytes, true)
        case 16: (self.bytes, isV4) = (bytes, bytes.starts(with: Self.mapping))
        default: return nil
        }
    }

    /// Parses an address literal, with or without brackets. Returns `nil` for anything else, including host names.
    package init?(_ text: some StringProtocol) {
        var literal = text[...]
        if literal.hasPrefix("["), literal.hasSuffix("]") { literal = literal.dropFirst().dropLast() }
        // A zero byte would end the string for the C library and hide the rest.
        guard literal.utf8.count <= 45, !literal.utf8.contains(0) else { return nil }
        let literalText = String(literal)
        var v4 = in_addr()
        if inet_pton(AF_INET, literalText, &v4) == 1 {
            self.init(bytes: withUnsafeBytes(of: v4) { Array($0) })
            return
        }
        var v6 = in6_addr()
        guard inet_pton(AF_INET6, literalText, &v6) == 1 else { return nil }
        self.init(bytes: withUnsafeBytes(of: v6) { Array($0) })
    }

    /// `127.0.0.0/8` and `::1`.
    package var isLoopback: Bool {
        isV4 ? bytes[12] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] == 1
    }

    /// The canonical text for failure counters and audit entries, so that an address has one spelling.
    package var text: String {
        if isV4 { return "\(bytes[12]).\(bytes[13]).\(bytes[14]).\(bytes[15])" }
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let isWritten = bytes.withUnsafeBytes { bytes in
            inet_ntop(AF_INET6, bytes.baseAddress, &buffer, socklen_t(buffer.count)) != nil
        }
        guard isWritten else { return "" }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
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

/// A range of addresses in CIDR notation (`10.0.0.0/8`, `2001:db8::/32`), or a single address.
package struct AddressRange: Sendable, Hashable, CustomStringConvertible {
    private let network: NetworkAddress
    private let prefixBits: Int
    /// The range as written.
    package let description: String

    /// Returns `nil` unless the text is an address literal, alone or followed by `/` and a prefix length.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let network = NetworkAddress(first) else { return nil }
        let width = network.isV4 ? 32 : 128
        var length = width
        if parts.count == 2 {
            guard let given = Int(parts[1]), (0...width).contains(given) else { return nil }
            length = given
        }
        self.network = network
        // An IPv4 prefix is counted after the 96 bits of the mapping.
        prefixBits = length + (128 - width)
        description = text
    }

    /// Whether an address is in the range. A range of IPv6, even `::/0`, contains no IPv4 address.
    package func contains(_ address: NetworkAddress) -> Bool {
        address.isV4 == network.isV4 && address.sharesPrefix(of: network, bits: prefixBits)
    }
}
