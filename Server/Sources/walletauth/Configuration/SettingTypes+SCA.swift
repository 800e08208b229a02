import Core
import Kernel
import Programs
import WalletAuthWire

/// Parsers of amounts, rates and types of operation.
extension SettingTypes {
    static func truth(_ text: String) throws(InvalidValue) -> Bool {
        switch text {
        case "true": return true
        case "false": return false
        default: throw InvalidValue("true or false")
        }
    }

    /// A duration whose bounds are set by law.
    static func duration(
        _ range: ClosedRange<Duration>, as words: String
    ) -> @Sendable (String) throws(InvalidValue) -> Duration {
        let parse = duration(range)
        return { text throws(InvalidValue) in
            do {
                return try parse(text)
            } catch {
                throw InvalidValue("a duration with its unit, such as 30s, 5m, 12h or 90d, from \(words)")
            }
        }
    }

    /// An amount with its currency: `30.00 EUR`, `30 EUR`, `1250 JPY`.
    static func money(_ text: String) throws(InvalidValue) -> Money {
        let invalid = InvalidValue("an amount with its currency, such as 30.00 EUR")
        let words = text.split(separator: " ")
        guard words.count == 2 else { throw invalid }
        guard let currency = try? Currency(String(words[1])) else {
            throw InvalidValue("an amount with its currency, an active ISO 4217 code, such as 30.00 EUR")
        }
        let digits = currency.minorUnitDigits
        let parts = words[0].split(separator: ".", omittingEmptySubsequences: false)
        let fraction = parts.count == 2 ? parts[1] : Substring(repeating: "0", count: digits)
        guard parts.count <= 2, !parts[0].isEmpty, parts.allSatisfy(isDigits), fraction.utf8.count == digits,
            parts.count == 1 || digits > 0, let units = Int64(parts[0] + fraction),
            let money = try? Money(minorUnits: units, currency: currency)
        else { throw invalid }
        return money
    }

    /// A percentage, in parts per million: `0.06%` is 600.
    static func fraudRate(_ text: String) throws(InvalidValue) -> Int64 {
        let invalid = InvalidValue("a percentage with at most four decimals, such as 0.06%")
        guard text.hasSuffix("%") else { throw invalid }
        let parts = text.dropLast().trimmingSpaces.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), !parts[0].isEmpty, parts[0].utf8.count <= 3, parts.allSatisfy(isDigits)
        else { throw invalid }
        let decimals = parts.count == 2 ? parts[1] : "0"
        guard (1...4).contains(decimals.utf8.count),
            let rate = Int64(parts[0] + decimals + String(repeating: "0", count: 4 - decimals.utf8.count))
        else { throw invalid }
        return rate
    }

    /// Types of operation, except those that always need consent.
    static func operationTypes(_ text: String) throws(InvalidValue) -> Set<WalletOperationType> {
        var types: Set<WalletOperationType> = []
        for part in text.split(separator: ",") {
            let type = try operationType(part.trimmingSpaces)
            guard types.insert(type).inserted else {
                throw InvalidValue("kinds of operation, each once; \(type) appears twice")
            }
        }
        guard !types.isEmpty else { throw InvalidValue("kinds of operation separated by commas, such as SHOW_BALANCE") }
        return types
    }

    /// Types of operation that pass without consent, each with its conditions: `DONATE_POINTS 5.00 EUR`,
    /// `SHOW_CARD_NUMBER signed-in 10m two-factors trusted-device`.
    static func unchallenged(_ text: String) throws(InvalidValue) -> [WalletOperationType: SCAPolicy.Rule] {
        var rules: [WalletOperationType: SCAPolicy.Rule] = [:]
        for part in text.split(separator: ",") {
            let words = part.split(separator: " ")
            let type = try operationType(words.first.map(String.init) ?? "")
            let rule = try rule(for: type, words.dropFirst())
            guard rules.updateValue(rule, forKey: type) == nil else {
                throw InvalidValue("kinds of operation, each once; \(type) appears twice")
            }
        }
        guard !rules.isEmpty else { throw InvalidValue(rulesByExample) }
        return rules
    }

    private static let rulesByExample =
        "kinds of operation separated by commas, such as SHOW_CARD_DESIGN, DONATE_POINTS 5.00 EUR, SHOW_CARD_NUMBER"
        + " signed-in 10m two-factors trusted-device"
    private static let signInAge = duration(.seconds(10) ... .days(90))

    /// The conditions of a type, each at most once, in any order.
    private static func rule(
        for type: WalletOperationType, _ conditions: ArraySlice<Substring>
    ) throws(InvalidValue) -> SCAPolicy.Rule {
        func invalid(_ fault: String) -> InvalidValue { InvalidValue("\(rulesByExample); after \(type), \(fault)") }
        var rule = SCAPolicy.Rule()
        var words = conditions
        while let word = words.popFirst() {
            switch word {
            case "two-factors":
                guard !rule.needsTwoFactors else { throw invalid("two-factors appears twice") }
                rule.needsTwoFactors = true
            case "trusted-device":
                guard !rule.needsTrustedDevice else { throw invalid("trusted-device appears twice") }
                rule.needsTrustedDevice = true
            case "signed-in":
                guard rule.maximumSignInAge == nil else { throw invalid("signed-in appears twice") }
                guard let age = words.popFirst(), age.first.map(\.isNumber) == true else {
                    throw invalid("signed-in needs a time from 10s to 90d, such as signed-in 10m")
                }
                do { rule.maximumSignInAge = try signInAge(String(age)) } catch {
                    throw invalid("signed-in needs a time with its unit, from 10s to 90d, not \(shown(age))")
                }
            default:
                guard word.allSatisfy({ $0.isNumber || $0 == "." || $0 == "," }) else {
                    throw invalid(
                        """
                        \(shown(word)) is not signed-in, two-factors or trusted-device, and not an amount such as \
                        5.00 EUR
                        """
                    )
                }
                guard rule.maximumAmount == nil else { throw invalid("there are two amounts") }
                let amount = ([word] + words.prefix(1)).joined(separator: " ")
                words = words.dropFirst()
                do { rule.maximumAmount = try money(amount) } catch {
                    throw invalid("\(shown(amount)) is not an amount with its currency, such as 5.00 EUR")
                }
            }
        }
        return rule
    }

    /// A word from the operator's text, for messages.
    private static func shown(_ text: some StringProtocol) -> String {
        "\"\(String(text.prefix(80)).escapedForOneLine)\""
    }

    private static func operationType(_ text: String) throws(InvalidValue) -> WalletOperationType {
        let type: WalletOperationType
        do { type = try WalletOperationType(text) } catch {
            throw InvalidValue("kinds of operation separated by commas, such as SHOW_BALANCE (it \(error.reason))")
        }
        if let article = SCAPolicy.alwaysChallenged[type] {
            throw InvalidValue("kinds of operation without \(type), which always needs consent under \(article)")
        }
        return type
    }

    private static func isDigits(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
