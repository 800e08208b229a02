extension PageText {
    static let french = PageText(
        signInHeading: "Connexion",
        signInLead: "pour continuer vers {client}",
        usernameLabel: "Nom d’utilisateur",
        passwordLabel: "Mot de passe",
        submitLabel: "Se connecter",
        resetLabel: "Mot de passe oublié ?",
        recoveryHeading: "Récupérer votre compte",
        recoveryLead: """
            Saisissez votre nom d’utilisateur. Si nous le connaissons, nous enverrons un code à l’adresse e-mail du \
            compte.
            """,
        recoverySubmitLabel: "Envoyer un code",
        recoveryCodeHeading: "Saisissez le code",
        recoveryCodeSentLead: "Si le compte existe, nous avons envoyé un code à 8 chiffres à son adresse e-mail.",
        recoveredPasswordLead: "Il remplace votre ancien mot de passe. Toutes vos autres sessions seront fermées.",
        confirmHeading: "Continuer en tant que {user} ?",
        confirmLead: "{client} souhaite savoir qui vous êtes. Votre session est déjà ouverte sur cet appareil.",
        confirmLabel: "Continuer",
        otherAccountLabel: "Utiliser un autre compte",
        newPasswordHeading: "Choisissez un nouveau mot de passe",
        newPasswordLead: "Vous ne pouvez plus utiliser votre mot de passe actuel.",
        newPasswordLabel: "Nouveau mot de passe",
        newPasswordHint: "Au moins 8 caractères. Une phrase à laquelle personne d’autre ne penserait convient bien.",
        repeatPasswordLabel: "Répétez le mot de passe",
        newPasswordSubmitLabel: "Enregistrer et se connecter",
        emailCodeHeading: "Confirmez votre adresse e-mail",
        emailCodeLead: "Nous avons envoyé un code à {destination}.",
        emailCodeLabel: "Code",
        emailCodeSubmitLabel: "Confirmer",
        secondFactorHeading: "Confirmez que c’est bien vous",
        authenticatorLead: "Saisissez le code de votre application d’authentification.",
        secretQuestionLead: "Répondez à votre question secrète.",
        recoveryCodeLead: "Saisissez l’un de vos codes de récupération. Chaque code ne sert qu’une fois.",
        useAuthenticatorLabel: "Utiliser l’application d’authentification",
        useEmailLabel: "Envoyer un code par e-mail",
        useSMSLabel: "Envoyer un code par SMS",
        useSecretQuestionLabel: "Répondre à une question secrète",
        useRecoveryCodeLabel: "Utiliser un code de récupération",
        usePasswordLabel: "Utiliser plutôt votre mot de passe",
        resendLabel: "Envoyer un nouveau code",
        cancelLabel: "Annuler",
        returnFooter: "Après la connexion, vous reviendrez sur {host}.",
        noticeHeading: "Vous n’êtes pas encore connecté",
        invalidCredentials: "Le nom d’utilisateur ou le mot de passe est incorrect. Vérifiez les deux et réessayez.",
        triedOften: """
            Après plusieurs tentatives, même le bon mot de passe est refusé pendant un moment. Si vous avez fait de \
            nombreuses tentatives, patientez quelques minutes.
            """,
        passwordNeeded: """
            Vous devez d’abord changer votre mot de passe. Cette fois, connectez-vous avec votre mot de passe.
            """,
        walletDeactivated: "Ce portefeuille a été désactivé. Contactez {brand} pour le faire réactiver.",
        recoveryCodeSent: "Si nous connaissons ce nom, un code est en route.",
        unusableName: "Ce nom d’utilisateur n’est pas valide. Vérifiez-le et réessayez.",
        recoveryUnavailable: """
            Ce compte n’est pas protégé uniquement par son adresse e-mail. Récupérez-le dans l’application sur votre \
            appareil lié, ou contactez {brand}.
            """,
        passwordMissing: "Saisissez un nouveau mot de passe. Rien n’a été modifié.",
        passwordMistyped: """
            Les deux mots de passe ne sont pas identiques. Saisissez deux fois le nouveau mot de passe. Rien n’a été \
            modifié.
            """,
        passwordTooShort: "Ce mot de passe est trop court. Utilisez au moins 8 caractères.",
        passwordTooLong: "Ce mot de passe est trop long. Utilisez 256 caractères au maximum.",
        passwordUnusable: """
            Ce mot de passe ne peut pas être utilisé. Il est trop long, ou contient une tabulation ou un autre caractère \
            de contrôle. Choisissez-en un autre.
            """,
        passwordTooCommon: "Ce mot de passe est trop facile à deviner. Choisissez-en un autre.",
        passwordBreached: "Ce mot de passe a été divulgué lors d’une fuite de données. Choisissez-en un autre.",
        passwordUnchanged: "C’est votre mot de passe actuel. Choisissez-en un autre.",
        invalidCode: "Le code est incorrect ou a expiré. Vérifiez-le ou demandez-en un nouveau.",
        codeUsed: """
            Vous avez déjà utilisé ce code. Attendez que votre application d’authentification affiche le suivant.
            """,
        wrongAnswer: "Ce n’est pas correct. Vérifiez votre saisie et réessayez.",
        factorOver: """
            Cette étape est terminée : elle a déjà reçu une réponse, il y a eu trop de réponses incorrectes, ou le \
            délai est dépassé. Reprenez la connexion depuis le début.
            """,
        codeSent: "Un nouveau code est en route.",
        codeSentRecently: """
            Nous venons de vous envoyer un code. Vous pourrez en demander un autre dans {seconds} secondes.
            """,
        codeNotSent: """
            Nous ne pouvons pas envoyer de code pour le moment, car beaucoup l’ont été récemment. Demandez-en un dans \
            {minutes} min ou utilisez un autre moyen.
            """,
        tooManyAttempts: "Trop de tentatives. Attendez {seconds} secondes et réessayez.",
        networkHeld: """
            Trop de tentatives de connexion proviennent de votre réseau. Vous le partagez peut-être avec de nombreuses \
            personnes, par exemple avec d’autres clients de votre opérateur mobile. Réessayez dans {minutes} min ou \
            utilisez un autre réseau. Dans un navigateur où vous avez déjà saisi votre mot de passe avec succès, vous \
            n’avez pas à attendre.
            """,
        busy: "Beaucoup de personnes se connectent en ce moment. Réessayez dans {seconds} secondes.",
        faultHeading: "Cela n’a pas fonctionné",
        codeLabel: "Code",
        referenceLabel: "Référence",
        unknownClient: "Ce serveur ne reconnaît pas l’application qui vous a envoyé ici.",
        redirectMismatch: """
            L’application attendait la réponse à une adresse qui n’est pas enregistrée pour elle. Rien n’y a été \
            envoyé.
            """,
        malformedRequest: "La demande qui vous a amené ici est incomplète ou incorrecte.",
        expiredPage: """
            Cette page a expiré, ou votre navigateur n’a pas envoyé son cookie. Revenez à l’application et \
            recommencez.
            """,
        serverFault: "Une erreur s’est produite de notre côté. Réessayez dans un instant.",
        unavailable: "Le service est surchargé ou en maintenance. Réessayez dans un instant.",
        notFound: "Il n’y a rien à cette adresse.",
        foreignHost: "Cette page n’est pas disponible à cette adresse.",
        nextStepApp: """
            Revenez à l’application et réessayez. Si le problème se reproduit, contactez l’éditeur de l’application en \
            indiquant la référence ci-dessous.
            """,
        nextStepService: """
            Si le problème persiste, contactez le responsable de ce service en indiquant la référence ci-dessous.
            """,
        nextStepAddress: "Vérifiez l’adresse ou revenez à la page précédente.",
        nextStepOwnAddress: "Ouvrez-la à l’adresse {address}.",
        developersHeading: "Pour les développeurs",
        developerUnknownClient: """
            client_id est absent, mal orthographié ou non enregistré auprès de {issuer}. Vérifiez que l’application \
            s’adresse au bon serveur.
            """,
        developerRedirectMismatch: """
            redirect_uri doit correspondre exactement à une adresse enregistrée pour le client : schéma, hôte, port, \
            chemin et barre oblique finale. Seul le port de 127.0.0.1 et de [::1] peut différer.
            """,
        continueHeading: "Un instant",
        continueMessage: "Retour vers {host}.",
        continueLabel: "Continuer",
        merchantHeading: "Choisir un établissement",
        merchantLead:
            "Vous êtes connecté en tant que {user}. Choisissez l’établissement pour lequel vous voulez utiliser {client}.",
        signedOutHeading: "Votre session est fermée",
        signedOut: "Vous pouvez fermer cette fenêtre.")
}
