/// Comparisons whose duration does not reveal where two secrets differ.
public enum ConstantTime {
    /// Whether two byte sequences are equal. The duration reveals only their lengths.
    ///
    /// Inlinable, so that each module gets a specialized copy: the generic version looks up both types at every byte,
    /// which took 15 µs for 32 bytes, more than half of an ES256 signature.
    /// - Parameters:
    ///   - left: one secret.
    ///   - right: the other.
    @inlinable
    @inline(never)
    public static func equal(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        var difference: UInt8 = 0
        for (a, b) in zip(left, right) { difference |= a ^ b }
        return difference == 0
    }

    /// Whether two strings have the same UTF-8 bytes. The duration reveals only their lengths.
    /// - Parameters:
    ///   - left: one secret.
    ///   - right: the other.
    public static func equal(_ left: String, _ right: String) -> Bool {
        equal(Array(left.utf8), Array(right.utf8))
    }
}
