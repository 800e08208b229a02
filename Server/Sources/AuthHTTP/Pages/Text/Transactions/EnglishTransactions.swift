extension TransactionText {
    static let english = TransactionText(
        heading: "Open this in your wallet app",
        lead: "This link is for a payment or another transaction that you sign in your wallet app.",
        nextStep: """
            Use the phone with your wallet app: tap the link there, or scan the QR code with the app. Your browser can’t sign it.
            """)
}
