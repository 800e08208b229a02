import Foundation
import WalletAuth
import WalletAuthWire

extension PaymentSummary {
    init(_ operation: SCA.Operation, locale: Locale, texts: ScreenTexts) {
        let kind = operation.type
        let heading: ScreenLabel? =
            switch kind {
            case WalletOperationType.trustPayee.rawValue: .trustPayee
            case WalletOperationType.distrustPayee.rawValue: .distrustPayee
            case WalletOperationType.beginSeries.rawValue: .beginSeries
            case WalletOperationType.endSeries.rawValue: .endSeries
            default: nil
            }
        let consequence: ScreenLabel? =
            switch kind {
            case WalletOperationType.trustPayee.rawValue: .trustConsequence
            case WalletOperationType.beginSeries.rawValue: .seriesConsequence
            default: nil
            }
        self.init(
            kind, heading: texts(heading ?? (operation.amount == nil ? .confirmOther : .confirmPayment)),
            hasEffect: heading != nil, consequence: consequence.map { texts($0) },
            amount: operation.amount?.written(in: locale), payee: operation.payee,
            lines: operation.details.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }, texts: texts)
    }

    /// A transaction's kind is its heading, and has no effect beyond the transaction.
    init(_ details: TransactionDetails, locale: Locale, texts: ScreenTexts) {
        self.init(
            details.type, heading: texts.name(ofOperation: details.type), hasEffect: false, consequence: nil,
            amount: details.amount?.written(in: locale), payee: details.payee,
            lines: details.lines.map { ($0.label, $0.value) }, texts: texts)
    }

    /// - Parameter hasEffect: whether amount and payee alone would pass it for one payment.
    private init(
        _ kind: String, heading: String, hasEffect: Bool, consequence: String?, amount: String?, payee: Payee?,
        lines: [(label: String, value: String)], texts: ScreenTexts
    ) {
        let name = texts.name(ofOperation: kind)
        let payeeName = payee?.name.isolated
        self.init(
            kind: kind, name: name, heading: heading, consequence: consequence, advice: texts(.advice),
            approval: amount.flatMap { hasEffect ? nil : texts(.approveAmount, ["amount": $0]) }
                ?? texts(.approveOperation, ["operation": name]),
            amount: amount, payee: payeeName, account: payee?.accountInGroups.isolated,
            // Labeled as details: the backend may name one "Account".
            lines: lines.map {
                Line(label: texts(.detail, ["name": $0.label.isolated]), value: $0.value.isolated)
            },
            reason: Self.reason(kind, name, amount, payeeName, texts))
    }

    /// Only a payment is "paid": of anything else, the reason says first what it is.
    private static func reason(
        _ kind: String, _ name: String, _ amount: String?, _ payee: String?, _ texts: ScreenTexts
    ) -> String {
        if let amount, let payee {
            let values = ["amount": amount, "payee": payee]
            if let label = ScreenLabel.operation(kind), [.transfer, .payment].contains(label) {
                return texts(.payBiometrics, values)
            }
            let subject = texts(.amountToPayee, values)
            return texts(.operationBiometrics, ["operation": name, "subject": subject])
        }
        guard let subject = amount ?? payee else { return texts(.approveOperation, ["operation": name]) }
        return texts(.operationBiometrics, ["operation": name, "subject": subject])
    }
}

extension ScreenLabel {
    /// The name of a kind of operation; nil for a backend's own.
    fileprivate static func operation(_ kind: String) -> ScreenLabel? {
        switch kind {
        case "TRANSFER": .transfer
        case "PAYMENT": .payment
        case WalletOperationType.trustPayee.rawValue: .trustOperation
        case WalletOperationType.distrustPayee.rawValue: .distrustOperation
        case WalletOperationType.beginSeries.rawValue: .beginSeries
        case WalletOperationType.endSeries.rawValue: .endSeries
        case "SHOW_BALANCE": .showBalance
        case "SHOW_TRANSACTIONS": .showTransactions
        case "SHOW_CARD": .showCard
        case "SHOW_PIN": .showPIN
        default: nil
        }
    }
}

extension ScreenTexts {
    /// A kind's name for people. A backend's own is shown unchanged, because nothing else describes it.
    fileprivate func name(ofOperation kind: String) -> String {
        ScreenLabel.operation(kind).map { self($0) } ?? kind
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

extension String {
    /// Text from outside within other text: right-to-left text is isolated (UAX #9), because it would reorder what surrounds it.
    var isolated: String {
        unicodeScalars.contains(where: \.isRightToLeft) ? "\u{2068}\(self)\u{2069}" : self
    }
}

extension Unicode.Scalar {
    /// Whether it is in a block of a right-to-left script.
    fileprivate var isRightToLeft: Bool {
        switch value {
        case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
        default: false
        }
    }
}
