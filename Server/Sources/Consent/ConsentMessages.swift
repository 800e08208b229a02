package import Core
package import Kernel
internal import SignIn
package import WalletAuthWire

/// The messages about consent to wallet operations.
package enum ConsentMessage: SecurityMessage {
    /// A code for consent to the operation that the message describes.
    case code(String, for: WalletOperation, by: SCAChannel)
    /// Too many wrong values for the operation that the message describes.
    case locked(WalletOperation)
    /// The holder reported that they did not request the operation that the message describes.
    case refused(WalletOperation)

    package enum Kind: String, SecurityMessageKind, CaseIterable {
        case code = "consent_code"
        case locked = "consent_locked"
        case lockedPayment = "payment_locked"
        case refused = "consent_refused"
        case refusedPayment = "payment_refused"
    }

    package var kind: Kind {
        switch self {
        case .code: .code
        case .locked(let operation): Self.isPayment(operation) ? .lockedPayment : .locked
        case .refused(let operation): Self.isPayment(operation) ? .refusedPayment : .refused
        }
    }

    private static func isPayment(_ operation: WalletOperation) -> Bool {
        operation.type.isPayment && operation.amount != nil
    }

    package var channel: OutboxChannel? {
        guard case .code(_, _, let channel) = self else { return nil }
        return channel == .sms ? .sms : .email
    }

    package var lifetime: Duration { kind == .code ? FactorCodes.lifetime : Self.noticeLifetime }

    package func values(at now: Timestamp) -> [String: String] {
        switch self {
        case .code(let code, let operation, _):
            var values = Self.describing(operation)
            values["code"] = code
            return values
        case .locked(let operation), .refused(let operation): return Self.describing(operation)
        }
    }
}

extension ConsentMessage.Kind {
    package var template: MessageTemplate {
        switch self {
        case .code:
            MessageTemplate(advice: .code, smsNamesPurpose: true, completing: { ConsentMessage.complete($0, in: $1) })
        case .locked, .lockedPayment:
            MessageTemplate(advice: .protect, completing: { ConsentMessage.complete($0, in: $1) })
        case .refused, .refusedPayment:
            MessageTemplate(advice: .refusal, completing: { ConsentMessage.complete($0, in: $1) })
        }
    }
}

// MARK: - The operation in words

extension ConsentMessage {
    private static func describing(_ operation: WalletOperation) -> [String: String] {
        var values = ["type": operation.type.rawValue]
        values["amount"] = operation.amount?.words
        values["amount_units"] = operation.amount?.value
        values["amount_currency"] = operation.amount?.currency.rawValue
        values["payee"] = operation.payee?.name
        values["payee_account"] = operation.payee?.account
        return values
    }

    /// Adds the placeholder `{operation}` to the stored values.
    static func complete(_ stored: [String: String], in language: BrandLanguage) -> [String: String] {
        var values = stored
        for name in ["payee", "payee_account"] { values[name] = stored[name].map(MessagePlaceholders.isolated) }
        if let amount = amount(in: stored) { values["amount"] = amount.text(in: language.language, gap: " ") }
        values["operation"] = text(of: values, in: language)
        return values
    }

    private static func amount(in stored: [String: String]) -> Money? {
        guard let units = stored["amount_units"],
            let currency = stored["amount_currency"].flatMap({ try? Currency(recorded: $0) })
        else { return nil }
        return try? Money(value: units, currency: currency)
    }

    /// The purpose of a consent: amount and payee, if there are any (RTS article 5(1)(a)), and its effect beyond this payment.
    private static func text(of values: [String: String], in language: BrandLanguage) -> String {
        let wording = language.texts(MessageWording.self)
        let type = values["type"] ?? ""
        switch (type, values["amount"], values["payee"]) {
        case (WalletOperationType.beginSeries.rawValue, _?, _?):
            return wording[.series, values]
        case (WalletOperationType.trustPayee.rawValue, _, _?):
            return wording[.trust, values]
        case (WalletOperationType.distrustPayee.rawValue, _, _?):
            return wording[.distrust, values]
        default: break
        }
        let kind = (try? WalletOperationType(type))?.name(in: language.language) ?? type
        return switch (values["amount"], values["payee"]) {
        case (_?, _?): wording[.payment, values]
        case (let amount?, nil): "\(amount) (\(kind))"
        case (nil, let payee?): "\(payee), \(values["payee_account"] ?? "") (\(kind))"
        case (nil, nil): kind
        }
    }
}

extension WalletOperationType {
    /// The type's name for people. A backend's own type is shown unchanged, because nothing else describes the request.
    package func name(in language: Language) -> String {
        NamedOperationType(rawValue: rawValue).map { language.texts()[$0] } ?? rawValue
    }
}

/// The types that have a name for people.
enum NamedOperationType: String, TextKey {
    static let section = "operations"

    case transfer = "TRANSFER"
    case payment = "PAYMENT"
    case trustPayee = "TRUST_PAYEE"
    case distrustPayee = "DISTRUST_PAYEE"
    case beginSeries = "BEGIN_SERIES"
    case endSeries = "END_SERIES"
    case showBalance = "SHOW_BALANCE"
    case showTransactions = "SHOW_TRANSACTIONS"
    case showCard = "SHOW_CARD"
    case showPin = "SHOW_PIN"
}
