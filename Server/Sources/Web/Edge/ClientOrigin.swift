package import Core

/// Network facts about one request.
package struct ClientOrigin: Sendable {
    /// The client's address; `nil` if the peer is a Unix socket or a proxy's header is unreadable.
    package var address: NetworkAddress?
    /// Whether the client used plain HTTP: to the proxy, which reports it, or directly to this listener.
    package var arrivedInPlain = false
    /// Whether a configured proxy did not say how the client reached it.
    package var isOfSilentProxy = false
    /// Whether the request came from this machine without a proxy.
    package var isDirectLoopback = false
    /// Whether a proxy on this machine that is not configured passed it on, for anyone.
    package var isFromUnknownProxy = false

    package init(
        address: NetworkAddress? = nil, arrivedInPlain: Bool = false, isOfSilentProxy: Bool = false,
        isDirectLoopback: Bool = false, isFromUnknownProxy: Bool = false
    ) {
        self.address = address
        self.arrivedInPlain = arrivedInPlain
        self.isOfSilentProxy = isOfSilentProxy
        self.isDirectLoopback = isDirectLoopback
        self.isFromUnknownProxy = isFromUnknownProxy
    }
}
