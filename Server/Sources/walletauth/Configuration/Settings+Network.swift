import Core
import HTTP

/// What one network may do before it has to wait. For IPv6, each limit has its counterparts of the /48 and the /56.
extension Settings {
    static let networkFailures = Setting(
        "limits.network.failures", type: "number", default: Int(NetworkLimits().failures),
        """
        How many wrong passwords, PINs and providers' codes one IPv4 address or /64 of IPv6 may send in a quarter of an \
        hour, from browsers and apps that the account does not know. After that each further attempt waits: 30 seconds, \
        then twice as long each time up to limits.network.longestWait. Known devices are not counted, and never wait \
        for others in their network.
        """, parse: SettingTypes.integer(5...100_000))

    static let networkRecoveries = Setting(
        "limits.network.recoveries", type: "number", default: Int(NetworkLimits().recoveries),
        """
        How many recoveries may begin in an hour from one IPv4 address or /64 of IPv6, on devices that the accounts do \
        not know, and how many codes for registrations and new phone numbers. After that each further one waits, as after \
        limits.network.failures.
        """, parse: SettingTypes.integer(1...100_000))

    static let networkLongestWait = Setting(
        "limits.network.longestWait", type: "duration", default: NetworkLimits().longestWait,
        """
        The longest wait for a network that has used up its attempts.
        """, parse: SettingTypes.duration(.seconds(5) ... .seconds(3600)))

    static let networkCrowded = Setting(
        "limits.network.crowded", type: "list of addresses", fallback: "none",
        """
        Networks in which very many people share an address, as addresses or ranges: mobile carriers, your own company. \
        Each of their addresses may have limits.network.crowdFactor times as many failures and recoveries.
        """, parse: SettingTypes.networks)

    static let networkCrowdFactor = Setting(
        "limits.network.crowdFactor", type: "number", default: Int(NetworkLimits().crowdFactor),
        "How many times as much an address in limits.network.crowded may do.", parse: SettingTypes.integer(2...1000))

    static let networkConnections = Setting(
        "limits.network.connections", type: "number", default: HTTPLimits().maxConnectionsPerPeer,
        """
        How many connections one IPv4 address or /64 of IPv6 may have open; over HTTP/2 each concurrent request beyond \
        the first counts as another one. More are closed. Connections of trustedProxies are not counted.
        """, parse: SettingTypes.integer(8...10_000))

    static let network: [any DeclaredSetting] = [
        networkFailures, networkRecoveries, networkLongestWait, networkCrowded, networkCrowdFactor, networkConnections,
    ]
}
