internal import Core
internal import Outbound

extension ProviderHTTP {
    /// The longest time that a request takes. It is short because a person is waiting.
    package static let timeout = Duration.seconds(8)

    /// The production implementation: resolves each name once and checks its address, returns redirects, and bounds size and time.
    package static let guarded = ProviderHTTP { request in
        let http = GuardedHTTP(policy: request.reach.policy, maximumBody: 256 * 1024, timeout: ProviderHTTP.timeout)
        let answer = try await http.answer(
            to: GuardedHTTP.Request(
                method: request.method, url: request.url, headers: request.headers, body: request.body))
        return Answer(status: answer.status, body: answer.body)
    }
}

extension ProviderHTTP.Reach {
    fileprivate var policy: AddressPolicy {
        switch self {
        case .publicInternet: AddressPolicy()
        case .loopback: .loopback
        case .internalNetwork: AddressPolicy(exceptions: Self.privateNetworks)
        }
    }

    /// The ranges of private networks (RFC 1918, RFC 6598, RFC 4193), without this machine. The metadata services of clouds, some of
    /// which lie in these ranges, are always refused.
    private static let privateNetworks = [
        "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7",
    ].compactMap { AddressRange($0) }
}
