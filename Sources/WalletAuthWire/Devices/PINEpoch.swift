/// Counts the PINs of one enrollment: 1 for the first, and one more for each PIN set or changed. No number is reused,
/// not even that of a PIN that never became active.
public struct PINEpoch: Hashable, Comparable, Sendable, Codable {
    /// 1 or more.
    public let number: UInt32

    /// The first.
    public static let first = PINEpoch(unchecked: 1)

    private init(unchecked number: UInt32) { self.number = number }

    /// Creates an epoch from a number from 1 to 4,294,967,295.
    /// - Parameter number: the number.
    public init?(exactly number: Int64) {
        guard let number = UInt32(exactly: number), number > 0 else { return nil }
        self.number = number
    }

    /// The next epoch; nil after the last.
    public var next: PINEpoch? { number == .max ? nil : PINEpoch(unchecked: number + 1) }

    /// Four bytes, big-endian.
    public var bytes: [UInt8] { (0..<4).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }

    /// Earlier comes first.
    public static func < (left: Self, right: Self) -> Bool { left.number < right.number }

    /// Decodes the number.
    /// - Parameter decoder: the decoder to read one integer from.
    /// - Throws: `DecodingError`, or ``MalformedValue`` for a value that breaks the type's rules.
    public init(from decoder: any Decoder) throws {
        guard let epoch = PINEpoch(exactly: try decoder.singleValueContainer().decode(Int64.self)) else {
            throw MalformedValue(field: "epoch", reason: "is not a number from 1 to 4294967295")
        }
        self = epoch
    }

    /// Encodes the number.
    /// - Parameter encoder: the encoder to write to.
    /// - Throws: the encoder's error.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(number)
    }
}
