extension MessageWording {
    static let french = MessageWording(
        time: "Heure : {time}",
        device: "Appareil : « {device} »",
        cooling: "Il ne permet d’accepter aucun paiement avant le {cooling}.",
        codeLife: "Il est valable une seule fois, pendant {minutes} minutes.",
        codeAdvice: """
            Ne le donnez à personne : nous ne le demandons jamais. Si vous n’avez pas demandé ce code, quelqu’un connaît \
            peut-être votre mot de passe. Changez-le et contactez {brand}.
            """,
        recoveryAdvice: """
            Ne le donnez à personne : nous ne le demandons jamais. Si vous n’avez pas demandé ce code, il n’y a \
            rien à faire : sans lui, personne n’entre.
            """,
        protectAdvice: """
            Si c’était vous, il n’y a rien à faire. Sinon, quelqu’un d’autre a accès à votre compte : changez tout de suite \
            votre mot de passe, retirez les appareils que vous ne connaissez pas et contactez {brand}.
            """,
        askAdvice: "Si vous ne vous y attendiez pas, contactez {brand}.",
        refusalAdvice: """
            Si vous n’avez pas lancé cette opération, quelqu’un d’autre est peut-être connecté à votre compte : changez tout de \
            suite votre mot de passe et retirez les appareils que vous ne connaissez pas. Si vous l’avez lancée vous-même, \
            recommencez-la. Si vous n’avez rien refusé, contactez {brand}.
            """,
        footer: """
            {brand} envoie ce message parce qu’il concerne la sécurité de votre compte. Il n’est pas possible d’y répondre.
            """,
        payment: "{amount} au compte {payee_account} ({payee})",
        series: "une SÉRIE de paiements, {amount} chacun, sans autre demande, au compte {payee_account} ({payee})",
        trust: "désormais des paiements de TOUT montant, sans autre demande, au compte {payee_account} ({payee})",
        distrust: "ne plus faire confiance au compte {payee_account} ({payee})",
        smsCode: "{code} est votre code pour {brand}. Ne le donnez à personne.",
        smsProtectAdvice: "Pas vous ? Changez votre mot de passe et contactez {brand}.",
        smsAskAdvice: "Une question ? Contactez {brand}."
    ) { kind in
        switch kind {
        case .refreshReuse:
            Text(
                "Vous avez été déconnecté pour votre sécurité",
                "Une session de votre compte {brand} a été fermée, car une copie de sa clé a été utilisée ailleurs.")
        case .codeReuse:
            Text(
                "Vous avez été déconnecté pour votre sécurité",
                "Une session de votre compte {brand} a été fermée, car le code qui l’a ouverte a été utilisé deux fois."
            )
        case .deactivated:
            Text(
                "Votre portefeuille a été désactivé",
                "Votre portefeuille {brand} a été désactivé. Personne ne peut s’y connecter avant sa réouverture.")
        case .passwordChanged:
            Text("Votre mot de passe a été changé", "Le mot de passe de votre compte {brand} a été changé.")
        case .passwordExpired:
            Text(
                "Votre mot de passe doit être changé",
                """
                Le mot de passe de votre compte {brand} figure dans une liste de mots de passe volés ou très \
                courants. Vous avez été déconnecté et en choisirez un nouveau à la connexion.
                """)
        case .emailCode:
            Text("Confirmez votre adresse e-mail", "Votre code pour confirmer cette adresse e-mail auprès de {brand} :")
        case .instanceCode:
            Text("Confirmez votre application", "Votre code pour confirmer l’installation de l’application {brand} :")
        case .secondFactorCode:
            Text("Votre code de connexion", "Votre code pour vous connecter à {brand} :")
        case .passwordRecoveryCode:
            Text(
                "Votre code de récupération",
                "Votre code pour choisir un nouveau mot de passe pour {brand} :")
        case .recovered:
            Text(
                "Votre accès a été récupéré",
                """
                Un nouveau mot de passe a été défini pour votre compte {brand}, au moyen d’un code envoyé à \
                l’adresse e-mail du compte.
                """)
        case .recoveredOnDevice:
            Text(
                "Votre accès a été récupéré",
                """
                Un nouveau mot de passe {brand} a été défini par un code envoyé par e-mail. L’appareil bloqué par \
                des mots de passe erronés est de nouveau ouvert.
                """)
        case .recoveryStopped:
            Text(
                "Quelqu’un a voulu définir un nouveau mot de passe",
                """
                Quelqu’un a donné le code de votre e-mail pour changer le mot de passe {brand}, et n’a rien prouvé \
                d’autre. Il reste valable. Pas vous ? On lit vos e-mails : changez le mot de passe de l’e-mail.
                """)
        case .newDevice:
            Text(
                "Connexion depuis un nouvel appareil",
                "Quelqu’un s’est connecté à votre compte {brand} depuis un nouvel appareil, par une question secrète.")
        case .recoveryCodeUsed:
            Text(
                "Un code de secours a été utilisé",
                "Un code de secours de votre compte {brand} a été utilisé pour se connecter.")
        case .secondFactorFailed:
            Text(
                "Une connexion a échoué au second facteur",
                "Quelqu’un a saisi le bon mot de passe de votre compte {brand}, puis un second facteur erroné jusqu’à épuiser les essais."
            )
        case .totpAdded:
            Text(
                "Une application d’authentification a été ajoutée",
                "Une application d’authentification a été ajoutée à votre compte {brand}.")
        case .totpRemoved:
            Text(
                "Une application d’authentification a été retirée",
                "L’application d’authentification de votre compte {brand} a été retirée.")
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
                """
                Une clé d’accès a été ajoutée à votre compte {brand}. Elle permet de se connecter sans mot de \
                passe.
                """)
        case .passkeyRemoved:
            Text(
                "Une clé d’accès a été retirée",
                "Une clé d’accès de votre compte {brand} a été retirée.")
        case .passkeyCopied:
            Text(
                "Une clé d’accès a peut-être été copiée",
                """
                Une clé d’accès de votre compte {brand} a signé d’une façon qui indique une copie. Elle a été \
                refusée. Retirez cette clé d’accès et ajoutez-en une nouvelle.
                """)
        case .identityJoined:
            Text(
                "Un moyen de connexion a été ajouté",
                "Une identité chez un autre fournisseur a été associée à votre compte {brand} et permet désormais de s’y connecter."
            )
        case .identityLeft:
            Text(
                "Un moyen de connexion a été retiré",
                "Une identité chez un autre fournisseur a été retirée de votre compte {brand} et ne permet plus de s’y connecter."
            )
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
            Text("Un appareil a été ajouté", "Un appareil a été ajouté à votre compte {brand}.")
        case .deviceDeactivated:
            Text(
                "Un appareil a été désactivé",
                "Un appareil de votre compte {brand} a été désactivé. Personne ne peut plus se connecter avec lui.")
        case .deviceClosed:
            Text(
                "Un appareil a été désactivé",
                """
                Un appareil de votre compte {brand} a été désactivé après trop de mots de passe erronés. \
                S’il n’a pas été enregistré tout récemment, vous le rouvrez sur cet appareil : « Mot de passe oublié ? ».
                """)
        case .deviceRemoved:
            Text("Un appareil a été retiré", "Un appareil a été retiré de votre compte {brand}.")
        case .pinSet:
            Text(
                "Un code PIN a été défini",
                "Un code PIN a été défini ou changé sur un appareil de votre compte {brand}.")
        case .pinLocked:
            Text(
                "Votre code PIN est bloqué",
                "Le code PIN d’un appareil de votre compte {brand} a été bloqué après trop d’essais erronés.")
        case .pinForgotten:
            Text(
                "Un code PIN a été retiré",
                "Le code PIN d’un appareil de votre compte {brand} a été retiré depuis un autre appareil.")
        case .deviceTokenIssued:
            Text(
                "Un appareil reste connecté",
                "Un appareil de votre compte {brand} peut se connecter des mois sans mot de passe.")
        case .accountPINSet:
            Text(
                "Un code PIN a été défini pour votre compte",
                "Un code PIN de connexion sur le web a été défini ou modifié pour votre compte {brand}.")
        case .accountPINLocked:
            Text(
                "Votre code PIN est bloqué",
                """
                Le code PIN de votre compte {brand} a été bloqué après trop d’essais erronés. Votre mot de passe \
                l’ouvre ; définissez un nouveau code sur sa page.
                """)
        case .accountPINRemoved:
            Text(
                "Le code PIN de votre compte a été retiré",
                """
                Le code PIN de votre compte {brand} a été retiré, ou a disparu avec le mot de passe qui a changé. \
                Votre mot de passe ouvre le compte.
                """)
        case .biometricKeyAdded:
            Text(
                "Connexion par visage ou empreinte activée",
                "La connexion par visage ou empreinte a été activée sur un appareil de votre compte {brand}.")
        case .biometricKeyRemoved:
            Text(
                "Connexion par visage ou empreinte désactivée",
                "La connexion par visage ou empreinte a été désactivée sur un appareil de votre compte {brand}.")
        case .consentCode:
            Text("Votre code pour un paiement ou une validation", "À valider auprès de {brand} : {operation}.")
        case .consentLocked:
            Text(
                "Une opération a été arrêtée",
                "Trop de codes ou de codes PIN erronés ont été saisis pour valider une opération auprès de {brand}. Elle a été arrêtée."
            )
        case .consentRefused:
            Text(
                "Une opération a été refusée",
                """
                Il a été indiqué que vous n’aviez pas demandé une opération auprès de {brand}. Elle a été arrêtée et \
                n’a pas été exécutée : {operation}.
                """)
        }
    }
}
