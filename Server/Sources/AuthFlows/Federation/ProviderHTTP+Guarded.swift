internal import AuthCore
internal import AuthOutbound

extension ProviderHTTP {
    /// The program's own way to providers: every name is resolved once and its address checked, redirects are answers, and
    /// size and time are bounded. A person waits for the answer, so the time is short.
    package static let guarded = ProviderHTTP { request in
        let http = GuardedHTTP(policy: request.reach.policy, maximumBody: 256 * 1024, timeout: .seconds(8))
        let answer = try await http.answer(
            to: GuardedHTTP.Request(
                method: request.method, url: request.url, headers: request.headers, body: request.body))
        return Answer(status: answer.status, body: answer.body)
    }
}

extension ProviderHTTP.Reach {
    /// Where the server may connect to.
    fileprivate var policy: AddressPolicy {
        switch self {
        case .publicInternet: AddressPolicy()
        case .loopback: .loopback
        case .internalNetwork: AddressPolicy(exceptions: Self.privateNetworks)
        }
    }

    /// What operators number their own networks with (RFC 1918, RFC 6598, RFC 4193), without this machine; the metadata
    /// services of clouds, which some of them hold, are refused in any case.
    private static let privateNetworks = [
        "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7",
    ].compactMap { AddressRange($0) }
}
