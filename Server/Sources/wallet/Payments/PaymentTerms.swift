import Foundation
import Programs
import WalletAuthWire

/// The terms of the wire, in words for a person.
enum OperationDescription {
    /// Why no consent was needed.
    /// - Parameter name: the server's name of the exemption; nil if the operator's own rule lets such payments pass.
    static func exemption(_ name: String?) -> String {
        guard let name else { return "the wallet's issuer does not require approval here" }
        return switch SCAExemption(rawValue: name) {
        case .lowValue: "a small amount"
        case .trustedBeneficiary: "a trusted payee"
        case .recurring: "part of a series that you approved"
        case .ownAccount: "between your own accounts"
        case .accountInformation: "account information that you agreed to show"
        case .riskAnalysis: "low risk, according to the wallet's analysis"
        case nil: phrase(name)
        }
    }

    /// The type of an operation, which its backend chose: `TRANSFER`, `TRUST_PAYEE`. Text in another format is returned
    /// as it is.
    static func kind(_ type: String) -> String {
        type.allSatisfy { $0 == "_" || ($0.isASCII && $0.isUppercase) } ? phrase(type) : type
    }

    /// `TRUST_PAYEE` as `Trust payee`.
    private static func phrase(_ word: String) -> String {
        let words = word.lowercased().split(separator: "_").joined(separator: " ")
        return words.prefix(1).uppercased() + words.dropFirst()
    }
}

extension Payee {
    /// The payee, line by line. The account comes first, because the payee chose the name.
    var words: [String] { ["to account \(account.quoted)", "of \(name.quoted)"] }
}

extension String {
    /// Text from others as a JSON string, whose quotation marks show where it ends.
    var quoted: String { JSONValue.string(self).text.jsonEscapedForTerminal }
}

extension Money {
    /// Parses a typed amount: `12.50` or `12`, never `12,50` or `1e3`.
    /// - Parameter text: digits, and optionally a point with as many decimals as the currency has.
    /// - Throws: `MalformedValue` with the reason.
    init(typed text: String, currency: Currency) throws(MalformedValue) {
        let digits = currency.minorUnitDigits
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard let whole = parts.first, !whole.isEmpty, parts.count <= 2,
            parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) })
        else {
            throw MalformedValue(field: "amount", reason: "is not a number such as 12.50")
        }
        let fraction = parts.count == 2 ? String(parts[1]) : String(repeating: "0", count: digits)
        guard fraction.utf8.count == digits else {
            throw MalformedValue(
                field: "amount",
                reason: digits == 0
                    ? "has decimals, but \(currency) has none" : "needs \(digits) digits after the decimal point")
        }
        let units = (String(whole) + fraction).drop { $0 == "0" }
        try self.init(value: units.isEmpty ? "0" : String(units), currency: currency)
    }

    /// `12.50 EUR`.
    var words: String {
        let digits = currency.minorUnitDigits
        guard digits > 0 else { return "\(value) \(currency)" }
        let padded = String(repeating: "0", count: max(0, digits + 1 - value.utf8.count)) + value
        return "\(padded.dropLast(digits)).\(padded.suffix(digits)) \(currency)"
    }

    /// `{value, currency}`.
    var json: JSONObject { JSONObject(strings: ["value": value, "currency": currency.rawValue]) }

    /// Parses an amount from the backend's answer.
    init(_ object: JSONObject?) throws(MalformedValue) {
        let object = try (object ?? JSONObject()).required("amount", object)
        try self.init(
            value: object.required("value", object.string("value")),
            // A balance or payment may use a currency that is no longer in the list.
            currency: Currency(recorded: object.required("currency", object.string("currency"))))
    }
}

extension NumericDate {
    var date: Date { Date(timeIntervalSince1970: TimeInterval(secondsSince1970)) }
}
