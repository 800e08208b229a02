package import AuthCore
package import AuthFoundation
package import WalletAuthWire

/// The messages about passkeys.
package enum PasskeyMessage: SecurityMessage {
    case added(DeviceName)
    case removed(DeviceName)
    /// The signature counter went back.
    case copied(DeviceName)

    package enum Kind: String, SecurityMessageKind, CaseIterable {
        case added = "passkey_added"
        case removed = "passkey_removed"
        case copied = "passkey_copied"
    }

    package var kind: Kind {
        switch self {
        case .added: .added
        case .removed: .removed
        case .copied: .copied
        }
    }

    package func values(at now: Timestamp) -> [String: String] {
        switch self {
        case .added(let name), .removed(let name), .copied(let name): ["device": name.rawValue]
        }
    }
}

extension PasskeyMessage.Kind {
    package var template: MessageTemplate {
        switch self {
        case .added:
            MessageTemplate(
                advice: .protect,
                english: MessageText(
                    "A passkey was added",
                    "A passkey was added to your {brand} account. It can be used to sign in without the password."),
                german: MessageText(
                    "Ein Passkey wurde hinzugefügt",
                    "Ihrem Konto bei {brand} wurde ein Passkey hinzugefügt. Damit ist die Anmeldung ohne Passwort möglich."
                ),
                french: MessageText(
                    "Une clé d’accès a été ajoutée",
                    "Une clé d’accès a été ajoutée à votre compte {brand}. Elle permet de se connecter sans mot de passe."
                ),
                spanish: MessageText(
                    "Se ha añadido una llave de acceso",
                    "Se ha añadido una llave de acceso a su cuenta de {brand}. Permite iniciar sesión sin contraseña."),
                bulgarian: MessageText(
                    "Беше добавен ключ за достъп",
                    "Към профила ви в {brand} беше добавен ключ за достъп. С него може да се влиза без парола."))
        case .removed:
            MessageTemplate(
                advice: .protect,
                english: MessageText(
                    "A passkey was removed",
                    "A passkey was removed from your {brand} account."),
                german: MessageText(
                    "Ein Passkey wurde entfernt",
                    "Ein Passkey Ihres Kontos bei {brand} wurde entfernt."),
                french: MessageText(
                    "Une clé d’accès a été retirée",
                    "Une clé d’accès de votre compte {brand} a été retirée."),
                spanish: MessageText(
                    "Se ha quitado una llave de acceso",
                    "Se ha quitado una llave de acceso de su cuenta de {brand}."),
                bulgarian: MessageText(
                    "Беше премахнат ключ за достъп",
                    "Ключ за достъп беше премахнат от профила ви в {brand}."))
        case .copied:
            MessageTemplate(
                advice: .protect,
                english: MessageText(
                    "A passkey may have been copied",
                    """
                    A passkey on your {brand} account behaved as if it had been copied, so we refused it. Remove that \
                    passkey and add a new one.
                    """),
                german: MessageText(
                    "Ein Passkey wurde möglicherweise kopiert",
                    """
                    Ein Passkey Ihres Kontos bei {brand} verhielt sich wie eine Kopie und wurde abgelehnt. Entfernen Sie \
                    ihn und fügen Sie einen neuen hinzu.
                    """),
                french: MessageText(
                    "Une clé d’accès a peut-être été copiée",
                    """
                    Une clé d’accès de votre compte {brand} s’est comportée comme une copie et a été refusée. Retirez-la \
                    et ajoutez-en une nouvelle.
                    """),
                spanish: MessageText(
                    "Es posible que se haya copiado una llave de acceso",
                    """
                    Una llave de acceso de su cuenta de {brand} se ha comportado como una copia y se ha rechazado. Elimine \
                    esa llave y añada una nueva.
                    """),
                bulgarian: MessageText(
                    "Възможно е ключ за достъп да е копиран",
                    """
                    Ключ за достъп към профила ви в {brand} се държа като копие и беше отказан. Премахнете го и добавете \
                    нов.
                    """))
        }
    }
}
