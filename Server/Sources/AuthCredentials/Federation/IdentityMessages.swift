package import AuthCore
package import AuthFoundation

/// The messages about identities at other providers.
package enum IdentityMessage: SecurityMessage {
    /// The holder linked an identity.
    case joined
    /// The holder unlinked an identity.
    case left
    /// The provider reports that the person withdrew consent.
    case suspended(service: String)
    /// The provider reports that the person closed their account there.
    case removed(service: String)

    package enum Kind: String, SecurityMessageKind, CaseIterable {
        case joined = "identity_joined"
        case left = "identity_left"
        case suspended = "identity_suspended"
        case removed = "identity_removed"
    }

    package var kind: Kind {
        switch self {
        case .joined: .joined
        case .left: .left
        case .suspended: .suspended
        case .removed: .removed
        }
    }

    package func values(at now: Timestamp) -> [String: String] {
        switch self {
        case .joined, .left: [:]
        case .suspended(let service), .removed(let service): ["service": service]
        }
    }
}

extension IdentityMessage.Kind {
    package var template: MessageTemplate {
        switch self {
        case .joined:
            MessageTemplate(
                advice: .protect,
                english: MessageText(
                    "Another way to sign in was added",
                    "An account with another provider was linked to your {brand} account. It can now be used to sign in."
                ),
                german: MessageText(
                    "Eine weitere Anmeldemöglichkeit wurde hinzugefügt",
                    """
                    Mit Ihrem Konto bei {brand} wurde ein Konto bei einem anderen Anbieter verknüpft. Damit ist ab sofort \
                    die Anmeldung möglich.
                    """),
                french: MessageText(
                    "Un moyen de connexion a été ajouté",
                    """
                    Un compte chez un autre fournisseur a été associé à votre compte {brand} et permet désormais de s’y \
                    connecter.
                    """),
                spanish: MessageText(
                    "Se ha añadido otra forma de entrar",
                    """
                    Se ha vinculado a su cuenta de {brand} una cuenta de otro proveedor, que desde ahora permite entrar en \
                    ella.
                    """),
                bulgarian: MessageText(
                    "Добавен е друг начин за влизане",
                    "Профил при друг доставчик беше свързан с профила ви в {brand}. С него вече може да се влиза."))
        case .left:
            MessageTemplate(
                advice: .protect,
                english: MessageText(
                    "A way to sign in was removed",
                    """
                    An account with another provider was unlinked from your {brand} account. It can no longer be used to \
                    sign in.
                    """),
                german: MessageText(
                    "Eine Anmeldemöglichkeit wurde entfernt",
                    """
                    Ein Konto bei einem anderen Anbieter ist nicht mehr mit Ihrem Konto bei {brand} verknüpft. Damit ist \
                    keine Anmeldung mehr möglich.
                    """),
                french: MessageText(
                    "Un moyen de connexion a été retiré",
                    """
                    Un compte chez un autre fournisseur a été dissocié de votre compte {brand} et ne permet plus de s’y \
                    connecter.
                    """),
                spanish: MessageText(
                    "Se ha quitado una forma de entrar",
                    """
                    Se ha desvinculado de su cuenta de {brand} una cuenta de otro proveedor, que ya no permite entrar en \
                    ella.
                    """),
                bulgarian: MessageText(
                    "Премахнат е начин за влизане",
                    """
                    Профил при друг доставчик вече не е свързан с профила ви в {brand}. С него повече не може да се влиза.
                    """))
        case .suspended:
            MessageTemplate(
                advice: .ask,
                english: MessageText(
                    "You were signed out",
                    """
                    {service} says that you stopped using your {service} account with {brand}, so we signed you out. To \
                    continue, sign in with {service} again.
                    """),
                german: MessageText(
                    "Sie wurden abgemeldet",
                    """
                    Laut {service} verwenden Sie Ihren {service}-Account nicht mehr mit {brand}. Wir haben Sie deshalb \
                    abgemeldet. Um fortzufahren, melden Sie sich erneut mit {service} an.
                    """),
                french: MessageText(
                    "Votre session a été fermée",
                    "Selon {service}, vous n’utilisez plus votre compte {service} avec {brand}. Votre session a donc été fermée. Pour continuer, reconnectez-vous avec {service}."
                ),
                spanish: MessageText(
                    "Se ha cerrado su sesión",
                    """
                    Según {service}, ya no usa su cuenta de {service} con {brand}, así que hemos cerrado su sesión. Para \
                    continuar, vuelva a entrar con {service}.
                    """),
                bulgarian: MessageText(
                    "Прекратихме сесията ви",
                    """
                    {service} съобщава, че вече не използвате профила си в {service} с {brand}, затова прекратихме сесията \
                    ви. За да продължите, влезте отново с {service}.
                    """))
        case .removed:
            MessageTemplate(
                advice: .ask,
                english: MessageText(
                    "You can no longer sign in with {service}",
                    """
                    {service} says that your account there was deleted. You keep your {brand} account: sign in with your \
                    password, or use “Forgot your password?”.
                    """),
                german: MessageText(
                    "Keine Anmeldung mehr mit {service}",
                    """
                    Laut {service} wurde Ihr Account dort gelöscht. Ihr Konto bei {brand} bleibt bestehen: Melden Sie sich \
                    mit Ihrem Passwort an oder wählen Sie „Passwort vergessen?“.
                    """),
                french: MessageText(
                    "La connexion avec {service} n’est plus possible",
                    "Selon {service}, votre compte y a été supprimé. Votre compte {brand} est conservé : utilisez votre mot de passe ou « Mot de passe oublié ? »."
                ),
                spanish: MessageText(
                    "Ya no puede entrar con {service}",
                    "Según {service}, su cuenta allí se ha eliminado. Su cuenta de {brand} se conserva: entre con su contraseña o use «¿Ha olvidado su contraseña?»."
                ),
                bulgarian: MessageText(
                    "Вече не можете да влизате с {service}",
                    """
                    {service} съобщава, че профилът ви там е изтрит. Профилът ви в {brand} се запазва: влезте с паролата \
                    си или изберете „Забравена парола?“.
                    """))
        }
    }
}
