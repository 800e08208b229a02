import Core
import Web

/// The texts of the consent page. Texts that it shares with other pages are in ``PageText``.
enum ConsentText: String, TextKey {
    static let section = "consent"

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

extension TextSource {
    var consentText: Texts<ConsentText> { texts() }
}
