package import AuthCore
package import WalletAuthWire

extension WalletOperationType {
    /// The type's name for people. A backend's own type is shown unchanged, because nothing else describes the request.
    package func name(in language: Language) -> String {
        guard let words else { return rawValue }
        return switch language {
        case .english: words.english
        case .german: words.german
        case .french: words.french
        case .spanish: words.spanish
        case .bulgarian: words.bulgarian
        }
    }

    private struct Words {
        let english, german, french, spanish, bulgarian: String

        init(_ english: String, _ german: String, _ french: String, _ spanish: String, _ bulgarian: String) {
            self.english = english
            self.german = german
            self.french = french
            self.spanish = spanish
            self.bulgarian = bulgarian
        }
    }

    private var words: Words? {
        switch rawValue {
        case "TRANSFER":
            Words("Transfer", "Überweisung", "Virement", "Transferencia", "Превод")
        case "PAYMENT":
            Words("Payment", "Zahlung", "Paiement", "Pago", "Плащане")
        case "TRUST_PAYEE":
            Words(
                "Trust a payee", "Empfänger vertrauen", "Ajout d’un bénéficiaire de confiance",
                "Confiar en un beneficiario", "Доверие към получател")
        case "DISTRUST_PAYEE":
            Words(
                "Stop trusting a payee", "Empfänger nicht mehr vertrauen", "Retrait d’un bénéficiaire de confiance",
                "Dejar de confiar en un beneficiario", "Отмяна на доверието към получател")
        case "BEGIN_SERIES":
            Words(
                "Start a series of payments", "Beginn einer Zahlungsserie", "Début d’une série de paiements",
                "Inicio de una serie de pagos", "Начало на поредица от плащания")
        case "END_SERIES":
            Words(
                "End a series of payments", "Ende einer Zahlungsserie", "Fin d’une série de paiements",
                "Fin de una serie de pagos", "Край на поредица от плащания")
        case "SHOW_BALANCE":
            Words(
                "Show the balance", "Kontostand anzeigen", "Affichage du solde", "Consulta del saldo",
                "Показване на салдото")
        case "SHOW_TRANSACTIONS":
            Words(
                "Show transactions", "Umsätze anzeigen", "Affichage des opérations", "Consulta de movimientos",
                "Показване на движенията")
        case "SHOW_CARD":
            Words(
                "Show a card’s details", "Kartendaten anzeigen", "Affichage des données d’une carte",
                "Consulta de los datos de una tarjeta", "Показване на данните на карта")
        case "SHOW_PIN":
            Words(
                "Show a card’s PIN", "Karten-PIN anzeigen", "Affichage du code d’une carte",
                "Consulta del PIN de una tarjeta", "Показване на ПИН кода на карта")
        default: nil
        }
    }
}
