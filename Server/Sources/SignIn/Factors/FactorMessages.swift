package import Core
package import Kernel
package import WalletAuthWire

/// The events of second factors in the audit log.
package enum FactorEvent: String, SecurityEventKind, CaseIterable {
    case secretQuestionAnswered = "factor.secret_question_answered"
    case recoveryCodeUsed = "factor.recovery_code_used"
    /// One wrong answer, after which others may follow.
    case mismatched = "factor.mismatched"
    /// Every try of a sign-in was wrong.
    case failed = "factor.failed"
    case held = "factor.held"
    case totpAdded = "factor.totp_added"
    case totpRemoved = "factor.totp_removed"
    case recoveryCodesMade = "factor.recovery_codes_made"
    case recoveryCodesVoided = "factor.recovery_codes_voided"
    case secretQuestionsSet = "factor.secret_questions_set"
}

/// The messages about second factors.
package enum FactorMessage: SecurityMessage {
    /// A code as second factor.
    case code(String, channel: String)
    /// The same for a sign-in that authorizes a payment, which the message names (RTS article 5).
    case paymentCode(String, channel: String, for: PaymentInitiation)
    /// A sign-in from a new device, by an answer to a secret question.
    case newDevice
    case recoveryCodeUsed
    /// The password was right, but every try of the second factor was wrong.
    case failed
    case totpAdded
    case totpRemoved
    case recoveryCodesMade
    /// New codes took the place of others.
    case recoveryCodesReplaced
    /// The database was restored from a copy in which spent codes may be valid again.
    case recoveryCodesVoided
    case secretQuestionsSet

    package enum Kind: String, SecurityMessageKind, CaseIterable {
        case code = "second_factor_code"
        case paymentCode = "payment_code"
        case newDevice = "new_device"
        case recoveryCodeUsed = "recovery_code_used"
        case failed = "second_factor_failed"
        case totpAdded = "totp_added"
        case totpRemoved = "totp_removed"
        case recoveryCodesMade = "recovery_codes_made"
        case recoveryCodesReplaced = "recovery_codes_replaced"
        case recoveryCodesVoided = "recovery_codes_voided"
        case secretQuestionsSet = "secret_questions_set"
    }

    package var kind: Kind {
        switch self {
        case .code: .code
        case .paymentCode: .paymentCode
        case .newDevice: .newDevice
        case .recoveryCodeUsed: .recoveryCodeUsed
        case .failed: .failed
        case .totpAdded: .totpAdded
        case .totpRemoved: .totpRemoved
        case .recoveryCodesMade: .recoveryCodesMade
        case .recoveryCodesReplaced: .recoveryCodesReplaced
        case .recoveryCodesVoided: .recoveryCodesVoided
        case .secretQuestionsSet: .secretQuestionsSet
        }
    }

    package var channel: OutboxChannel? {
        sent.map { $0.channel == FactorKind.sms.channel ? .sms : .email }
    }

    package var lifetime: Duration { sent == nil ? Self.noticeLifetime : FactorCodes.lifetime }

    package func values(at now: Timestamp) -> [String: String] {
        guard let sent else { return [:] }
        var values = ["code": sent.code, "channel": sent.channel]
        if case .paymentCode(_, _, let payment) = self {
            values["amount_units"] = payment.amount.value
            values["amount_currency"] = payment.amount.currency.rawValue
            values["payee"] = payment.creditorName
        }
        return values
    }

    /// The code, if the message has one.
    private var sent: (code: String, channel: String)? {
        switch self {
        case .code(let code, let channel), .paymentCode(let code, let channel, _): (code: code, channel: channel)
        default: nil
        }
    }

    /// Adds the placeholder `{payment}` to the stored values.
    fileprivate static func complete(_ stored: [String: String], in language: BrandLanguage) -> [String: String] {
        guard let units = stored["amount_units"], let payee = stored["payee"],
            let currency = stored["amount_currency"].flatMap({ try? Currency(recorded: $0) }),
            let amount = try? Money(value: units, currency: currency)
        else { return stored }
        var values = stored
        values["payment"] = PaymentLine.text(amount, to: payee, in: language)
        return values
    }
}

extension FactorMessage.Kind {
    package var template: MessageTemplate {
        switch self {
        case .code: MessageTemplate(advice: .code)
        case .paymentCode:
            MessageTemplate(advice: .code, smsNamesPurpose: true, completing: { FactorMessage.complete($0, in: $1) })
        case .newDevice, .recoveryCodeUsed, .failed, .totpRemoved, .secretQuestionsSet:
            MessageTemplate(advice: .protect)
        case .totpAdded: MessageTemplate(advice: .protectRemoving(.removeAuthenticator))
        case .recoveryCodesMade, .recoveryCodesReplaced:
            MessageTemplate(advice: .protectRemoving(.replaceRecoveryCodes))
        case .recoveryCodesVoided: MessageTemplate(advice: .ask)
        }
    }
}
