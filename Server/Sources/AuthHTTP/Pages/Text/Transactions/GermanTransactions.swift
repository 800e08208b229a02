extension TransactionText {
    static let german = TransactionText(
        heading: "In Ihrer Wallet-App öffnen",
        lead: "Dieser Link gehört zu einer Zahlung oder einem anderen Vorgang, den Sie in Ihrer Wallet-App signieren.",
        nextStep: """
            Nehmen Sie das Smartphone mit Ihrer Wallet-App: Tippen Sie dort auf den Link oder scannen Sie den QR-Code \
            mit der App. Im Browser können Sie nicht signieren.
            """)
}
