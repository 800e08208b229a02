import HTTPTypes

/// The fields by which proxies, tunnels and content networks show that they passed a request on.
///
/// None of them is believed. Their only effect is that a request is not taken for one from this machine, although its peer
/// is: a proxy that runs here may send it for anyone. A client that adds such a field itself gains nothing.
enum ProxyFields {
    /// In lower case.
    private static let names: Set<String> = [
        // Standards: RFC 7239, RFC 9110 §7.6.3, RFC 8586.
        "forwarded", "via", "cdn-loop",
        // Conventions of servers, frameworks and load balancers.
        "client-ip", "proxy-connection", "true-client-ip", "x-amzn-trace-id", "x-arr-log-id", "x-client-ip",
        "x-cluster-client-ip", "x-envoy-external-address", "x-envoy-internal", "x-original-forwarded-for",
        "x-original-host", "x-original-url", "x-originating-ip", "x-proxyuser-ip", "x-real-ip", "x-remote-addr",
        "x-remote-ip",
        // Content networks and tunnels.
        "ali-cdn-real-ip", "cdn-src-ip", "do-connecting-ip", "fastly-client-ip", "fly-client-ip", "incap-client-ip",
        "tailscale-user-login", "x-amz-cf-id", "x-appengine-user-ip", "x-azure-clientip", "x-azure-socketip",
        "x-nf-client-connection-ip", "x-sucuri-clientip",
    ]

    private static let prefixes = ["cf-", "cloudfront-", "x-akamai-", "x-forwarded", "x-vercel-"]

    /// Whether a proxy has passed on a request with these fields, as far as they show it.
    static func appear(in headers: HTTPFields) -> Bool {
        headers.contains { field in
            let name = field.name.canonicalName
            return names.contains(name) || prefixes.contains { name.hasPrefix($0) }
        }
    }
}
