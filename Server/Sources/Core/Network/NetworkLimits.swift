/// What one network may do before its further attempts have to wait.
///
/// Known devices are not counted by network: others behind their address do not slow them down. Everyone else shares the
/// limit with everyone who has the same address, and mobile carriers put thousands of people behind one of IPv4.
package struct NetworkLimits: Sendable, Hashable {
    /// Wrong passwords, PINs, nonces and providers' codes from one IPv4 address or /64 of IPv6 in each ``window``. A /48
    /// has four times as many, and each /56 in it one. Default 50.
    package var failures: Int64
    /// Recoveries begun, for any account, in an hour. Default 20.
    package var recoveries: Int64
    /// The longest delay of a further attempt; the first is ``LockoutPolicy/firstDelay``. Default 5 minutes, so that it
    /// is bearable for people who share the address with an attacker.
    package var longestWait: Duration
    /// The time after its first failure at which a network's count starts again, however busy it is. Default 15 minutes.
    package var window: Duration
    /// Networks in which very many people share an address. Default none.
    package var crowded: [AddressRange]
    /// How many times as much each address of a crowded network may do. Default 20.
    package var crowdFactor: Int64

    package init() {
        failures = 50
        recoveries = 20
        longestWait = .minutes(5)
        window = .minutes(15)
        crowded = []
        crowdFactor = 20
    }

    /// The failures allowed at an address.
    package func failures(at address: String) -> Int64 { failures * factor(at: address) }

    /// The recoveries allowed at an address.
    package func recoveries(at address: String) -> Int64 { recoveries * factor(at: address) }

    private func factor(at address: String) -> Int64 {
        guard !crowded.isEmpty, let address = NetworkAddress(address), crowded.contains(where: { $0.contains(address) })
        else { return 1 }
        return crowdFactor
    }
}
