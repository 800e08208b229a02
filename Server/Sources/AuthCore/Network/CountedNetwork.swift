/// A network whose connections, failures, password hashes and recoveries are counted.
///
/// An IPv4 address is one such network. An IPv6 address is in two: its /64, which is a link, a phone or a rented server; and its /48,
/// the most that one customer gets. Providers assign a /56 to a home and a /48 to a business (RIPE-690), and tunnel brokers assign a
/// /48 to anyone: limits of the /64 alone would give one person 65,536 of each.
///
/// Mobile operators assign a /64 to each phone, so a /48 may also be thousands of people. Therefore its limits are larger, and what
/// delays attempts from it never does so for long.
package struct CountedNetwork: Sendable, Hashable {
    package enum Extent: Sendable, Hashable {
        /// An IPv4 address, or the /64 of an IPv6 address.
        case subnet
        /// The /48 of an IPv6 address.
        case site
    }

    package let extent: Extent
    /// The network's name in counters.
    package let name: String

    /// All requests whose sender is unknown, together.
    package static let unknown = CountedNetwork(.subnet, named: "")

    fileprivate init(_ extent: Extent, named name: String) {
        self.extent = extent
        self.name = name
    }

    /// How often the network gets what one subnet gets.
    package var multiple: Int {
        switch extent {
        case .subnet: 1
        case .site: 4
        }
    }
}

extension NetworkAddress {
    /// The networks that the address is counted in, the smallest first.
    package var countedNetworks: [CountedNetwork] {
        if isV4 { return [CountedNetwork(.subnet, named: text)] }
        return [CountedNetwork(.subnet, named: name(ofPrefix: 64)), CountedNetwork(.site, named: name(ofPrefix: 48))]
    }

    /// - Parameter bits: the length of the prefix, in whole bytes.
    private func name(ofPrefix bits: Int) -> String {
        let prefix = [UInt8](bytes.prefix(bits / 8))
        let rest = [UInt8](repeating: 0, count: bytes.count - prefix.count)
        return (NetworkAddress(bytes: prefix + rest)?.text ?? "") + "/\(bits)"
    }
}
