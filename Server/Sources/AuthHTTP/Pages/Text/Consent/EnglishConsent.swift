extension ConsentText {
    static let english = ConsentText(
        paymentHeading: "Approve this payment",
        trustHeading: "Trust this payee from now on",
        distrustHeading: "Stop trusting this payee",
        seriesHeading: "Start a series of payments",
        otherHeading: "Approve this",
        lead: "{client} is asking for your approval. Check that this is what you want to do.",
        amountLabel: "Amount",
        payeeLabel: "To",
        payeeAccountLabel: "Payee’s account",
        kindLabel: "Type",
        requesterLabel: "Requested by",
        accountLabel: "Your user name",
        detailLabel: "Additional detail “{name}”",
        trustConsequence: "After that, payments to this payee may go through without your approval.",
        seriesConsequence: """
            After that, further payments of this amount to this payee may go through without your approval.
            """,
        warning: """
            Continue only if you started this yourself in {client}, just now. Don’t approve it because someone called \
            you or wrote to you.
            """,
        agreeLabel: "Approve",
        refuseLabel: "I did not ask for this",
        noticeHeading: "You haven’t approved this yet",
        wrong: "That is not correct. Attempts left: {count}.",
        agreedHeading: "Approved",
        agreed: "You’re done here. Go back to {client}.",
        refusedHeading: "Refused",
        refused: """
            It can no longer be approved. If you did not start it, someone else may be signed in as you: change your \
            password and check your devices in {client}.
            """,
        lockedHeading: "Too many wrong attempts",
        locked: "Nothing was approved. Start again in {client}.",
        overHeading: "This page is no longer valid",
        over: """
            The request was refused or withdrawn, or it took too long. Nothing was approved here. Go back to {client}.
            """,
        superseded: "{client} switched to another way to approve this. Go back there.",
        backLabel: "Back to {client}")
}
