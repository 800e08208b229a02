package import AuthCore
package import AuthFoundation
package import AuthStore
package import WalletAuthWire

/// The messages about an account's devices.
package enum DeviceMessage: SecurityMessage {
    case enrolled(DeviceName)
    case deactivated(DeviceName)
    /// Deactivated by too many wrong passwords on it; the holder can unlock it.
    case closed(DeviceName)
    case removed(DeviceName)
    case biometricKeyAdded(DeviceName)
    case biometricKeyRemoved(DeviceName)
    /// A code that confirms an installation of the app.
    case instanceCode(String)

    package enum Kind: String, SecurityMessageKind, CaseIterable {
        case enrolled = "device_enrolled"
        case deactivated = "device_deactivated"
        case closed = "device_closed"
        case removed = "device_removed"
        case biometricKeyAdded = "biometric_key_added"
        case biometricKeyRemoved = "biometric_key_removed"
        case instanceCode = "instance_code"
    }

    package var kind: Kind {
        switch self {
        case .enrolled: .enrolled
        case .deactivated: .deactivated
        case .closed: .closed
        case .removed: .removed
        case .biometricKeyAdded: .biometricKeyAdded
        case .biometricKeyRemoved: .biometricKeyRemoved
        case .instanceCode: .instanceCode
        }
    }

    package var channel: OutboxChannel? { kind == .instanceCode ? .email : nil }

    package var lifetime: Duration { kind == .instanceCode ? EmailCodes.lifetime : Self.noticeLifetime }

    package func values(at now: Timestamp) -> [String: String] {
        switch self {
        case .enrolled(let name), .deactivated(let name), .closed(let name), .removed(let name),
            .biometricKeyAdded(let name), .biometricKeyRemoved(let name):
            ["device": name.rawValue]
        case .instanceCode(let code): ["code": code]
        }
    }
}

