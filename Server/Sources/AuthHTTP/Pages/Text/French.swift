extension PageText {
    static let french = PageText(
        signInHeading: "Connexion",
        signInLead: "pour continuer vers {client}",
        usernameLabel: "Nom d’utilisateur",
        passwordLabel: "Mot de passe",
        submitLabel: "Se connecter",
        resetLabel: "Mot de passe oublié ?",
        recoveryHeading: "Récupérer votre accès",
        recoveryLead: """
            Saisissez votre nom d’utilisateur. Si nous le connaissons, nous envoyons un code à son adresse e-mail.
            """,
        recoverySubmitLabel: "Envoyer un code",
        recoveryCodeHeading: "Saisissez le code",
        recoveryCodeSentLead: "Il a été envoyé à l’adresse e-mail du compte, s’il existe. Il a 8 chiffres.",
        recoveredPasswordLead: "Il remplace l’ancien. Toutes les autres sessions prennent fin.",
        confirmHeading: "Continuer en tant que {user} ?",
        confirmLead: "{client} demande qui vous êtes. Vous êtes déjà connecté sur cet appareil.",
        confirmLabel: "Continuer",
        otherAccountLabel: "Utiliser un autre compte",
        newPasswordHeading: "Choisissez un nouveau mot de passe",
        newPasswordLead: "L’ancien ne peut plus être utilisé.",
        newPasswordLabel: "Nouveau mot de passe",
        newPasswordHint: "Au moins 8 caractères. Une phrase à laquelle vous seul penseriez convient bien.",
        repeatPasswordLabel: "Répéter le mot de passe",
        newPasswordSubmitLabel: "Enregistrer et se connecter",
        emailCodeHeading: "Confirmez votre adresse e-mail",
        emailCodeLead: "Nous avons envoyé un code à {destination}.",
        emailCodeLabel: "Code",
        emailCodeSubmitLabel: "Confirmer",
        secondFactorHeading: "Confirmez que c’est bien vous",
        authenticatorLead: "Saisissez le code affiché par votre application d’authentification.",
        secretQuestionLead: "Répondez à la question que vous avez choisie.",
        recoveryCodeLead: "Saisissez l’un de vos codes de récupération. Chacun ne sert qu’une fois.",
        useAuthenticatorLabel: "Utiliser l’application d’authentification",
        useEmailLabel: "Envoyer un code par e-mail",
        useSMSLabel: "Envoyer un code par SMS",
        useSecretQuestionLabel: "Répondre à une question",
        useRecoveryCodeLabel: "Utiliser un code de récupération",
        resendLabel: "Envoyer un nouveau code",
        cancelLabel: "Annuler",
        returnFooter: "Après la connexion, vous reviendrez à {host}.",
        noticeHeading: "Vous n’êtes pas encore connecté",
        invalidCredentials: "Le nom d’utilisateur ou le mot de passe est incorrect. Vérifiez les deux et réessayez.",
        triedOften: """
            Après plusieurs essais, même le bon mot de passe est refusé pendant un moment. Si vous avez beaucoup \
            essayé, attendez quelques minutes.
            """,
        walletDeactivated: "Ce portefeuille a été désactivé. Contactez {brand} pour le faire rouvrir.",
        recoveryCodeSent: "Si nous connaissons ce nom, un code est en route.",
        unusableName: "Aucun compte ne peut porter ce nom. Vérifiez-le.",
        recoveryUnavailable: """
            Ce compte est protégé par plus que son adresse e-mail. Récupérez-le dans l’application sur votre \
            appareil lié, ou contactez {brand}.
            """,
        passwordMistyped:
            "Les deux mots de passe ne sont pas identiques. Saisissez de nouveau le nouveau deux fois. Rien n’a été modifié.",
        passwordTooShort: "Ce mot de passe est trop court : il faut au moins 8 caractères.",
        passwordTooLong: "Ce mot de passe est trop long : 256 caractères au plus.",
        passwordTooCommon: "Ce mot de passe est trop facile à deviner. Choisissez-en un autre.",
        passwordBreached: "Ce mot de passe a été volé quelque part et d’autres le connaissent. Choisissez-en un autre.",
        passwordUnchanged: "C’est votre mot de passe actuel. Choisissez-en un autre.",
        invalidCode: "Le code est incorrect ou a expiré. Vérifiez-le ou demandez-en un nouveau.",
        wrongAnswer: "Ce n’est pas exact. Vérifiez et réessayez.",
        factorOver: """
            Il y a eu trop de réponses inexactes, ou cela a pris trop de temps. Reprenez la connexion depuis le début.
            """,
        codeSent: "Un nouveau code est en route.",
        codeSentRecently: "Un code vient d’être envoyé. Vous pourrez en demander un autre dans {seconds} secondes.",
        codeNotSent: """
            Aucun code ne peut être envoyé pour le moment, car beaucoup l’ont été récemment. Demandez-en un dans \
            {minutes} min ou utilisez un autre moyen.
            """,
        tooManyAttempts: "Trop de tentatives. Attendez {seconds} secondes et réessayez.",
        busy: "Beaucoup de personnes se connectent en ce moment. Réessayez dans {seconds} secondes.",
        faultHeading: "Cela n’a pas fonctionné",
        codeLabel: "Code",
        referenceLabel: "Référence",
        unknownClient: "L’application qui vous a envoyé ici n’est pas connue de ce serveur.",
        redirectMismatch: """
            L’application a demandé une réponse à une adresse qui n’est pas enregistrée pour elle. Rien n’y a \
            été envoyé.
            """,
        malformedRequest: "La demande qui vous a amené ici est incomplète ou incorrecte.",
        expiredPage: """
            Cette page a expiré, ou votre navigateur n’a pas envoyé son cookie. Revenez à l’application et \
            recommencez.
            """,
        serverFault: "Une erreur s’est produite de notre côté. Réessayez dans un instant.",
        unavailable: "Le service est occupé ou en maintenance. Réessayez dans un instant.",
        notFound: "Il n’y a rien à cette adresse.",
        foreignHost: "Cette page n’est pas disponible à cette adresse.",
        nextStepApp: """
            Revenez à l’application et réessayez. Si cela se reproduit, signalez-le à l’éditeur de l’application en \
            indiquant la référence ci-dessous.
            """,
        nextStepService: """
            Si cela persiste, signalez-le au responsable de ce service en indiquant la référence ci-dessous.
            """,
        nextStepAddress: "Vérifiez l’adresse, ou revenez là d’où vous veniez.",
        nextStepOwnAddress: "Ouvrez-la à l’adresse {address}.",
        developersHeading: "Pour les développeurs",
        developerUnknownClient: """
            client_id est absent, mal orthographié ou non enregistré auprès de {issuer}. Vérifiez que l’application \
            s’adresse au bon serveur.
            """,
        developerRedirectMismatch: """
            redirect_uri doit être enregistrée pour le client, à la lettre près : schéma, hôte, port, chemin et \
            barre oblique finale. Seul le port de 127.0.0.1 et de [::1] peut différer.
            """,
        continueHeading: "Un instant",
        continueMessage: "Vous allez revenir à {host}.",
        continueLabel: "Continuer",
        merchantHeading: "Choisir un établissement",
        merchantLead:
            "Vous êtes connecté en tant que {user}. Choisissez l’établissement pour lequel vous voulez utiliser {client}.",
        signedOutHeading: "Vous êtes déconnecté",
        signedOut: "Vous pouvez fermer cette fenêtre.")
}
