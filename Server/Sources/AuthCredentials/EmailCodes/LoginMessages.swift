package import AuthCore
package import AuthFoundation
package import AuthStore

/// The messages of a sign-in.
package enum LoginMessage: SecurityMessage {
    /// A code that confirms an e-mail address.
    case emailCode(String)

    package enum Kind: String, SecurityMessageKind, CaseIterable {
        case emailCode = "email_code"
    }

    package var kind: Kind {
        switch self {
        case .emailCode: .emailCode
        }
    }

    package var channel: OutboxChannel? { .email }

    package var lifetime: Duration { EmailCodes.lifetime }

    package func values(at now: Timestamp) -> [String: String] {
        switch self {
        case .emailCode(let code): ["code": code]
        }
    }
}

extension LoginMessage.Kind {
    package var template: MessageTemplate {
        switch self {
        case .emailCode:
            MessageTemplate(
                advice: .code,
                english: MessageText(
                    "Confirm your e-mail address", "Your code to confirm this e-mail address for {brand}:"),
                german: MessageText(
                    "Bestätigen Sie Ihre E-Mail-Adresse", "Ihr Code, um diese E-Mail-Adresse bei {brand} zu bestätigen:"
                ),
                french: MessageText(
                    "Confirmez votre adresse e-mail",
                    "Votre code pour confirmer cette adresse e-mail auprès de {brand} :"),
                spanish: MessageText(
                    "Confirme su correo electrónico",
                    "Su código para confirmar esta dirección de correo electrónico en {brand}:"),
                bulgarian: MessageText(
                    "Потвърдете имейл адреса си", "Вашият код за потвърждаване на този имейл адрес в {brand}:"))
        }
    }
}
