/// Everything that the page says on which people agree to operations, in one language. What it shares with the other pages is
/// ``PageText``'s.
///
/// `{client}` and `{count}` stand for what ``PageText/fill(_:_:)`` puts in.
struct ConsentText: Sendable {
    // What is agreed to.
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
    /// Before the name of a detail, `{name}`, which is the backend's: it must not pass for a label of the page.
    let detailLabel: String
    let trustConsequence: String
    let seriesConsequence: String
    let warning: String
    let agreeLabel: String
    let refuseLabel: String

    // What is said beside it.
    let noticeHeading: String
    let wrong: String

    // Its ends.
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
