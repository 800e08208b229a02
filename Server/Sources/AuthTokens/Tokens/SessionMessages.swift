package import AuthFoundation

/// The messages about sessions.
package enum SessionMessage: String, SecurityMessage, SecurityMessageKind, CaseIterable {
    case refreshReuse = "session_ended_reuse"
    case codeReuse = "session_ended_code_reuse"
    /// The oldest session made room for a new one.
    case limitReached = "session_ended_limit"

    package var kind: SessionMessage { self }
}

extension SessionMessage {
    package var template: MessageTemplate {
        switch self {
        case .refreshReuse:
            MessageTemplate(
                advice: .protect,
                english: MessageText(
                    "For your security, you were signed out",
                    "We ended a session on your {brand} account because a copy of its key was used elsewhere."),
                german: MessageText(
                    "Sie wurden zu Ihrer Sicherheit abgemeldet",
                    "Eine Sitzung Ihres Kontos bei {brand} wurde beendet, weil eine Kopie ihres Schlüssels verwendet wurde."
                ),
                french: MessageText(
                    "Nous avons fermé une session pour votre sécurité",
                    "Une session de votre compte {brand} a été fermée, car une copie de sa clé a été utilisée ailleurs."
                ),
                spanish: MessageText(
                    "Hemos cerrado una sesión por su seguridad",
                    "Hemos cerrado una sesión de su cuenta de {brand} porque se ha usado una copia de su clave."),
                bulgarian: MessageText(
                    "Прекратихме сесията ви от съображения за сигурност",
                    "Сесия на профила ви в {brand} беше прекратена, защото копие на ключа ѝ беше използвано другаде."))
        case .codeReuse:
            MessageTemplate(
                advice: .protect,
                english: MessageText(
                    "For your security, you were signed out",
                    "We ended a session on your {brand} account because the code that started it was used twice."),
                german: MessageText(
                    "Sie wurden zu Ihrer Sicherheit abgemeldet",
                    "Eine Sitzung Ihres Kontos bei {brand} wurde beendet, weil ihr Code zweimal verwendet wurde."),
                french: MessageText(
                    "Nous avons fermé une session pour votre sécurité",
                    """
                    Une session de votre compte {brand} a été fermée, car le code qui l’a ouverte a été utilisé deux fois.
                    """),
                spanish: MessageText(
                    "Hemos cerrado una sesión por su seguridad",
                    "Hemos cerrado una sesión de su cuenta de {brand} porque el código que la abrió se ha usado dos veces."
                ),
                bulgarian: MessageText(
                    "Прекратихме сесията ви от съображения за сигурност",
                    "Сесия на профила ви в {brand} беше прекратена, защото кодът, който я отвори, беше използван два пъти."
                ))
        case .limitReached:
            MessageTemplate(
                advice: .protect,
                english: MessageText(
                    "You were signed out in one place",
                    """
                    Your {brand} account had too many sessions in the same app. We ended the one that had not been used for \
                    the longest time.
                    """),
                german: MessageText(
                    "Eine Ihrer Sitzungen wurde beendet",
                    """
                    Ihr Konto bei {brand} hatte zu viele Sitzungen in derselben App. Wir haben diejenige beendet, die am \
                    längsten nicht benutzt wurde.
                    """),
                french: MessageText(
                    "Une de vos sessions a été fermée",
                    """
                    Votre compte {brand} avait trop de sessions ouvertes dans la même application. Nous avons fermé celle \
                    qui était inutilisée depuis le plus longtemps.
                    """),
                spanish: MessageText(
                    "Hemos cerrado una de sus sesiones",
                    """
                    Su cuenta de {brand} tenía demasiadas sesiones abiertas en la misma aplicación. Hemos cerrado la que \
                    llevaba más tiempo sin usarse.
                    """),
                bulgarian: MessageText(
                    "Прекратихме една от сесиите ви",
                    """
                    Профилът ви в {brand} имаше твърде много отворени сесии в едно и също приложение. Прекратихме тази, \
                    която най-дълго не е била използвана.
                    """))
        }
    }
}
