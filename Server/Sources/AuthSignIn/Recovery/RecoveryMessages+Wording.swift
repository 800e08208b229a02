package import AuthFoundation

extension RecoveryMessage.Kind {
    package var template: MessageTemplate {
        switch self {
        case .code:
            MessageTemplate(
                advice: .recoveryCode,
                english: MessageText(
                    "Your code to recover your account", "Your code to choose a new password for {brand}:"),
                german: MessageText(
                    "Ihr Code zur Wiederherstellung Ihres Kontos",
                    "Ihr Code, um ein neues Passwort für {brand} zu wählen:"),
                french: MessageText(
                    "Votre code pour récupérer votre compte",
                    "Votre code pour choisir un nouveau mot de passe pour {brand} :"),
                spanish: MessageText(
                    "Su código para recuperar la cuenta", "Su código para elegir una contraseña nueva de {brand}:"),
                bulgarian: MessageText(
                    "Вашият код за възстановяване на профила", "Вашият код за избор на нова парола за {brand}:"))
        case .recovered:
            MessageTemplate(
                advice: .protect,
                english: MessageText(
                    "Your account was recovered",
                    "A new password was set for your {brand} account with a code sent to your e-mail address."),
                german: MessageText(
                    "Ihr Zugang wurde wiederhergestellt",
                    """
                    Für Ihr Konto bei {brand} wurde mit einem Code, der an Ihre E-Mail-Adresse ging, ein neues Passwort \
                    festgelegt.
                    """),
                french: MessageText(
                    "Votre compte a été récupéré",
                    """
                    Un nouveau mot de passe a été défini pour votre compte {brand} à l’aide d’un code envoyé à votre \
                    adresse e-mail.
                    """),
                spanish: MessageText(
                    "Se ha recuperado su cuenta",
                    """
                    Se ha establecido una contraseña nueva para su cuenta de {brand} con un código enviado a su correo \
                    electrónico.
                    """),
                bulgarian: MessageText(
                    "Профилът ви беше възстановен",
                    "За профила ви в {brand} беше зададена нова парола с код, изпратен на имейл адреса ви."))
        case .recoveredOnDevice:
            MessageTemplate(
                advice: .protect,
                english: MessageText(
                    "Your account was recovered",
                    """
                    A new password was set for your {brand} account with a code sent by e-mail. The device locked after \
                    too many wrong passwords is unlocked.
                    """),
                german: MessageText(
                    "Ihr Zugang wurde wiederhergestellt",
                    """
                    Für Ihr Konto bei {brand} wurde mit einem Code per E-Mail ein neues Passwort festgelegt. Das wegen \
                    falscher Passwörter gesperrte Gerät ist wieder entsperrt.
                    """),
                french: MessageText(
                    "Votre compte a été récupéré",
                    """
                    Un nouveau mot de passe {brand} a été défini à l’aide d’un code envoyé par e-mail. L’appareil bloqué \
                    après trop de mots de passe erronés est débloqué.
                    """),
                spanish: MessageText(
                    "Se ha recuperado su cuenta",
                    """
                    Se ha establecido una contraseña nueva de {brand} con un código enviado por correo. El dispositivo \
                    bloqueado por contraseñas incorrectas se ha desbloqueado.
                    """),
                bulgarian: MessageText(
                    "Профилът ви беше възстановен",
                    """
                    За профила ви в {brand} беше зададена нова парола с код, изпратен по имейл. Устройството, заключено \
                    заради грешни пароли, вече е отключено.
                    """))
        case .stopped:
            MessageTemplate(
                advice: .ask,
                english: MessageText(
                    "Someone tried to reset your password",
                    """
                    Someone used the code from your e-mail to reset your {brand} password, but could not prove their \
                    identity. It was not changed. Not you? Someone can read your e-mail: change its password.
                    """),
                german: MessageText(
                    "Jemand wollte Ihr Passwort zurücksetzen",
                    """
                    Jemand wollte Ihr Passwort bei {brand} per E-Mail-Code ändern, konnte sich aber nicht ausweisen. Es \
                    gilt weiter. Nicht Sie? Jemand liest Ihre E-Mails: Ändern Sie Ihr E-Mail-Passwort.
                    """),
                french: MessageText(
                    "Quelqu’un a voulu réinitialiser votre mot de passe",
                    """
                    Quelqu’un a voulu changer votre mot de passe {brand} avec le code reçu par e-mail, sans prouver son \
                    identité. Il reste valable. Pas vous ? On lit vos e-mails : changez votre mot de passe e-mail.
                    """),
                spanish: MessageText(
                    "Alguien ha intentado restablecer su contraseña",
                    """
                    Alguien ha intentado cambiar su contraseña de {brand} con el código de su correo, sin demostrar su \
                    identidad. Sigue siendo válida. ¿No ha sido usted? Alguien lee su correo: cambie su contraseña.
                    """),
                bulgarian: MessageText(
                    "Някой се опита да смени паролата ви",
                    """
                    Някой използва кода от имейла ви, за да смени паролата ви за {brand}, но не доказа самоличността си. \
                    Тя не е променена. Не сте вие? Някой чете пощата ви: сменете паролата за имейла си.
                    """))
        }
    }
}
