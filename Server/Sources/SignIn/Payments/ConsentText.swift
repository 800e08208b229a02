package import Core
import Kernel
package import WalletAuthWire

/// The texts of the pages where a person agrees to a payment. Texts that they share with other pages are in ``PageText``.
package enum ConsentText: String, TextKey {
    package static let section = "consent"

    // The operation.
    case paymentHeading, trustHeading, distrustHeading, seriesHeading, otherHeading, amountToPayee, lead,
        payeeAccountLabel, payeeAccountMissing, kindLabel, requesterLabel, accountLabel
    /// Before the name of a detail, `{name}`. The backend chooses the name, so it must not look like a label of the
    /// page.
    case detailLabel
    /// Of the detail `reference`.
    case referenceLabel
    case moreLabel, trustConsequence, seriesConsequence, warning, agreeAmountLabel, agreeOperationLabel,
        refuseLabel, leaveLabel, forgotPassword, forgotPIN

    // Notices.
    case noticeHeading, wrong

    // The final states.
    case agreedHeading, agreed, refusedHeading, refused, refusedAdvice, lockedHeading, locked, overHeading, over,
        superseded, unfinishedHeading, unfinished, left, backLabel
}

/// Amount and payee of a payment, as the page that asks shows them.
package enum PaymentLine {
    /// - Returns: `nil` if one of them is missing.
    package static func text(_ amount: Money?, to payee: Payee?, in language: Language) -> String? {
        text(amount, to: payee, in: language, language.consentText)
    }

    package static func text(
        _ amount: Money?, to payee: Payee?, in language: Language, _ text: Texts<ConsentText>
    ) -> String? {
        guard let amount, let payee else { return nil }
        return line(amount.text(in: language), payee.name, text)
    }

    /// The same in a message.
    static func text(_ amount: Money, to payee: String, in language: BrandLanguage) -> String {
        line(amount.text(in: language.language, gap: " "), payee, language.consentText)
    }

    private static func line(_ amount: String, _ payee: String, _ text: Texts<ConsentText>) -> String {
        text[.amountToPayee, ["amount": amount, "payee": MessagePlaceholders.isolated(payee)]]
    }
}

extension TextSource {
    package var consentText: Texts<ConsentText> { texts() }
}
