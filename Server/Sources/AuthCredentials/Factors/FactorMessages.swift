package import AuthCore
package import AuthFoundation
package import AuthStore
internal import WalletAuthWire

/// The messages about second factors.
package enum FactorMessage: SecurityMessage {
    /// A code as second factor.
    case code(String, channel: String)
    /// A sign-in from a new device, by an answer to a secret question.
    case newDevice
    case recoveryCodeUsed
    /// The password was right, but every try of the second factor was wrong.
    case failed
    case totpAdded
    case totpRemoved
    case recoveryCodesMade
    /// The database was restored from a copy in which spent codes may be valid again.
    case recoveryCodesVoided
    case secretQuestionsSet

    package enum Kind: String, SecurityMessageKind, CaseIterable {
        case code = "second_factor_code"
        case newDevice = "new_device"
        case recoveryCodeUsed = "recovery_code_used"
        case failed = "second_factor_failed"
        case totpAdded = "totp_added"
        case totpRemoved = "totp_removed"
        case recoveryCodesMade = "recovery_codes_made"
        case recoveryCodesVoided = "recovery_codes_voided"
        case secretQuestionsSet = "secret_questions_set"
    }

    package var kind: Kind {
        switch self {
        case .code: .code
        case .newDevice: .newDevice
        case .recoveryCodeUsed: .recoveryCodeUsed
        case .failed: .failed
        case .totpAdded: .totpAdded
        case .totpRemoved: .totpRemoved
        case .recoveryCodesMade: .recoveryCodesMade
        case .recoveryCodesVoided: .recoveryCodesVoided
        case .secretQuestionsSet: .secretQuestionsSet
        }
    }

    package var channel: OutboxChannel? {
        guard case .code(_, let channel) = self else { return nil }
        return channel == FactorKind.sms.channel ? .sms : .email
    }

    package var lifetime: Duration { kind == .code ? FactorCodes.lifetime : Self.noticeLifetime }

    package func values(at now: Timestamp) -> [String: String] {
        guard case .code(let code, let channel) = self else { return [:] }
        return ["code": code, "channel": channel]
    }
}

