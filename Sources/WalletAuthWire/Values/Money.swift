/// A currency by its alphabetic code in ISO 4217: `EUR`.
///
/// The codes are those of `CurrencyList`. A code that the list does not have, one that it no longer has, and one for metals,
/// tests or no currency at all (`XAU`, `XTS`, `XXX`) have no minor unit, so no amount in them can be shown or compared.
public struct Currency: WireValue {
    /// The code.
    public let rawValue: String

    /// Checks a code.
    /// - Parameter text: an active code of ISO 4217 with a minor unit.
    public init(_ text: String) throws(MalformedValue) {
        try self.init(recorded: text)
        guard isActive else {
            throw MalformedValue(field: "currency", reason: "is not an active currency of ISO 4217 with a minor unit")
        }
    }

    /// Reads a code from a record, which may be older than the list: a payment of last year names a currency of last year.
    ///
    /// Use it for what was stored or signed earlier, and ``init(_:)`` for everything new.
    /// - Parameter text: three upper-case letters.
    public init(recorded text: String) throws(MalformedValue) {
        guard text.utf8.count == 3, text.utf8.allSatisfy(ASCII.isUpper) else {
            throw MalformedValue(field: "currency", reason: "is not three upper-case letters")
        }
        rawValue = text
    }

    /// The euro, in which the regulation on SCA states its limits.
    public static let euro = Currency(unchecked: "EUR")

    private init(unchecked text: String) { rawValue = text }

    /// Whether ISO 4217 lists it today, with a minor unit.
    public var isActive: Bool { CurrencyList.minorUnitDigits[rawValue] != nil }

    /// How many decimal digits the minor unit has: 2 for EUR, 0 for JPY, 3 for KWD. A recorded currency that the list does not
    /// have counts 2, as nearly all do: a guess for records, and nothing to show before somebody agrees to an amount.
    public var minorUnitDigits: Int { CurrencyList.minorUnitDigits[rawValue] ?? 2 }
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
            throw MalformedValue(
                field: "amount", reason: "is not a whole number of minor units: send the text 1250 for 12.50 EUR")
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
