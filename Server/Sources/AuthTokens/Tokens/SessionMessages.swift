package import AuthFoundation

/// The messages about sessions.
package enum SessionMessage: String, SecurityMessage, SecurityMessageKind, CaseIterable {
    case refreshReuse = "session_ended_reuse"
    case codeReuse = "session_ended_code_reuse"

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
        }
    }
}
