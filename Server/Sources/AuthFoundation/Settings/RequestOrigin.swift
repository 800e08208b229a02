/// Origin of a request, as far as the edge can tell. It proves nothing: it is counted, logged and shown, never trusted.
package struct RequestOrigin: Sendable, Hashable {
    /// The client's network address without a port, in its usual text form. Failures are counted by it.
    package var address: String
    /// The W3C trace id of the request, 32 hexadecimal digits.
    package var traceID: String
    package var userAgent: String?
    package var acceptLanguage: String?

    package init(address: String, traceID: String = "", userAgent: String? = nil, acceptLanguage: String? = nil) {
        self.address = address
        self.traceID = traceID
        self.userAgent = userAgent
        self.acceptLanguage = acceptLanguage
    }
}

extension RequestOrigin {
    /// The network of the address, by which failures are counted.
    package var network: String { Self.network(of: address) }

    /// One customer of a network has a whole /64 of IPv6 addresses, and would otherwise have as many counters.
    package static func network(of address: String) -> String {
        guard address.utf8.contains(UInt8(ascii: ":")) else { return address }
        let unscoped = address.prefix { $0 != "%" }
        let halves = unscoped.split(separator: "::", maxSplits: 1, omittingEmptySubsequences: false)
        var groups = halves[0].split(separator: ":").map(String.init)
        if halves.count == 2 {
            let tail = halves[1].split(separator: ":").map(String.init)
            groups += [String](repeating: "0", count: max(0, 8 - groups.count - tail.count)) + tail
        }
        // An IPv4-mapped IPv6 address is one machine, not a network.
        if let last = groups.last, last.contains(".") { return last }
        return groups.prefix(4).map { String($0.drop { $0 == "0" }) }.joined(separator: ":") + "::/64"
    }
}
