package import Core

/// The addresses that the server may connect to if others chose the host. A client's or provider's URL must not make
/// the server a way into its own network (server-side request forgery).
package struct AddressPolicy: Sendable {
    /// Networks that are permitted although they are not public.
    package var exceptions: [AddressRange]

    package init(exceptions: [AddressRange] = []) {
        self.exceptions = exceptions
    }

    /// For development: public addresses and this machine.
    package static let loopback = AddressPolicy(exceptions: ranges("127.0.0.0/8", "::1/128"))

    package func permits(_ address: NetworkAddress) -> Bool {
        if Self.metadata.contains(where: { $0.contains(address) }) { return false }
        return Self.isPublic(address) || exceptions.contains { $0.contains(address) }
    }

    /// Whether an address is public according to IANA's registries of special-purpose addresses (RFC 6890).
    ///
    /// For IPv6, only addresses assigned to networks (2000::/3) count. Loopback, link-local, unique local, multicast,
    /// NAT64 and anything with an embedded IPv4 address are outside of that range or excluded from it.
    static func isPublic(_ address: NetworkAddress) -> Bool {
        if address.isV4 { return !special4.contains { $0.contains(address) } }
        return unicast6.contains { $0.contains(address) } && !special6.contains { $0.contains(address) }
    }

    /// The metadata services of clouds, which reveal a machine's credentials to any request from inside. They are
    /// refused even if an exception includes them: some are in networks that operators use, one is on the public
    /// internet.
    private static let metadata = ranges(
        "169.254.0.0/16",  // Amazon, Google, Microsoft, Oracle and more, all link-local
        "fe80::/10",  // the same over IPv6
        "fd00:ec2::/32",  // Amazon
        "fd20:ce::/32",  // Google
        "fd00:c1::/32",  // Oracle
        "fd00:42::42/128",  // Scaleway
        "100.100.100.200/32",  // Alibaba
        "192.0.0.192/32",  // Oracle, formerly
        "168.63.129.16/32")  // Microsoft

    private static let special4 = ranges(
        "0.0.0.0/8",  // this network
        "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16",  // private (RFC 1918)
        "100.64.0.0/10",  // behind a provider's NAT (RFC 6598)
        "127.0.0.0/8",  // loopback
        "169.254.0.0/16",  // link-local, and the metadata services of clouds
        "192.0.0.0/24",  // protocol assignments
        "192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24",  // documentation
        "192.88.99.0/24",  // relays of 6to4
        "198.18.0.0/15",  // benchmarks
        "224.0.0.0/4",  // multicast
        "240.0.0.0/4")  // reserved, and broadcast

    private static let unicast6 = ranges("2000::/3")

    private static let special6 = ranges(
        "2001::/23",  // protocol assignments, Teredo among them
        "2001:db8::/32", "3fff::/20",  // documentation
        "2002::/16")  // 6to4: an IPv4 address in disguise

    private static func ranges(_ texts: String...) -> [AddressRange] {
        texts.compactMap { AddressRange($0) }
    }
}
