/// A network whose connections, failures, password hashes and recoveries are counted.
///
/// An IPv4 address is one such network. An IPv6 address is in three (RIPE-690):
///
/// - its /64: a link, a phone or a rented server;
/// - its /56: a home;
/// - its /48: a business, or anyone at a tunnel broker. Limits of the /64 alone would give that person 65,536 of each.
///
/// A /48 may also be hundreds of homes or thousands of phones. So its limit is larger, and each home has a little of
/// its own that the others cannot use up. An address has room if its subnet has, and also its home or its site.
package struct CountedNetwork: Sendable, Hashable {
    package enum Extent: Sendable, Hashable {
        /// An IPv4 address, or the /64 of an IPv6 address.
        case subnet
        /// The /56 of an IPv6 address.
        case home
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

    /// The network's limit.
    /// - Parameters:
    ///   - subnet: that of a subnet. A site has four times as much.
    ///   - home: what each home has of its own.
    package func limit<Count: FixedWidthInteger>(subnet: Count, home: Count) -> Count {
        switch extent {
        case .subnet: subnet
        case .home: home
        case .site: 4 * subnet
        }
    }
}

extension NetworkAddress {
    /// The networks that the address is counted in, the smallest first.
    package var countedNetworks: [CountedNetwork] {
        if isV4 { return [CountedNetwork(.subnet, named: text)] }
        return [
            CountedNetwork(.subnet, named: name(ofPrefix: 64)), CountedNetwork(.home, named: name(ofPrefix: 56)),
            CountedNetwork(.site, named: name(ofPrefix: 48)),
        ]
    }

    /// The /24 of an IPv4 address, or the /56 of an IPv6 address: roughly, a home or an office.
    package var neighborhood: String { name(ofPrefix: isV4 ? 96 + 24 : 56) }

    /// The /24 of an IPv4 address, or the /48 of an IPv6 address, as people write it: a town or a company, and no home.
    package var region: String { isV4 ? firstAddress(ofPrefix: 96 + 24) + "/24" : name(ofPrefix: 48) }

    /// - Parameter bits: the length of the prefix, in whole bytes.
    private func name(ofPrefix bits: Int) -> String { firstAddress(ofPrefix: bits) + "/\(bits)" }

    private func firstAddress(ofPrefix bits: Int) -> String {
        let prefix = [UInt8](bytes.prefix(bits / 8))
        let rest = [UInt8](repeating: 0, count: bytes.count - prefix.count)
        return NetworkAddress(bytes: prefix + rest)?.text ?? ""
    }
}
