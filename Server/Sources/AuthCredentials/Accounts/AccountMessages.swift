package import AuthFoundation

/// The messages about an account, whichever flow causes them.
package enum AccountMessage: String, SecurityMessage, SecurityMessageKind, CaseIterable {
    case deactivated = "wallet_deactivated"
    case passwordChanged = "password_changed"
    /// The password is known to others, and a new one is required.
    case passwordExpired = "password_expired"

    package var kind: AccountMessage { self }
}

extension AccountMessage {
    package var template: MessageTemplate {
        switch self {
        case .deactivated:
            MessageTemplate(
                advice: .ask,
                english: MessageText(
                    "Your wallet was deactivated",
                    "Your {brand} wallet was deactivated. You can't sign in to it until it is reactivated."),
                german: MessageText(
                    "Ihre Wallet wurde deaktiviert",
                    """
                    Ihre Wallet bei {brand} wurde deaktiviert. Sie können sich erst wieder anmelden, wenn sie reaktiviert \
                    wurde.
                    """),
                french: MessageText(
                    "Votre portefeuille a été désactivé",
                    """
                    Votre portefeuille {brand} a été désactivé. Vous ne pourrez plus vous y connecter avant sa \
                    réactivation.
                    """),
                spanish: MessageText(
                    "Se ha desactivado su monedero",
                    "Se ha desactivado su monedero de {brand}. No podrá iniciar sesión hasta que se reactive."),
                bulgarian: MessageText(
                    "Портфейлът ви беше деактивиран",
                    """
                    Портфейлът ви в {brand} беше деактивиран. Няма да можете да влизате в него, докато не бъде активиран \
                    отново.
                    """))
        case .passwordChanged:
            MessageTemplate(
                advice: .protect,
                english: MessageText("Your password was changed", "The password for your {brand} account was changed."),
                german: MessageText(
                    "Ihr Passwort wurde geändert", "Das Passwort Ihres Kontos bei {brand} wurde geändert."),
                french: MessageText(
                    "Votre mot de passe a été changé", "Le mot de passe de votre compte {brand} a été changé."),
                spanish: MessageText(
                    "Se ha cambiado su contraseña", "Se ha cambiado la contraseña de su cuenta de {brand}."),
                bulgarian: MessageText("Паролата ви беше сменена", "Паролата за профила ви в {brand} беше сменена."))
        case .passwordExpired:
            MessageTemplate(
                advice: .ask,
                english: MessageText(
                    "You need to change your password",
                    """
                    Your {brand} password appears on a list of stolen or very common passwords, so we signed you out. \
                    We'll ask you to choose a new password the next time you sign in.
                    """),
                german: MessageText(
                    "Bitte ändern Sie Ihr Passwort",
                    """
                    Das Passwort Ihres Kontos bei {brand} steht auf einer Liste gestohlener oder sehr häufiger Passwörter. \
                    Wir haben Sie abgemeldet. Bei der nächsten Anmeldung wählen Sie ein neues.
                    """),
                french: MessageText(
                    "Votre mot de passe doit être changé",
                    """
                    Le mot de passe de votre compte {brand} figure dans une liste de mots de passe volés ou très courants. \
                    Votre session a été fermée. Choisissez-en un nouveau à la prochaine connexion.
                    """),
                spanish: MessageText(
                    "Tiene que cambiar su contraseña",
                    """
                    La contraseña de su cuenta de {brand} está en una lista de contraseñas robadas o muy comunes. Hemos \
                    cerrado su sesión. La próxima vez que entre, elegirá una nueva.
                    """),
                bulgarian: MessageText(
                    "Трябва да смените паролата си",
                    """
                    Паролата за профила ви в {brand} е в списък с откраднати или много често срещани пароли. Прекратихме \
                    сесията ви. При следващия вход ще изберете нова.
                    """))
        }
    }
}
