package import AuthFoundation
package import AuthStore

/// The message that an account's e-mail address or phone number was changed or removed. It goes to the old one, to the new one, and
/// over the other channel.
///
/// It names neither: the old mailbox may be an attacker's, and the new one may be mistyped.
package struct ContactMessage: SecurityMessage {
    package let kind: Kind
    package let channel: OutboxChannel?

    package init(_ kind: Kind, over channel: OutboxChannel) {
        self.kind = kind
        self.channel = channel
    }

    package enum Kind: String, SecurityMessageKind, CaseIterable {
        case emailChanged = "email_changed"
        case emailRemoved = "email_removed"
        case phoneChanged = "phone_changed"
        case phoneRemoved = "phone_removed"
    }
}

extension ContactMessage.Kind {
    package var template: MessageTemplate {
        switch self {
        case .emailChanged:
            MessageTemplate(
                advice: .ask,
                english: MessageText(
                    "Your account has a new e-mail address",
                    "Your {brand} account has a new e-mail address. From now on, codes and messages are sent there."),
                german: MessageText(
                    "Ihr Konto hat eine neue E-Mail-Adresse",
                    """
                    Für Ihr Konto bei {brand} gilt jetzt eine neue E-Mail-Adresse. Codes und Nachrichten gehen ab sofort \
                    dorthin.
                    """),
                french: MessageText(
                    "Votre compte a une nouvelle adresse e-mail",
                    """
                    Une nouvelle adresse e-mail a été enregistrée pour votre compte {brand}. Les codes et les messages y \
                    sont désormais envoyés.
                    """),
                spanish: MessageText(
                    "Su cuenta tiene una nueva dirección de correo",
                    """
                    Su cuenta de {brand} tiene una nueva dirección de correo electrónico. A partir de ahora, los códigos y \
                    los mensajes se envían allí.
                    """),
                bulgarian: MessageText(
                    "Профилът ви има нов имейл адрес",
                    """
                    Профилът ви в {brand} има нов имейл адрес. Отсега нататък кодовете и съобщенията се изпращат на него.
                    """))
        case .emailRemoved:
            MessageTemplate(
                advice: .ask,
                english: MessageText(
                    "Your e-mail address was removed",
                    """
                    The e-mail address was removed from your {brand} account. You can no longer use it to receive codes or \
                    reset your password.
                    """),
                german: MessageText(
                    "Ihre E-Mail-Adresse wurde entfernt",
                    """
                    Die E-Mail-Adresse wurde aus Ihrem Konto bei {brand} entfernt. Sie können darüber keine Codes mehr \
                    erhalten und Ihr Passwort nicht mehr zurücksetzen.
                    """),
                french: MessageText(
                    "Votre adresse e-mail a été supprimée",
                    """
                    L’adresse e-mail de votre compte {brand} a été supprimée. Elle ne permet plus de recevoir des codes ni \
                    de réinitialiser votre mot de passe.
                    """),
                spanish: MessageText(
                    "Se ha eliminado su dirección de correo",
                    """
                    Se ha eliminado la dirección de correo electrónico de su cuenta de {brand}. Ya no sirve para recibir \
                    códigos ni para restablecer la contraseña.
                    """),
                bulgarian: MessageText(
                    "Имейл адресът ви беше премахнат",
                    """
                    Имейл адресът беше премахнат от профила ви в {brand}. Вече не можете да получавате кодове на него или \
                    да възстановите паролата си чрез него.
                    """))
        case .phoneChanged:
            MessageTemplate(
                advice: .ask,
                english: MessageText(
                    "Your account has a new phone number",
                    "Your {brand} account has a new phone number. From now on, codes by text message are sent there."),
                german: MessageText(
                    "Ihr Konto hat eine neue Telefonnummer",
                    """
                    Für Ihr Konto bei {brand} gilt jetzt eine neue Telefonnummer. Codes per SMS gehen ab sofort dorthin.
                    """),
                french: MessageText(
                    "Votre compte a un nouveau numéro de téléphone",
                    """
                    Un nouveau numéro de téléphone a été enregistré pour votre compte {brand}. Les codes par SMS y sont \
                    désormais envoyés.
                    """),
                spanish: MessageText(
                    "Su cuenta tiene un nuevo número de teléfono",
                    """
                    Su cuenta de {brand} tiene un nuevo número de teléfono. A partir de ahora, los códigos por SMS se \
                    envían allí.
                    """),
                bulgarian: MessageText(
                    "Профилът ви има нов телефонен номер",
                    """
                    Профилът ви в {brand} има нов телефонен номер. Отсега нататък кодовете чрез SMS се изпращат на него.
                    """))
        case .phoneRemoved:
            MessageTemplate(
                advice: .ask,
                english: MessageText(
                    "Your phone number was removed",
                    """
                    The phone number was removed from your {brand} account. You will no longer receive codes by text \
                    message.
                    """),
                german: MessageText(
                    "Ihre Telefonnummer wurde entfernt",
                    """
                    Die Telefonnummer wurde aus Ihrem Konto bei {brand} entfernt. Sie erhalten keine Codes mehr per SMS.
                    """),
                french: MessageText(
                    "Votre numéro de téléphone a été supprimé",
                    """
                    Le numéro de téléphone de votre compte {brand} a été supprimé. Vous ne recevrez plus de codes par SMS.
                    """),
                spanish: MessageText(
                    "Se ha eliminado su número de teléfono",
                    """
                    Se ha eliminado el número de teléfono de su cuenta de {brand}. Ya no recibirá códigos por SMS.
                    """),
                bulgarian: MessageText(
                    "Телефонният ви номер беше премахнат",
                    """
                    Телефонният номер беше премахнат от профила ви в {brand}. Вече няма да получавате кодове чрез SMS.
                    """))
        }
    }
}
