package import AuthCore
package import AuthFoundation
package import AuthStore
package import WalletAuthWire

/// The messages of a recovery. Each names its channel: most go over every channel that the account has.
package enum RecoveryMessage: SecurityMessage {
    /// The code of a recovery; the channel is `none` if there is no recipient.
    case code(String, OutboxChannel)
    /// The password was reset by recovery; sent over every available channel.
    /// - `opening`: the device that the recovery unlocks after it was locked by failed attempts.
    case recovered(OutboxChannel, opening: DeviceName?)
    /// A recovery code was right, but the further proof was not.
    case stopped(OutboxChannel)

    package enum Kind: String, SecurityMessageKind, CaseIterable {
        case code = "password_recovery_code"
        case recovered = "password_recovered"
        case recoveredOnDevice = "password_recovered_device_opened"
        case stopped = "recovery_stopped"
    }

    package var kind: Kind {
        switch self {
        case .code: .code
        case .recovered(_, opening: nil): .recovered
        case .recovered: .recoveredOnDevice
        case .stopped: .stopped
        }
    }

    package var channel: OutboxChannel? {
        switch self {
        case .code(_, let channel), .recovered(let channel, _), .stopped(let channel): channel
        }
    }

    package var lifetime: Duration { kind == .code ? PasswordRecovery.lifetime : Self.noticeLifetime }

    package func values(at now: Timestamp) -> [String: String] {
        switch self {
        case .code(let code, _): ["code": code]
        case .recovered(_, let name?): ["device": name.rawValue]
        case .recovered, .stopped: [:]
        }
    }
}

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
                    Your {brand} password is unchanged: someone tried to reset it with the code from your e-mail, but \
                    could not prove their identity. Not you? Then they can read your e-mail: change your e-mail password.
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
