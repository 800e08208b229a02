extension MessageWording {
    static let french = MessageWording(
        time: "Heure : {time}",
        device: "Appareil : « {device} »",
        cooling: "Il ne permettra de valider aucun paiement avant le {cooling}.",
        codeLife: "Ce code fonctionne une seule fois et reste valable {minutes} minutes.",
        codeAdvice: """
            Ne le communiquez à personne : nous ne vous le demanderons jamais. Si vous n’avez pas demandé ce code, \
            quelqu’un connaît peut-être votre mot de passe : changez-le et contactez {brand}.
            """,
        recoveryAdvice: """
            Ne le communiquez à personne : nous ne vous le demanderons jamais. Si vous n’avez pas demandé ce code, \
            vous n’avez rien à faire : personne ne peut se connecter sans lui.
            """,
        protectAdvice: """
            Si c’était vous, vous n’avez rien à faire. Sinon, quelqu’un d’autre a accès à votre compte : changez \
            immédiatement votre mot de passe, retirez les appareils que vous ne reconnaissez pas et contactez {brand}.
            """,
        askAdvice: "Si vous ne vous y attendiez pas, contactez {brand}.",
        refusalAdvice: """
            Si vous n’avez pas lancé cette opération, quelqu’un d’autre est peut-être connecté à votre compte : \
            changez immédiatement votre mot de passe et retirez les appareils que vous ne reconnaissez pas. Si vous \
            l’avez lancée vous-même, recommencez. Si vous n’avez rien refusé, contactez {brand}.
            """,
        footer: """
            Vous recevez ce message car il concerne la sécurité de votre compte {brand}. Merci de ne pas y répondre.
            """,
        payment: "{amount} vers le compte {payee_account} ({payee})",
        series: "une SÉRIE de paiements, {amount} chacun, sans autre demande, vers le compte {payee_account} ({payee})",
        trust: "désormais, des paiements de TOUT montant, sans autre demande, vers le compte {payee_account} ({payee})",
        distrust: "ne plus faire confiance au compte {payee_account} ({payee})",
        smsCode: "{code} est votre code pour {brand}. Ne le communiquez à personne.",
        smsProtectAdvice: "Pas vous ? Changez votre mot de passe et contactez {brand}.",
        smsAskAdvice: "Une question ? Contactez {brand}.")
}
