extension MessageWording {
    static let french = MessageWording(
        time: "Heure : {time}",
        device: "Appareil : « {device} »",
        cooling: "Il ne permettra de valider aucun paiement avant le {cooling}.",
        codeLife: "Il est valable une seule fois, pendant {minutes} minutes.",
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
        smsAskAdvice: "Une question ? Contactez {brand}."
    ) { kind in
        switch kind {
        case .refreshReuse:
            Text(
                "Nous avons fermé une session pour votre sécurité",
                "Une session de votre compte {brand} a été fermée, car une copie de sa clé a été utilisée ailleurs.")
        case .codeReuse:
            Text(
                "Nous avons fermé une session pour votre sécurité",
                """
                Une session de votre compte {brand} a été fermée, car le code qui l’a ouverte a été utilisé deux fois.
                """)
        case .deactivated:
            Text(
                "Votre portefeuille a été désactivé",
                """
                Votre portefeuille {brand} a été désactivé. Vous ne pourrez plus vous y connecter avant sa \
                réactivation.
                """)
        case .passwordChanged:
            Text("Votre mot de passe a été changé", "Le mot de passe de votre compte {brand} a été changé.")
        case .passwordExpired:
            Text(
                "Votre mot de passe doit être changé",
                """
                Le mot de passe de votre compte {brand} figure dans une liste de mots de passe volés ou très courants. \
                Votre session a été fermée. Choisissez-en un nouveau à la prochaine connexion.
                """)
        case .emailCode:
            Text("Confirmez votre adresse e-mail", "Votre code pour confirmer cette adresse e-mail auprès de {brand} :")
        case .instanceCode:
            Text("Confirmez votre application", "Votre code pour confirmer l’installation de l’application {brand} :")
        case .secondFactorCode:
            Text("Votre code de connexion", "Votre code pour vous connecter à {brand} :")
        case .passwordRecoveryCode:
            Text(
                "Votre code pour récupérer votre compte",
                "Votre code pour choisir un nouveau mot de passe pour {brand} :")
        case .recovered:
            Text(
                "Votre compte a été récupéré",
                """
                Un nouveau mot de passe a été défini pour votre compte {brand} à l’aide d’un code envoyé à votre \
                adresse e-mail.
                """)
        case .recoveredOnDevice:
            Text(
                "Votre compte a été récupéré",
                """
                Un nouveau mot de passe {brand} a été défini à l’aide d’un code envoyé par e-mail. L’appareil bloqué \
                après trop de mots de passe erronés est débloqué.
                """)
        case .recoveryStopped:
            Text(
                "Quelqu’un a voulu réinitialiser votre mot de passe",
                """
                Quelqu’un a voulu changer votre mot de passe {brand} avec le code reçu par e-mail, sans prouver son \
                identité. Il reste valable. Pas vous ? On lit vos e-mails : changez votre mot de passe e-mail.
                """)
        case .newDevice:
            Text(
                "Connexion depuis un nouvel appareil",
                """
                Quelqu’un s’est connecté à votre compte {brand} depuis un nouvel appareil en répondant à une question \
                secrète.
                """)
        case .recoveryCodeUsed:
            Text(
                "Un code de récupération a été utilisé",
                "Un code de récupération a été utilisé pour se connecter à votre compte {brand}.")
        case .secondFactorFailed:
            Text(
                "Une connexion a échoué à la seconde étape",
                """
                Quelqu’un a saisi le bon mot de passe de votre compte {brand}, puis a épuisé tous les essais à la \
                seconde étape.
                """)
        case .totpAdded:
            Text(
                "Une application d’authentification a été ajoutée",
                "Une application d’authentification a été ajoutée à votre compte {brand}.")
        case .totpRemoved:
            Text(
                "Une application d’authentification a été retirée",
                "L’application d’authentification a été retirée de votre compte {brand}.")
        case .recoveryCodesMade:
            Text(
                "Nouveaux codes de récupération",
                "De nouveaux codes de récupération ont été créés pour votre compte {brand}. Les anciens ne sont plus valables."
            )
        case .recoveryCodesVoided:
            Text(
                "Vos codes de récupération ne sont plus valables",
                """
                Nous avons dû restaurer notre système à partir d’une sauvegarde. Pour protéger votre compte \
                {brand}, vos codes de récupération ne sont plus valables. Connectez-vous et créez-en de nouveaux.
                """)
        case .secretQuestionsSet:
            Text(
                "Vos questions secrètes ont été changées",
                "Les questions secrètes de votre compte {brand} ont été changées.")
        case .passkeyAdded:
            Text(
                "Une clé d’accès a été ajoutée",
                "Une clé d’accès a été ajoutée à votre compte {brand}. Elle permet de se connecter sans mot de passe.")
        case .passkeyRemoved:
            Text(
                "Une clé d’accès a été retirée",
                "Une clé d’accès de votre compte {brand} a été retirée.")
        case .passkeyCopied:
            Text(
                "Une clé d’accès a peut-être été copiée",
                """
                Une clé d’accès de votre compte {brand} s’est comportée comme une copie et a été refusée. Retirez-la \
                et ajoutez-en une nouvelle.
                """)
        case .identityJoined:
            Text(
                "Un moyen de connexion a été ajouté",
                """
                Un compte chez un autre fournisseur a été associé à votre compte {brand} et permet désormais de s’y \
                connecter.
                """)
        case .identityLeft:
            Text(
                "Un moyen de connexion a été retiré",
                """
                Un compte chez un autre fournisseur a été dissocié de votre compte {brand} et ne permet plus de s’y \
                connecter.
                """)
        case .identitySuspended:
            Text(
                "Votre session a été fermée",
                "Selon {service}, vous n’utilisez plus votre compte {service} avec {brand}. Votre session a donc été fermée. Pour continuer, reconnectez-vous avec {service}."
            )
        case .identityRemoved:
            Text(
                "La connexion avec {service} n’est plus possible",
                "Selon {service}, votre compte y a été supprimé. Votre compte {brand} est conservé : utilisez votre mot de passe ou « Mot de passe oublié ? »."
            )
        case .deviceEnrolled:
            Text("Un appareil a été ajouté", "Un appareil a été lié à votre compte {brand}.")
        case .deviceDeactivated:
            Text(
                "Un appareil a été désactivé",
                "Un appareil lié à votre compte {brand} a été désactivé. Il ne permet plus de se connecter.")
        case .deviceClosed:
            Text(
                "Un appareil a été bloqué",
                """
                Un appareil lié à votre compte {brand} a été bloqué : trop de mots de passe erronés. Débloquez-le avec \
                « Mot de passe oublié ? » sur cet appareil, sauf s’il a été ajouté récemment.
                """)
        case .deviceRemoved:
            Text("Un appareil a été retiré", "Un appareil a été retiré de votre compte {brand}.")
        case .pinSet:
            Text(
                "Un code PIN a été défini",
                "Un code PIN a été défini ou changé sur un appareil lié à votre compte {brand}.")
        case .pinLocked:
            Text(
                "Votre code PIN est bloqué",
                "Le code PIN d’un appareil lié à votre compte {brand} a été bloqué après trop d’essais infructueux.")
        case .pinForgotten:
            Text(
                "Un code PIN a été retiré",
                "Le code PIN d’un appareil lié à votre compte {brand} a été retiré depuis un autre appareil.")
        case .deviceTokenIssued:
            Text(
                "Un appareil reste connecté",
                """
                Un appareil lié à votre compte {brand} peut désormais se connecter sans mot de passe pendant des mois.
                """)
        case .accountPINSet:
            Text(
                "Un code PIN a été défini pour votre compte",
                "Un code PIN de connexion sur le web a été défini ou modifié pour votre compte {brand}.")
        case .accountPINLocked:
            Text(
                "Votre code PIN est bloqué",
                """
                Le code PIN de votre compte {brand} a été bloqué après trop d’essais infructueux. Connectez-vous par \
                mot de passe et définissez un nouveau code sur la page du compte.
                """)
        case .accountPINRemoved:
            Text(
                "Le code PIN de votre compte a été retiré",
                """
                Le code PIN de votre compte {brand} a été retiré, directement ou parce que le mot de passe a été \
                changé. Connectez-vous avec votre mot de passe.
                """)
        case .biometricKeyAdded:
            Text(
                "Connexion par visage ou empreinte activée",
                "La connexion par visage ou empreinte a été activée sur un appareil lié à votre compte {brand}.")
        case .biometricKeyRemoved:
            Text(
                "Connexion par visage ou empreinte désactivée",
                "La connexion par visage ou empreinte a été désactivée sur un appareil lié à votre compte {brand}.")
        case .consentCode:
            Text("Votre code pour un paiement ou une validation", "À valider auprès de {brand} : {operation}.")
        case .consentLocked:
            Text(
                "Une opération a été arrêtée",
                """
                Nous avons arrêté une opération auprès de {brand}, car trop de codes ou de codes PIN erronés ont été \
                saisis pour la valider.
                """)
        case .consentRefused:
            Text(
                "Une opération a été refusée",
                """
                « Je n’ai pas demandé cela » a été choisi pour une opération auprès de {brand}. Elle a été arrêtée et \
                n’a pas été exécutée : {operation}.
                """)
        }
    }
}
