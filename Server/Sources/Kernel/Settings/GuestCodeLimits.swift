/// How many codes by SMS the backends of integrators may have sent to guests in an hour.
///
/// Each number has a limit of its own, which does not help against SMS pumping: someone who earns from messages to many numbers, or wants
/// the operator to pay for them. Only messages count, not requests about unknown numbers.
package struct GuestCodeLimits: Sendable, Hashable {
    /// For one client. Default 500.
    package var client: Int64
    /// For the guests of one merchant, through all clients. Default 200.
    package var merchant: Int64
    /// From one IPv4 address or /64 of IPv6, which is a backend's. Default 1000.
    package var network: Int64

    package init() {
        client = 500
        merchant = 200
        network = 1000
    }
}
