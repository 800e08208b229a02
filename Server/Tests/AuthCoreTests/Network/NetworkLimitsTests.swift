import Core
import Testing

@Suite("Limits of networks")
struct NetworkLimitsTests {
    @Test(
        "Each address of a crowded network has a multiple of the limits, and no other address has",
        arguments: [
            ("100.64.7.9", 200), ("::ffff:100.64.7.9", 200), ("2001:db8:1::9", 200), ("100.128.0.1", 10),
            ("2001:db8:2::9", 10), ("unknown", 10), ("", 10),
        ] as [(String, Int64)])
    func crowded(address: String, failures: Int64) {
        var limits = NetworkLimits()
        limits.failures = 10
        limits.recoveries = 5
        limits.crowded = ["100.64.0.0/10", "2001:db8:1::/48"].compactMap(AddressRange.init)
        #expect(limits.failures(at: address) == failures)
        #expect(limits.recoveries(at: address) == failures / 2)
    }
}