extension FactorMessage.Kind {
    package var template: MessageTemplate {
        switch self {
        case .code:
            MessageTemplate(
                advice: .code,
                english: MessageText("Your sign-in code", "Your code to sign in to {brand}:"),
                german: MessageText("Ihr Anmeldecode", "Ihr Code für die Anmeldung bei {brand}:"),
                french: MessageText("Votre code de connexion", "Votre code pour vous connecter à {brand} :"),
                spanish: MessageText("Su código de inicio de sesión", "Su código para iniciar sesión en {brand}:"),
                bulgarian: MessageText("Вашият код за вход", "Вашият код за вход в {brand}:"))
        case .newDevice:
            MessageTemplate(
                advice: .protect,
                english: MessageText(
                    "Sign-in from a new device",
                    "Someone signed in to your {brand} account from a new device by answering a secret question."),
                german: MessageText(
                    "Anmeldung von einem neuen Gerät",
                    "Jemand hat sich mit der Antwort auf eine Sicherheitsfrage von einem neuen Gerät bei {brand} angemeldet."
                ),
                french: MessageText(
                    "Connexion depuis un nouvel appareil",
                    """
                    Quelqu’un s’est connecté à votre compte {brand} depuis un nouvel appareil en répondant à une question \
                    secrète.
                    """),
                spanish: MessageText(
                    "Inicio de sesión desde un dispositivo nuevo",
                    """
                    Alguien ha iniciado sesión en su cuenta de {brand} desde un dispositivo nuevo, respondiendo a una \
                    pregunta secreta.
                    """),
                bulgarian: MessageText(
                    "Вход от ново устройство",
                    "Някой влезе в профила ви в {brand} от ново устройство, като отговори на таен въпрос."))
        case .recoveryCodeUsed:
            MessageTemplate(
                advice: .protect,
                english: MessageText(
                    "A recovery code was used", "A recovery code was used to sign in to your {brand} account."),
                german: MessageText(
                    "Ein Wiederherstellungscode wurde verwendet",
                    "Ein Wiederherstellungscode Ihres Kontos bei {brand} wurde zur Anmeldung verwendet."),
                french: MessageText(
                    "Un code de récupération a été utilisé",
                    "Un code de récupération a été utilisé pour se connecter à votre compte {brand}."),
                spanish: MessageText(
                    "Se ha usado un código de recuperación",
                    "Se ha usado un código de recuperación de su cuenta de {brand} para iniciar sesión."),
                bulgarian: MessageText(
                    "Беше използван код за възстановяване",
                    "Код за възстановяване беше използван за вход в профила ви в {brand}."))
        case .failed:
            MessageTemplate(
                advice: .protect,
                english: MessageText(
                    "A sign-in failed at the second step",
                    """
                    Someone entered the right password for your {brand} account, then failed the second step too many times.
                    """),
                german: MessageText(
                    "Eine Anmeldung ist am zweiten Schritt gescheitert",
                    """
                    Jemand hat das richtige Passwort für Ihr Konto bei {brand} eingegeben, dann aber im zweiten Schritt \
                    alle Versuche verbraucht.
                    """),
                french: MessageText(
                    "Une connexion a échoué à la seconde étape",
                    """
                    Quelqu’un a saisi le bon mot de passe de votre compte {brand}, puis a épuisé tous les essais à la \
                    seconde étape.
                    """),
                spanish: MessageText(
                    "Un inicio de sesión ha fallado en el segundo paso",
                    """
                    Alguien ha introducido la contraseña correcta de su cuenta de {brand} y después ha agotado los \
                    intentos en el segundo paso.
                    """),
                bulgarian: MessageText(
                    "Вход беше спрян на втората стъпка",
                    """
                    Някой въведе вярната парола за профила ви в {brand}, а след това изчерпа опитите си на втората стъпка.
                    """))
        case .totpAdded:
            MessageTemplate(
                advice: .protect,
                english: MessageText(
                    "An authenticator app was added", "An authenticator app was added to your {brand} account."),
                german: MessageText(
                    "Eine Authenticator-App wurde hinzugefügt",
                    "Ihrem Konto bei {brand} wurde eine Authenticator-App hinzugefügt."),
                french: MessageText(
                    "Une application d’authentification a été ajoutée",
                    "Une application d’authentification a été ajoutée à votre compte {brand}."),
                spanish: MessageText(
                    "Se ha añadido una aplicación de autenticación",
                    "Se ha añadido una aplicación de autenticación a su cuenta de {brand}."),
                bulgarian: MessageText(
                    "Беше добавено приложение за удостоверяване",
                    "Към профила ви в {brand} беше добавено приложение за удостоверяване."))
        case .totpRemoved:
            MessageTemplate(
                advice: .protect,
                english: MessageText(
                    "An authenticator app was removed", "The authenticator app was removed from your {brand} account."),
                german: MessageText(
                    "Eine Authenticator-App wurde entfernt",
                    "Die Authenticator-App Ihres Kontos bei {brand} wurde entfernt."),
                french: MessageText(
                    "Une application d’authentification a été retirée",
                    "L’application d’authentification a été retirée de votre compte {brand}."),
                spanish: MessageText(
                    "Se ha eliminado una aplicación de autenticación",
                    "Se ha eliminado la aplicación de autenticación de su cuenta de {brand}."),
                bulgarian: MessageText(
                    "Беше премахнато приложение за удостоверяване",
                    "Приложението за удостоверяване беше премахнато от профила ви в {brand}."))
        case .recoveryCodesMade:
            MessageTemplate(
                advice: .protect,
                english: MessageText(
                    "New recovery codes",
                    "New recovery codes were created for your {brand} account. Your old codes no longer work."),
                german: MessageText(
                    "Neue Wiederherstellungscodes",
                    "Für Ihr Konto bei {brand} wurden neue Wiederherstellungscodes erstellt. Die bisherigen gelten nicht mehr."
                ),
                french: MessageText(
                    "Nouveaux codes de récupération",
                    "De nouveaux codes de récupération ont été créés pour votre compte {brand}. Les anciens ne sont plus valables."
                ),
                spanish: MessageText(
                    "Códigos de recuperación nuevos",
                    "Se han creado códigos de recuperación nuevos para su cuenta de {brand}. Los anteriores ya no sirven."
                ),
                bulgarian: MessageText(
                    "Нови кодове за възстановяване",
                    "За профила ви в {brand} бяха създадени нови кодове за възстановяване. Предишните вече не важат."))
        case .recoveryCodesVoided:
            MessageTemplate(
                advice: .ask,
                english: MessageText(
                    "Your recovery codes no longer work",
                    """
                    We had to restore our system from a backup. To keep your {brand} account safe, your recovery \
                    codes no longer work. Sign in and create new ones.
                    """),
                german: MessageText(
                    "Ihre Wiederherstellungscodes gelten nicht mehr",
                    """
                    Wir mussten unser System aus einer Sicherung wiederherstellen. Zum Schutz Ihres Kontos bei \
                    {brand} gelten Ihre Wiederherstellungscodes nicht mehr. Melden Sie sich an und erstellen Sie \
                    neue.
                    """),
                french: MessageText(
                    "Vos codes de récupération ne sont plus valables",
                    """
                    Nous avons dû restaurer notre système à partir d’une sauvegarde. Pour protéger votre compte \
                    {brand}, vos codes de récupération ne sont plus valables. Connectez-vous et créez-en de nouveaux.
                    """),
                spanish: MessageText(
                    "Sus códigos de recuperación ya no sirven",
                    """
                    Hemos tenido que restaurar nuestro sistema a partir de una copia de seguridad. Para proteger su \
                    cuenta de {brand}, sus códigos de recuperación ya no sirven. Inicie sesión y cree otros nuevos.
                    """),
                bulgarian: MessageText(
                    "Вашите кодове за възстановяване вече не важат",
                    """
                    Наложи се да възстановим системата си от резервно копие. За да защитим вашия профил в {brand}, \
                    кодовете ви за възстановяване вече не важат. Влезте и създайте нови.
                    """))
        case .secretQuestionsSet:
            MessageTemplate(
                advice: .protect,
                english: MessageText(
                    "Your secret questions were changed", "The secret questions for your {brand} account were changed."),
                german: MessageText(
                    "Ihre Sicherheitsfragen wurden geändert",
                    "Die Sicherheitsfragen Ihres Kontos bei {brand} wurden geändert."),
                french: MessageText(
                    "Vos questions secrètes ont été changées",
                    "Les questions secrètes de votre compte {brand} ont été changées."),
                spanish: MessageText(
                    "Se han cambiado sus preguntas secretas",
                    "Se han cambiado las preguntas secretas de su cuenta de {brand}."),
                bulgarian: MessageText(
                    "Тайните ви въпроси бяха сменени", "Тайните въпроси за профила ви в {brand} бяха сменени."))
        }
    }
}
