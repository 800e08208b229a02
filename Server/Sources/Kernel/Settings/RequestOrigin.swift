package import Core

/// Origin of a request, as far as the edge can tell. It proves nothing: it is counted, logged and shown, never trusted.
package struct RequestOrigin: Sendable, Hashable {
    /// The client's network address without a port, in its usual text form. Failures are counted by it.
    package var address: String
    /// The W3C trace id of the request, 32 hexadecimal digits.
    package var traceID: String
    package var userAgent: String?
    /// `Sec-CH-UA`: the browser's brands, where it sends client hints.
    package var brandsHint: String?
    /// `Sec-CH-UA-Platform`: its operating system.
    package var platformHint: String?
    package var acceptLanguage: String?

    package init(
        address: String, traceID: String = "", userAgent: String? = nil, brandsHint: String? = nil,
        platformHint: String? = nil, acceptLanguage: String? = nil
    ) {
        self.address = address
        self.traceID = traceID
        self.userAgent = userAgent
        self.brandsHint = brandsHint
        self.platformHint = platformHint
        self.acceptLanguage = acceptLanguage
    }
}

extension RequestOrigin {
    /// The networks that failures, password hashes and recoveries are counted in, the smallest first.
    package var networks: [CountedNetwork] { NetworkAddress(address)?.countedNetworks ?? [.unknown] }
}
