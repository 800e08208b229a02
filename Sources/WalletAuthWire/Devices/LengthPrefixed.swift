/// Consecutive fields, each preceded by its length in two big-endian bytes, so that no two values run together. The
/// LP(…) of docs/wpin-1.md.
package struct LengthPrefixed: Sendable {
    /// The written bytes.
    package private(set) var bytes: [UInt8] = []

    /// The longest field.
    package static let maximumBytes = 65_535

    /// Creates an empty sequence.
    package init() {}

    /// Appends a field.
    /// - Parameter field: at most ``maximumBytes`` bytes.
    /// - Throws: ``MalformedValue`` if it is longer: truncated, two values could become one.
    package mutating func append(_ field: some Collection<UInt8>) throws(MalformedValue) {
        guard field.count <= Self.maximumBytes else {
            throw MalformedValue(field: "field", reason: "is longer than \(Self.maximumBytes) bytes")
        }
        bytes.append(UInt8(field.count >> 8))
        bytes.append(UInt8(field.count & 0xFF))
        bytes.append(contentsOf: field)
    }
}
