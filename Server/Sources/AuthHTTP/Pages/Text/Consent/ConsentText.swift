/// The texts of the consent page in one language. Texts shared with other pages are in ``PageText``.
///
/// `{client}` and `{count}` are placeholders that ``PageText/fill(_:_:)`` fills.
struct ConsentText: Sendable {
    // The operation.
    let paymentHeading: String
    let trustHeading: String
    let distrustHeading: String
    let seriesHeading: String
    let otherHeading: String
    let lead: String
    let amountLabel: String
    let payeeLabel: String
    let payeeAccountLabel: String
    let kindLabel: String
    let requesterLabel: String
    let accountLabel: String
    /// Before the name of a detail, `{name}`. The backend chooses the name, so it must not look like a label of the
    /// page.
    let detailLabel: String
    let trustConsequence: String
    let seriesConsequence: String
    let warning: String
    let agreeLabel: String
    let refuseLabel: String

    // Notices.
    let noticeHeading: String
    let wrong: String

    // The final states.
    let agreedHeading: String
    let agreed: String
    let refusedHeading: String
    let refused: String
    let lockedHeading: String
    let locked: String
    let overHeading: String
    let over: String
    let superseded: String
    let backLabel: String
}
