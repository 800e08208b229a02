/// Where a request came from, as far as the edge can tell. None of it is proof of anything: it is counted, logged and
/// shown, never trusted.
package struct RequestOrigin: Sendable, Hashable {
    /// The client's network address without a port, in its usual text form; failures are counted by it.
    package var address: String
    /// The W3C trace id of the request, 32 hexadecimal digits.
    package var traceID: String
    /// The `User-Agent` header, where there was one.
    package var userAgent: String?
    /// The `Accept-Language` header, where there was one.
    package var acceptLanguage: String?

    /// - Parameters:
    ///   - address: the client's network address without a port.
    ///   - traceID: the W3C trace id, 32 hexadecimal digits.
    ///   - userAgent: the `User-Agent` header.
    ///   - acceptLanguage: the `Accept-Language` header.
    package init(address: String, traceID: String = "", userAgent: String? = nil, acceptLanguage: String? = nil) {
        self.address = address
        self.traceID = traceID
        self.userAgent = userAgent
        self.acceptLanguage = acceptLanguage
    }
}
