public import Foundation
public import WalletAuth

/// A question of a second factor, and the person's answer.
///
/// Show ``question``, set ``answer``, and pass the same token to `registerWithMFA`. After a wrong answer it may be passed again. On the
/// page, the question is always a secret question. Here it may also say where a code was sent, or which code to enter.
#if canImport(ObjectiveC)
    @objc(PDMFAToken) @objcMembers
#endif
public final class PDMFAToken: NSObject {
    /// The question, in the person's language unless it is the account's own.
    public var question: String?
    /// The answer as typed.
    public var answer: String?
    /// The SDK's challenge, which can send the code again or switch to another factor; nil in a token that the app created.
    public let challenge: MFAChallenge?
    /// The domain of the sign-in that continues.
    let domain: String

    /// Creates a token without a challenge, which `registerWithMFA` refuses.
    public override init() {
        challenge = nil
        domain = kUserErrorLoginWithUsernamePasswordDomain
    }

    init(_ challenge: MFAChallenge, domain: String) {
        question = challenge.prompt(in: Locale.preferredLanguages)
        self.challenge = challenge
        self.domain = domain
    }
}

extension PDMFAToken: CustomReflectable {
    /// An empty mirror, without the answer.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension MFAChallenge {
    /// What the person is asked.
    /// - Parameter languages: the person's languages in order of preference (BCP 47). English is the fallback.
    package func prompt(in languages: [String]) -> String {
        if let question { return question }
        let texts =
            languages.lazy.compactMap { tag in
                tag.lowercased().split(whereSeparator: { $0 == "-" || $0 == "_" }).first
                    .flatMap { Prompts.all[String($0)] }
            }.first ?? .english
        return switch method {
        case "totp": texts.authenticator
        case "recovery_code": texts.recoveryCode
        default:
            if !isCodeSent {
                texts.notSent
            } else if let destination {
                texts.sentTo.replacing("{destination}", with: destination)
            } else {
                texts.sent
            }
        }
    }
}

/// The prompts for second factors that have no question.
private struct Prompts {
    let sentTo: String
    let sent: String
    let notSent: String
    let authenticator: String
    let recoveryCode: String

    static let all: [String: Prompts] = [
        "en": english,
        "de": Prompts(
            sentTo: "Wir haben einen Code an {destination} gesendet. Geben Sie ihn ein.",
            sent: "Wir haben Ihnen einen Code gesendet. Geben Sie ihn ein.",
            notSent:
                "Wir können gerade keinen Code senden, weil vor Kurzem viele gesendet wurden. Versuchen Sie es später erneut.",
            authenticator: "Geben Sie den Code aus Ihrer Authenticator-App ein.",
            recoveryCode: "Geben Sie einen Ihrer Wiederherstellungscodes ein."),
        "fr": Prompts(
            sentTo: "Nous avons envoyé un code à {destination}. Saisissez-le.",
            sent: "Nous vous avons envoyé un code. Saisissez-le.",
            notSent: """
                Nous ne pouvons pas envoyer de code pour le moment, car beaucoup l’ont été récemment. Réessayez plus tard.
                """,
            authenticator: "Saisissez le code de votre application d’authentification.",
            recoveryCode: "Saisissez l’un de vos codes de récupération."),
        "es": Prompts(
            sentTo: "Hemos enviado un código a {destination}. Introdúzcalo.",
            sent: "Le hemos enviado un código. Introdúzcalo.",
            notSent:
                "Ahora no podemos enviar ningún código porque se han enviado muchos hace poco. Inténtelo más tarde.",
            authenticator: "Introduzca el código de su aplicación de autenticación.",
            recoveryCode: "Introduzca uno de sus códigos de recuperación."),
        "bg": Prompts(
            sentTo: "Изпратихме код на {destination}. Въведете го.",
            sent: "Изпратихме ви код. Въведете го.",
            notSent: "В момента не можем да изпратим код, защото наскоро бяха изпратени много. Опитайте по-късно.",
            authenticator: "Въведете кода от приложението си за удостоверяване.",
            recoveryCode: "Въведете един от кодовете си за възстановяване."),
    ]

    static let english = Prompts(
        sentTo: "We sent a code to {destination}. Enter it here.", sent: "We sent you a code. Enter it here.",
        notSent: "We can’t send a code right now because too many were sent recently. Try again later.",
        authenticator: "Enter the code from your authenticator app.",
        recoveryCode: "Enter one of your recovery codes.")
}
