extension ConsentText {
    static let english = ConsentText(
        paymentHeading: "Confirm this payment",
        trustHeading: "Trust this payee from now on",
        distrustHeading: "Stop trusting this payee",
        seriesHeading: "Begin a series of payments",
        otherHeading: "Confirm this",
        lead: "{client} asks whether you agree. Compare this with what you want to do.",
        amountLabel: "Amount",
        payeeLabel: "To",
        payeeAccountLabel: "Account of the payee",
        kindLabel: "Kind",
        requesterLabel: "Asked for by",
        accountLabel: "Your user name",
        detailLabel: "Further detail “{name}”",
        trustConsequence: "Payments to this payee may then go through without asking you.",
        seriesConsequence: "Further payments of this amount to this payee may then go through without asking you.",
        warning: """
            Go on only if you started this yourself in {client}, just now. Nobody who calls or writes to you needs you to \
            confirm it.
            """,
        agreeLabel: "Agree",
        refuseLabel: "I did not ask for this",
        noticeHeading: "You have not agreed yet",
        wrong: "That is not right. Tries left: {count}.",
        agreedHeading: "You have agreed",
        agreed: "There is nothing more to do here. Go back to {client}.",
        refusedHeading: "Refused",
        refused: """
            Nobody can agree to it any more. If you did not start it, somebody else may be signed in as you: change your \
            password, and look at your devices in {client}.
            """,
        lockedHeading: "Too many wrong tries",
        locked: "Nothing was agreed to. Start again in {client}.",
        overHeading: "This page is no longer valid",
        over: "It was refused or taken back, or it took too long. Nothing was agreed to here. Go back to {client}.",
        superseded: "{client} went on in another way. Go back there.",
        backLabel: "Back to {client}")
}
