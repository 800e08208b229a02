/// The account numbers for integrators. They are random, so that they do not reveal how many accounts exist, and have
/// nine or ten digits, to fit into the 32 bits that some clients use.
enum LoyaltyNumber {
    private static let range: ClosedRange<Int64> = 100_000_000...2_147_483_647

    /// - Parameter bytes: eight random bytes.
    static func make(of bytes: [UInt8]) -> Int64 {
        let value = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return range.lowerBound + Int64(value % UInt64(range.count))
    }
}
