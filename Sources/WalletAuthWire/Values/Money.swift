/// A currency by its alphabetic code (ISO 4217): three upper-case letters.
public struct Currency: WireValue {
    /// The code.
    public let rawValue: String

    /// Checks a code's form.
    /// - Parameter text: three upper-case letters.
    public init(_ text: String) throws(MalformedValue) {
        guard text.utf8.count == 3, text.utf8.allSatisfy(ASCII.isUpper) else {
            throw MalformedValue(field: "currency", reason: "is not three upper-case letters")
        }
        rawValue = text
    }

    /// The euro, in which the regulation on SCA states its limits.
    public static let euro = Currency(unchecked: "EUR")

    private init(unchecked text: String) { rawValue = text }

    private static let withoutMinorUnit: Set<String> = [
        "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI", "VND", "VUV", "XAF", "XOF",
        "XPF",
    ]
    private static let withThreeDigits: Set<String> = ["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"]
    private static let withFourDigits: Set<String> = ["CLF", "UYW"]

    /// How many decimal digits the minor unit has: 2 for EUR, 0 for JPY, 3 for KWD.
    public var minorUnitDigits: Int {
        if Currency.withoutMinorUnit.contains(rawValue) { return 0 }
        if Currency.withThreeDigits.contains(rawValue) { return 3 }
        return Currency.withFourDigits.contains(rawValue) ? 4 : 2
    }
}

/// An amount in a currency's minor units: 12.50 EUR is 1250. Never negative, never a fraction, never a `Double`.
///
/// On the wire the amount is a string of digits, so that no JSON library rounds it.
public struct Money: Hashable, Sendable, Codable {
    /// The most that one amount can be: beyond it lies an error or an attack, and sums stay far from overflow.
    public static let maximumMinorUnits: Int64 = 1_000_000_000_000_000

    /// The amount in minor units, from 0 to ``maximumMinorUnits``.
    public let minorUnits: Int64

    /// The currency.
    public let currency: Currency

    /// Checks an amount.
    /// - Parameters:
    ///   - minorUnits: from 0 to ``maximumMinorUnits``.
    ///   - currency: what the units are of.
    public init(minorUnits: Int64, currency: Currency) throws(MalformedValue) {
        guard (0...Money.maximumMinorUnits).contains(minorUnits) else {
            throw MalformedValue(field: "amount", reason: "is negative or too large")
        }
        self.minorUnits = minorUnits
        self.currency = currency
    }

    /// Reads an amount as it stands on the wire.
    /// - Parameters:
    ///   - value: minor units in decimal digits, without sign, point or leading zero.
    ///   - currency: what the units are of.
    public init(value: String, currency: Currency) throws(MalformedValue) {
        guard value.utf8.allSatisfy(ASCII.isDigit), value == "0" || !value.hasPrefix("0"), let units = Int64(value)
        else {
            throw MalformedValue(field: "amount", reason: "is not a whole number of minor units")
        }
        try self.init(minorUnits: units, currency: currency)
    }

    /// The amount as it stands on the wire.
    public var value: String { String(minorUnits) }

    /// The sum of two amounts of one currency, or nil where the currencies differ or the sum is too large.
    /// - Parameter other: the amount to add.
    public func adding(_ other: Money) -> Money? {
        guard currency == other.currency else { return nil }
        return try? Money(minorUnits: minorUnits + other.minorUnits, currency: currency)
    }

    private enum CodingKeys: String, CodingKey { case value, currency }

    /// Decodes `{value, currency}`.
    /// - Parameter decoder: the decoder to read from.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        try self.init(
            value: container.decode(String.self, forKey: .value),
            currency: container.decode(Currency.self, forKey: .currency))
    }

    /// Encodes `{value, currency}`.
    /// - Parameter encoder: the encoder to write to.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(value, forKey: .value)
        try container.encode(currency, forKey: .currency)
    }
}
