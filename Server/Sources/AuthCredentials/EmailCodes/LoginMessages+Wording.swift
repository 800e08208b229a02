package import AuthFoundation

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
