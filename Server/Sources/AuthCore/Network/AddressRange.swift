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
