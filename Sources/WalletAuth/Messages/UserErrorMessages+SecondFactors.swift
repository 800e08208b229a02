public import Foundation

extension UserErrorMessages {
    /// Returns what to ask a person for a second factor: the account's own question, or which code to enter and where it was sent.
    ///
    /// An app replaces a text by its key, as it does the text of an error: `second_factor.totp`, `second_factor.recovery_code`,
    /// `second_factor.code_sent`, `second_factor.code_sent_to` (`{destination}` is the masked address or number), and
    /// `second_factor.code_not_sent` if too many codes were sent recently.
    /// - Parameters:
    ///   - challenge: the second factor that the sign-in asks for.
    ///   - languages: the person's languages in order of preference (BCP 47). English is the fallback.
    /// - Returns: a text to show. A secret question is in the words in which the person chose it.
    public func question(of challenge: MFAChallenge, languages: [String] = Locale.preferredLanguages) -> String {
        if let question = challenge.question { return question }
        let text = first(of: [challenge.questionKey], in: languages) ?? challenge.method
        return challenge.destination.map { text.replacing("{destination}", with: $0) } ?? text
    }

    /// What a person is asked for a second factor, by language.
    static let secondFactors: [String: [Key: String]] = [
        "en": [
            "second_factor.totp": "Enter the code from your authenticator app.",
            "second_factor.recovery_code": "Enter one of your recovery codes.",
            "second_factor.code_sent": "We sent you a code. Enter it here.",
            "second_factor.code_sent_to": "We sent a code to {destination}. Enter it here.",
            "second_factor.code_not_sent":
                "We can’t send a code right now because too many were sent recently. Try again later.",
        ],
        "de": [
            "second_factor.totp": "Geben Sie den Code aus Ihrer Authenticator-App ein.",
            "second_factor.recovery_code": "Geben Sie einen Ihrer Wiederherstellungscodes ein.",
            "second_factor.code_sent": "Wir haben Ihnen einen Code gesendet. Geben Sie ihn ein.",
            "second_factor.code_sent_to": "Wir haben einen Code an {destination} gesendet. Geben Sie ihn ein.",
            "second_factor.code_not_sent": """
            Wir können gerade keinen Code senden, weil vor Kurzem viele gesendet wurden. Versuchen Sie es später \
            erneut.
            """,
        ],
        "fr": [
            "second_factor.totp": "Saisissez le code de votre application d’authentification.",
            "second_factor.recovery_code": "Saisissez l’un de vos codes de récupération.",
            "second_factor.code_sent": "Nous vous avons envoyé un code. Saisissez-le.",
            "second_factor.code_sent_to": "Nous avons envoyé un code à {destination}. Saisissez-le.",
            "second_factor.code_not_sent": """
            Nous ne pouvons pas envoyer de code pour le moment, car beaucoup l’ont été récemment. Réessayez plus tard.
            """,
        ],
        "es": [
            "second_factor.totp": "Introduzca el código de su aplicación de autenticación.",
            "second_factor.recovery_code": "Introduzca uno de sus códigos de recuperación.",
            "second_factor.code_sent": "Le hemos enviado un código. Introdúzcalo.",
            "second_factor.code_sent_to": "Hemos enviado un código a {destination}. Introdúzcalo.",
            "second_factor.code_not_sent":
                "Ahora no podemos enviar ningún código porque se han enviado muchos hace poco. Inténtelo más tarde.",
        ],
        "bg": [
            "second_factor.totp": "Въведете кода от приложението си за удостоверяване.",
            "second_factor.recovery_code": "Въведете един от кодовете си за възстановяване.",
            "second_factor.code_sent": "Изпратихме ви код. Въведете го.",
            "second_factor.code_sent_to": "Изпратихме код на {destination}. Въведете го.",
            "second_factor.code_not_sent":
                "В момента не можем да изпратим код, защото наскоро бяха изпратени много. Опитайте по-късно.",
        ],
    ]
}

extension MFAChallenge {
    /// The key of the text that asks for it.
    fileprivate var questionKey: UserErrorMessages.Key {
        switch method {
        case "totp", "recovery_code": .init(rawValue: "second_factor.\(method)")
        default:
            !isCodeSent
                ? "second_factor.code_not_sent"
                : destination == nil ? "second_factor.code_sent" : "second_factor.code_sent_to"
        }
    }
}
