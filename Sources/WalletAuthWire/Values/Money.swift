/// A currency, by its alphabetic code in ISO 4217: `EUR`.
///
/// The codes are those of `CurrencyList`. Unknown codes, former codes, and codes for metals, tests or no currency
/// (`XAU`, `XTS`, `XXX`) have no minor unit, so amounts in them cannot be displayed or compared.
public struct Currency: WireValue {
    /// The form of its text.
    public static var form: TextForm { .own(3...3, pattern: "^[A-Z]{3}$", example: "EUR") }

    /// The code.
    public let rawValue: String

    /// Validates a code.
    /// - Parameter text: an active code of ISO 4217 with a minor unit.
    public init(_ text: String) throws(MalformedValue) {
        try self.init(recorded: text)
        guard isActive else {
            throw MalformedValue(field: "currency", reason: "is not an active currency of ISO 4217 with a minor unit")
        }
    }

    /// Reads a code from a record, which may be older than the list: last year's payment names last year's currency.
    ///
    /// Use it for stored or signed values, and ``init(_:)`` for everything new.
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

    /// The number of decimal digits of the minor unit: 2 for EUR, 0 for JPY, 3 for KWD. A recorded currency missing
    /// from the list counts as 2, like nearly all: an approximation for records, not for display before a consent.
    public var minorUnitDigits: Int { CurrencyList.minorUnitDigits[rawValue] ?? 2 }
}

/// An amount in a currency's minor unit: 12.50 EUR is 1250. Never negative, never a fraction, never a `Double`.
///
/// On the wire, the amount is a string of digits, so that no JSON library rounds it.
public struct Money: Hashable, Sendable, Codable {
    /// The largest amount: anything above is an error or an attack, and sums stay far from overflow.
    public static let maximumMinorUnits: Int64 = 1_000_000_000_000_000

    /// The amount in minor units, from 0 to ``maximumMinorUnits``.
    public let minorUnits: Int64

    /// The currency.
    public let currency: Currency

    /// Creates an amount.
    /// - Parameters:
    ///   - minorUnits: from 0 to ``maximumMinorUnits``.
    ///   - currency: the currency.
    public init(minorUnits: Int64, currency: Currency) throws(MalformedValue) {
        guard (0...Money.maximumMinorUnits).contains(minorUnits) else {
            throw MalformedValue(field: "amount", reason: "is negative or too large")
        }
        self.minorUnits = minorUnits
        self.currency = currency
    }

    /// Reads an amount from the wire.
    /// - Parameters:
    ///   - value: minor units in decimal digits, without sign, point or leading zero.
    ///   - currency: the currency.
    public init(value: String, currency: Currency) throws(MalformedValue) {
        guard value.utf8.allSatisfy(ASCII.isDigit), value == "0" || !value.hasPrefix("0"), let units = Int64(value)
        else {
            throw MalformedValue(
                field: "amount", reason: "is not a whole number of minor units: send the text 1250 for 12.50 EUR")
        }
        try self.init(minorUnits: units, currency: currency)
    }

    /// The amount as written on the wire.
    public var value: String { String(minorUnits) }

    /// The sum of two amounts of one currency, or nil if the currencies differ or the sum is too large.
    /// - Parameter other: the amount to add.
    public func adding(_ other: Money) -> Money? {
        guard currency == other.currency else { return nil }
        return try? Money(minorUnits: minorUnits + other.minorUnits, currency: currency)
    }

    private enum CodingKeys: String, CodingKey { case value, currency }

    /// Decodes `{value, currency}`.
    /// - Parameter decoder: the decoder to read from.
    /// - Throws: `DecodingError`, or ``MalformedValue`` for a value that breaks the type's rules.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        try self.init(
            value: container.decode(String.self, forKey: .value),
            currency: container.decode(Currency.self, forKey: .currency))
    }

    /// Encodes `{value, currency}`.
    /// - Parameter encoder: the encoder to write to.
    /// - Throws: the encoder's error.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(value, forKey: .value)
        try container.encode(currency, forKey: .currency)
    }
}

extension Money: WireShaped {
    /// Its members.
    public static let shape = WireShape.request(
        Money.self,
        [
            .required("value", .text(.own(1...16, pattern: "^(0|[1-9][0-9]*)$", example: "1250"))),
            .required("currency", .of(Currency.self)),
        ],
        note: "`value` counts the currency's minor unit: 1250 of EUR is 12.50 EUR, 1250 of JPY is 1250 JPY")
}
