package import WalletAuthWire

extension Money {
    /// The amount as people write it in a language: `€1,250.00`, `1.250,00 €`, `1.250,000 KWD`.
    ///
    /// It has the decimals of its currency, the language's decimal mark, and groups of three digits: in German, "1250.000"
    /// dinars would be read as more than a million. Only the euro has a sign; "$" and "kr" are several currencies. What is
    /// signed and logged keeps the minor units, and the texts for operators keep ``words``.
    /// - Parameters:
    ///   - language: the language of the page or message.
    ///   - gap: between number and currency. A message has a plain space there, which does not cost an SMS the alphabet
    ///     that fits twice as much.
    package func text(in language: Language, gap: String = "\u{A0}") -> String {
        let digits = currency.minorUnitDigits
        let padded = String(repeating: "0", count: max(0, digits + 1 - value.utf8.count)) + value
        var number = Self.grouped(padded.dropLast(digits), by: language.groupMark)
        if digits > 0 { number += language.decimalMark + padded.suffix(digits) }
        let isEuro = currency == .euro
        guard language == .english else { return "\(number)\(gap)\(isEuro ? "€" : currency.rawValue)" }
        return isEuro ? "€\(number)" : "\(currency.rawValue)\(gap)\(number)"
    }

    private static func grouped(_ digits: Substring, by mark: String) -> String {
        var groups: [Substring] = []
        var rest = digits
        while rest.utf8.count > 3 {
            groups.append(rest.suffix(3))
            rest = rest.dropLast(3)
        }
        return ([rest] + groups.reversed()).joined(separator: mark)
    }
}

extension Language {
    fileprivate var decimalMark: String { self == .english ? "." : "," }

    /// Between groups of three digits. The space is one at which no line breaks.
    fileprivate var groupMark: String {
        switch self {
        case .english: ","
        case .german, .spanish: "."
        case .french, .bulgarian: "\u{A0}"
        }
    }
}
