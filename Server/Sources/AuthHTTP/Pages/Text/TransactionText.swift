import AuthCore

/// The page that a transaction's link opens, in one language.
struct TransactionText: PageTranslation {
    let heading: String
    let lead: String
    let nextStep: String
}

extension Language {
    var transactions: TransactionText { translation() }
}

extension TransactionText {
    static let english = TransactionText(
        heading: "Open this in your wallet app",
        lead: "This link is for a payment or another transaction that you sign in your wallet app.",
        nextStep: """
            On the phone with your wallet app, tap the link or scan the QR code with the app. You can’t sign it in a \
            browser.
            """)

    static let german = TransactionText(
        heading: "In Ihrer Wallet-App öffnen",
        lead: "Dieser Link gehört zu einer Zahlung oder einem anderen Vorgang, den Sie in Ihrer Wallet-App signieren.",
        nextStep: """
            Nehmen Sie das Smartphone mit Ihrer Wallet-App: Tippen Sie dort auf den Link oder scannen Sie den QR-Code \
            mit der App. Im Browser können Sie nicht signieren.
            """)

    static let french = TransactionText(
        heading: "Ouvrez ce lien dans votre application",
        lead:
            "Ce lien correspond à un paiement ou à une autre opération à signer dans votre application de portefeuille.",
        nextStep: """
            Prenez le téléphone sur lequel l’application est installée : touchez-y le lien ou scannez le code QR avec l’application. La signature n’est pas possible dans le navigateur.
            """)

    static let spanish = TransactionText(
        heading: "Abra este enlace en su aplicación",
        lead: "Este enlace corresponde a un pago u otra operación que se firma en su aplicación de monedero.",
        nextStep: """
            Use el teléfono en el que tiene la aplicación: toque allí el enlace o escanee el código QR con la \
            aplicación. No se puede firmar en el navegador.
            """)

    static let bulgarian = TransactionText(
        heading: "Отворете връзката в приложението",
        lead: "Тази връзка е за плащане или друга операция, която се подписва в приложението ви за портфейл.",
        nextStep: """
            Използвайте телефона с приложението: докоснете връзката там или сканирайте QR кода с приложението. В \
            браузъра не може да се подпише.
            """)
}
