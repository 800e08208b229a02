/// Seconds since 1970-01-01T00:00:00Z, as JOSE counts time (RFC 7519 §2).
///
/// It is a separate type because a server's clock counts milliseconds, and the two must not be confused.
public struct NumericDate: Hashable, Comparable, Sendable, Codable {
    /// Whole seconds since 1970, from 0 to the end of the year 9999.
    public let secondsSince1970: Int64

    /// The end of the year 9999: anything later is a mistake, or an attempt at overflow.
    public static let latest = NumericDate(clamping: 253_402_300_799)

    /// Creates a date from seconds, clamped to the range.
    /// - Parameter seconds: seconds since 1970.
    public init(clamping seconds: Int64) { secondsSince1970 = min(max(seconds, 0), 253_402_300_799) }

    /// Creates a date from seconds.
    /// - Parameter seconds: seconds since 1970, from 0 to the end of the year 9999; otherwise returns nil.
    public init?(exactly seconds: Int64) {
        guard (0...253_402_300_799).contains(seconds) else { return nil }
        secondsSince1970 = seconds
    }

    /// The date after a duration, in whole seconds, clamped to the range.
    /// - Parameter duration: how much later; negative for earlier.
    public func advanced(by duration: Duration) -> NumericDate {
        let (sum, overflow) = secondsSince1970.addingReportingOverflow(duration.components.seconds)
        return NumericDate(clamping: overflow ? (duration < .zero ? 0 : .max) : sum)
    }

    /// Earlier comes first.
    public static func < (left: Self, right: Self) -> Bool { left.secondsSince1970 < right.secondsSince1970 }

    /// Decodes whole seconds.
    /// - Parameter decoder: the decoder to read one integer from.
    /// - Throws: `DecodingError`, or ``MalformedValue`` for a value that breaks the type's rules.
    public init(from decoder: any Decoder) throws {
        let seconds = try decoder.singleValueContainer().decode(Int64.self)
        guard let date = NumericDate(exactly: seconds) else {
            throw MalformedValue(field: "date", reason: "is before 1970 or after 9999")
        }
        self = date
    }

    /// Encodes whole seconds.
    /// - Parameter encoder: the encoder to write to.
    /// - Throws: the encoder's error.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(secondsSince1970)
    }
}