extension DeviceMessage.Kind {
    package var template: MessageTemplate {
        switch self {
        case .enrolled:
            MessageTemplate(
                advice: .protect,
                english: MessageText("A device was added", "A device was linked to your {brand} account."),
                german: MessageText(
                    "Ein Gerät wurde hinzugefügt", "Mit Ihrem Konto bei {brand} wurde ein Gerät verknüpft."),
                french: MessageText("Un appareil a été ajouté", "Un appareil a été lié à votre compte {brand}."),
                spanish: MessageText(
                    "Se ha añadido un dispositivo", "Se ha vinculado un dispositivo a su cuenta de {brand}."),
                bulgarian: MessageText("Беше добавено устройство", "С профила ви в {brand} беше свързано устройство."))
        case .deactivated:
            MessageTemplate(
                advice: .ask,
                english: MessageText(
                    "A device was deactivated",
                    "A device linked to your {brand} account was deactivated. It can no longer be used to sign in."),
                german: MessageText(
                    "Ein Gerät wurde deaktiviert",
                    "Ein Gerät Ihres Kontos bei {brand} wurde deaktiviert. Damit ist keine Anmeldung mehr möglich."),
                french: MessageText(
                    "Un appareil a été désactivé",
                    "Un appareil lié à votre compte {brand} a été désactivé. Il ne permet plus de se connecter."),
                spanish: MessageText(
                    "Se ha desactivado un dispositivo",
                    "Se ha desactivado un dispositivo de su cuenta de {brand}. Ya no se puede iniciar sesión con él."),
                bulgarian: MessageText(
                    "Беше деактивирано устройство",
                    "Устройство, свързано с профила ви в {brand}, беше деактивирано. С него вече не може да се влиза."))
        case .closed:
            MessageTemplate(
                advice: .ask,
                english: MessageText(
                    "A device was locked",
                    """
                    A device linked to your {brand} account was locked after too many wrong passwords. To unlock it, use \
                    “Forgot your password?” on that device, unless you added it only recently.
                    """),
                german: MessageText(
                    "Ein Gerät wurde gesperrt",
                    """
                    Ein Gerät Ihres Kontos bei {brand} wurde nach zu vielen falschen Passwörtern gesperrt. Entsperren Sie \
                    es dort mit „Passwort vergessen?“, sofern Sie es nicht erst kürzlich hinzugefügt haben.
                    """),
                french: MessageText(
                    "Un appareil a été bloqué",
                    """
                    Un appareil lié à votre compte {brand} a été bloqué : trop de mots de passe erronés. Débloquez-le avec \
                    « Mot de passe oublié ? » sur cet appareil, sauf s’il a été ajouté récemment.
                    """),
                spanish: MessageText(
                    "Se ha bloqueado un dispositivo",
                    """
                    Se ha bloqueado un dispositivo de su cuenta de {brand} tras demasiadas contraseñas incorrectas. \
                    Desbloquéelo en él con «¿Ha olvidado su contraseña?», salvo que lo añadiera hace poco.
                    """),
                bulgarian: MessageText(
                    "Беше заключено устройство",
                    """
                    Устройство, свързано с профила ви в {brand}, беше заключено след твърде много грешни пароли. Отключете \
                    го от него с „Забравена парола?“, освен ако е добавено съвсем наскоро.
                    """))
        case .removed:
            MessageTemplate(
                advice: .protect,
                english: MessageText("A device was removed", "A device was removed from your {brand} account."),
                german: MessageText(
                    "Ein Gerät wurde entfernt", "Ein Gerät wurde aus Ihrem Konto bei {brand} entfernt."),
                french: MessageText("Un appareil a été retiré", "Un appareil a été retiré de votre compte {brand}."),
                spanish: MessageText(
                    "Se ha eliminado un dispositivo", "Se ha eliminado un dispositivo de su cuenta de {brand}."),
                bulgarian: MessageText(
                    "Беше премахнато устройство", "Устройство беше премахнато от профила ви в {brand}."))
        case .biometricKeyAdded:
            MessageTemplate(
                advice: .protect,
                english: MessageText(
                    "Face or fingerprint sign-in was set up",
                    "Face or fingerprint sign-in was set up on a device linked to your {brand} account."),
                german: MessageText(
                    "Anmeldung mit Gesicht oder Fingerabdruck eingerichtet",
                    """
                    Auf einem Gerät Ihres Kontos bei {brand} wurde die Anmeldung mit Gesicht oder Fingerabdruck \
                    eingerichtet.
                    """),
                french: MessageText(
                    "Connexion par visage ou empreinte activée",
                    "La connexion par visage ou empreinte a été activée sur un appareil lié à votre compte {brand}."),
                spanish: MessageText(
                    "Acceso con el rostro o la huella activado",
                    "Se ha activado el acceso con el rostro o la huella en un dispositivo de su cuenta de {brand}."),
                bulgarian: MessageText(
                    "Включен е вход с лице или пръстов отпечатък",
                    "На устройство, свързано с профила ви в {brand}, беше включен вход с лице или пръстов отпечатък."))
        case .biometricKeyRemoved:
            MessageTemplate(
                advice: .protect,
                english: MessageText(
                    "Face or fingerprint sign-in was turned off",
                    "Face or fingerprint sign-in was turned off on a device linked to your {brand} account."),
                german: MessageText(
                    "Anmeldung mit Gesicht oder Fingerabdruck ausgeschaltet",
                    """
                    Auf einem Gerät Ihres Kontos bei {brand} wurde die Anmeldung mit Gesicht oder Fingerabdruck \
                    ausgeschaltet.
                    """),
                french: MessageText(
                    "Connexion par visage ou empreinte désactivée",
                    "La connexion par visage ou empreinte a été désactivée sur un appareil lié à votre compte {brand}."),
                spanish: MessageText(
                    "Acceso con el rostro o la huella desactivado",
                    "Se ha desactivado el acceso con el rostro o la huella en un dispositivo de su cuenta de {brand}."),
                bulgarian: MessageText(
                    "Изключен е вход с лице или пръстов отпечатък",
                    "На устройство, свързано с профила ви в {brand}, беше изключен вход с лице или пръстов отпечатък."))
        case .instanceCode:
            MessageTemplate(
                advice: .code,
                english: MessageText("Confirm your app", "Your code to confirm the installation of the {brand} app:"),
                german: MessageText(
                    "Bestätigen Sie Ihre App", "Ihr Code, um die Installation der App von {brand} zu bestätigen:"),
                french: MessageText(
                    "Confirmez votre application", "Votre code pour confirmer l’installation de l’application {brand} :"
                ),
                spanish: MessageText(
                    "Confirme su aplicación", "Su código para confirmar la instalación de la aplicación de {brand}:"),
                bulgarian: MessageText(
                    "Потвърдете приложението си",
                    "Вашият код за потвърждаване на инсталацията на приложението на {brand}:"))
        }
    }
}
