package import AuthCore
internal import AuthEvents
package import AuthFoundation

/// The messages about the PIN of an account.
package enum AccountPINMessage: SecurityMessage {
    /// Set or changed; it authorizes no payment until this time.
    case set(coolingUntil: Timestamp)
    case locked
    case removed

    package enum Kind: String, SecurityMessageKind, CaseIterable {
        case set = "account_pin_set"
        case locked = "account_pin_locked"
        case removed = "account_pin_removed"
    }

    package var kind: Kind {
        switch self {
        case .set: .set
        case .locked: .locked
        case .removed: .removed
        }
    }

    package func values(at now: Timestamp) -> [String: String] {
        guard case .set(let cooling) = self, now < cooling else { return [:] }
        return ["cooling": cooling.toTheMinute]
    }
}

extension AccountPINMessage.Kind {
    package var template: MessageTemplate {
        switch self {
        case .set:
            MessageTemplate(
                advice: .protect,
                english: MessageText(
                    "A PIN was set for your account",
                    "A PIN for signing in to your {brand} account on the web was set or changed."),
                german: MessageText(
                    "Für Ihr Konto wurde eine PIN festgelegt",
                    "Für Ihr Konto bei {brand} wurde eine PIN zur Anmeldung im Web festgelegt oder geändert."),
                french: MessageText(
                    "Un code PIN a été défini pour votre compte",
                    "Un code PIN de connexion sur le web a été défini ou modifié pour votre compte {brand}."),
                spanish: MessageText(
                    "Se ha definido un PIN para su cuenta",
                    "Se ha definido o cambiado un PIN para entrar por la web en su cuenta de {brand}."),
                bulgarian: MessageText(
                    "Зададен е ПИН за вашия профил",
                    "За профила ви в {brand} беше зададен или сменен ПИН за вход през браузъра."))
        case .locked:
            MessageTemplate(
                advice: .protect,
                english: MessageText(
                    "Your PIN is locked",
                    """
                    The PIN for your {brand} account was locked after too many wrong attempts. Sign in with your password \
                    and set a new PIN on your account page.
                    """),
                german: MessageText(
                    "Ihre PIN ist gesperrt",
                    """
                    Die PIN Ihres Kontos bei {brand} wurde nach zu vielen Fehlversuchen gesperrt. Melden Sie sich mit \
                    Ihrem Passwort an und legen Sie auf Ihrer Kontoseite eine neue fest.
                    """),
                french: MessageText(
                    "Votre code PIN est bloqué",
                    """
                    Le code PIN de votre compte {brand} a été bloqué après trop d’essais infructueux. Connectez-vous par \
                    mot de passe et définissez un nouveau code sur la page du compte.
                    """),
                spanish: MessageText(
                    "Su PIN está bloqueado",
                    """
                    Se ha bloqueado el PIN de su cuenta de {brand} tras demasiados intentos fallidos. Entre con su \
                    contraseña y defina otro en la página de su cuenta.
                    """),
                bulgarian: MessageText(
                    "Вашият ПИН е заключен",
                    """
                    ПИН кодът за профила ви в {brand} беше заключен след твърде много грешни опити. Влезте с паролата си и \
                    задайте нов на страницата на профила си.
                    """))
        case .removed:
            MessageTemplate(
                advice: .protect,
                english: MessageText(
                    "Your account PIN was removed",
                    """
                    The PIN for your {brand} account was removed, either directly or because the password was changed. Use \
                    your password to sign in.
                    """),
                german: MessageText(
                    "Die PIN Ihres Kontos wurde entfernt",
                    """
                    Die PIN Ihres Kontos bei {brand} wurde entfernt, entweder direkt oder weil das Passwort geändert \
                    wurde. Melden Sie sich mit Ihrem Passwort an.
                    """),
                french: MessageText(
                    "Le code PIN de votre compte a été retiré",
                    """
                    Le code PIN de votre compte {brand} a été retiré, directement ou parce que le mot de passe a été \
                    changé. Connectez-vous avec votre mot de passe.
                    """),
                spanish: MessageText(
                    "Se ha quitado el PIN de su cuenta",
                    """
                    Se ha quitado el PIN de su cuenta de {brand}, directamente o porque se cambió la contraseña. Inicie \
                    sesión con su contraseña.
                    """),
                bulgarian: MessageText(
                    "ПИН кодът на профила ви беше премахнат",
                    """
                    ПИН кодът за профила ви в {brand} беше премахнат – пряко или защото паролата беше сменена. Влизайте с \
                    паролата си.
                    """))
        }
    }
}
