/// An international bank account number (ISO 13616): country, two check digits, and as many characters as the country
/// defines.
///
/// Only the form is validated. Whether the account exists, only its bank knows.
public struct IBAN: WireValue {
    /// The form of its text.
    public static var form: TextForm { .own(15...42, example: "DE89370400440532013000") }

    /// The number in its electronic form: upper case, without spaces.
    public let rawValue: String

    /// Validates a number.
    /// - Parameter text: as typed or printed; blanks of any kind and lower case are accepted.
    public init(_ text: String) throws(MalformedValue) {
        let written = IBAN.withoutBlanks(text)
        let number = written.uppercased()
        // Some non-ASCII lower-case letters have ASCII upper-case forms.
        guard written.utf8.allSatisfy({ $0 < 0x80 }), number.utf8.count >= 4,
            number.utf8.prefix(2).allSatisfy(ASCII.isUpper),
            number.utf8.dropFirst(2).prefix(2).allSatisfy(ASCII.isDigit),
            number.utf8.allSatisfy({ ASCII.isUpper($0) || ASCII.isDigit($0) })
        else {
            throw MalformedValue(field: "iban", reason: "is not a country, two check digits, and letters and digits")
        }
        let country = String(number.prefix(2))
        guard let length = IBAN.lengths[country] else {
            throw MalformedValue(field: "iban", reason: "begins with \(country), which has no such numbers")
        }
        guard number.utf8.count == length else {
            throw MalformedValue(
                field: "iban", reason: "has \(number.utf8.count) characters, and those of \(country) have \(length)")
        }
        guard IBAN.remainder(of: number) == 1 else {
            throw MalformedValue(
                field: "iban", reason: "does not fit its check digits: a character is wrong or two changed places")
        }
        rawValue = number
    }

    /// Whether a text is meant as an IBAN: it begins with two letters and two digits, as no other account here does.
    /// - Parameter text: the text as typed.
    public static func isMeant(by text: String) -> Bool {
        let start = withoutBlanks(text).uppercased().utf8.prefix(4)
        return start.count == 4 && start.prefix(2).allSatisfy(ASCII.isUpper)
            && start.dropFirst(2).allSatisfy(ASCII.isDigit)
    }

    /// A text without the blanks in printed account numbers: spaces of all widths, including non-breaking ones.
    static func withoutBlanks(_ text: String) -> String {
        String(
            String.UnicodeScalarView(text.unicodeScalars.filter { $0.properties.generalCategory != .spaceSeparator }))
    }

    /// Modulo 97 of ISO 7064: the first four characters moved to the end, letters as 10 to 35.
    private static func remainder(of number: String) -> Int {
        (Array(number.utf8.dropFirst(4)) + Array(number.utf8.prefix(4))).reduce(0) { remainder, byte in
            ASCII.isDigit(byte)
                ? (remainder * 10 + Int(byte) - 0x30) % 97 : (remainder * 100 + Int(byte) - 0x41 + 10) % 97
        }
    }

    /// The length of each country's numbers: the IBAN registry of SWIFT, the registration authority of ISO 13616.
    private static let lengths: [String: Int] = [
        "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BI": 27, "BR": 29,
        "BY": 28, "CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DJ": 27, "DK": 18, "DO": 28, "EE": 20, "EG": 29,
        "ES": 24, "FI": 18, "FK": 18, "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28,
        "HN": 28, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IQ": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20,
        "LB": 28, "LC": 32, "LI": 21, "LT": 20, "LU": 20, "LV": 21, "LY": 25, "MC": 27, "MD": 24, "ME": 22, "MK": 19,
        "MN": 20, "MR": 27, "MT": 31, "MU": 30, "NI": 28, "NL": 18, "NO": 15, "OM": 23, "PK": 24, "PL": 28, "PS": 29,
        "PT": 25, "QA": 29, "RO": 24, "RS": 22, "RU": 33, "SA": 24, "SC": 31, "SD": 18, "SE": 24, "SI": 19, "SK": 24,
        "SM": 27, "SO": 23, "ST": 25, "SV": 28, "TL": 23, "TN": 24, "TR": 26, "UA": 29, "VA": 22, "VG": 24, "XK": 20,
        "YE": 30,
    ]
}
