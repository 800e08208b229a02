extension TransactionText {
    static let french = TransactionText(
        heading: "Ouvrez ce lien dans votre application",
        lead:
            "Ce lien correspond à un paiement ou à une autre opération à signer dans votre application de portefeuille.",
        nextStep: """
            Prenez le téléphone sur lequel l’application est installée : touchez-y le lien ou scannez le code QR avec l’application. La signature n’est pas possible dans le navigateur.
            """)
}
