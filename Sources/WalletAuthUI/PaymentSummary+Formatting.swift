import Foundation
import WalletAuth
import WalletAuthWire

extension PaymentSummary {
    init(_ operation: SCA.Operation, locale: Locale) {
        let details = operation.details.sorted { $0.key < $1.key }.map { Line(label: $0.key, value: $0.value) }
        self.init(
            kind: operation.type, amount: operation.amount?.written(in: locale), payee: operation.payee?.name,
            account: operation.payee?.accountInGroups, lines: details)
    }

    init(_ details: TransactionDetails, locale: Locale) {
        self.init(
            kind: details.type, amount: details.amount?.written(in: locale), payee: details.payee?.name,
            account: details.payee?.accountInGroups,
            lines: details.lines.map { Line(label: $0.label, value: $0.value) })
    }

    /// What the device shows while it asks for face or fingerprint.
    func reason(in texts: ScreenTexts) -> String {
        guard let amount, let payee else { return texts(.confirmBiometrics) }
        return texts(.payBiometrics, ["amount": amount, "payee": payee])
    }
}

extension Money {
    /// The amount as a locale writes it, with the decimals of its currency.
    func written(in locale: Locale) -> String {
        decimal.formatted(
            .currency(code: currency.rawValue).locale(locale).precision(.fractionLength(currency.minorUnitDigits)))
    }
}

extension Payee {
    /// The account as printed: an IBAN in groups of four, which lines break only between. Anything else as it is.
    var accountInGroups: String {
        guard let iban = try? IBAN(account) else { return account }
        var groups: [Substring] = []
        var rest = iban.rawValue[...]
        while !rest.isEmpty {
            groups.append(rest.prefix(4))
            rest = rest.dropFirst(4)
        }
        return groups.joined(separator: " ")
    }
}
