extension AccountText {
    static let french = AccountText(
        signInLead: "pour voir comment votre compte est protégé",
        signInAgainLead: "Confirmez que c’est bien vous avant toute modification.",
        heading: "Sécurité de votre compte",
        lead: "Vous êtes connecté en tant que {user}.",
        emailLabel: "E-mail",
        unconfirmed: "non confirmé",
        phoneLabel: "Téléphone",
        authenticatorLabel: "Application d’authentification",
        isOn: "Activée",
        isOff: "Non configurée",
        recoveryCodesLabel: "Codes de récupération",
        codesLeft: "Restants : {count}",
        devicesLabel: "Appareils liés à votre compte",
        none: "Aucun",
        deviceSuspended: "suspendu",
        deviceDeactivated: "désactivé",
        deviceAwaitsCode: "en attente de confirmation",
        deviceCodeHeading: "Confirmer « {device} »",
        deviceCodeLead: """
            Nous vous avons envoyé un code lors de la configuration de l’application sur cet appareil. Ne le saisissez \
            que si l’appareil est à vous.
            """,
        deviceConfirmed: "L’appareil est confirmé. Vous pouvez maintenant l’utiliser pour vous connecter.",
        noSuchDevice: "Cet appareil n’attend plus de code. Rien n’a été modifié.",
        offerLead: """
            Une application sur votre téléphone affiche un nouveau code toutes les 30 secondes, même sans réseau.
            """,
        offerLabel: "Configurer une application d’authentification",
        replaceLead: """
            Vous pouvez passer à une autre application ou à un autre téléphone. L’actuelle fonctionne jusqu’à ce que \
            vous confirmiez la nouvelle.
            """,
        replaceLabel: "Configurer une autre application",
        codesOfferLead: """
            Conservez ces codes sur papier, pour le jour où vous n’aurez pas d’autre moyen de vous connecter. Chaque \
            code ne sert qu’une fois.
            """,
        codesReplaceLead: """
            De nouveaux codes remplacent ceux que vous avez. Les anciens cessent aussitôt de fonctionner.
            """,
        makeCodesLabel: "Créer des codes de récupération",
        signOutLabel: "Se déconnecter",
        setUpHeading: "Configurer une application d’authentification",
        setUpLead: """
            Scannez ce code QR avec l’application, puis saisissez le code qu’elle affiche. Ne montrez le code QR à \
            personne.
            """,
        symbolLabel: "Code QR pour l’application d’authentification. La clé figure aussi en texte ci-dessous.",
        openAppLabel: "Ouvrir l’application d’authentification sur cet appareil",
        typeLead: "Ou saisissez cette clé dans l’application :",
        codeLabel: "Code de l’application",
        codeHint: "Six chiffres, à saisir dans un délai de dix minutes.",
        backLabel: "Retour à votre compte",
        codesHeading: "Vos codes de récupération",
        codesWarning: "Vous ne les reverrez plus. Vos anciens codes ne fonctionnent plus.",
        codesPrint: """
            Imprimez-les ou notez-les, et gardez-les dans un endroit connu de vous seul. Chaque code ne sert qu’une \
            fois.
            """,
        authenticatorOn: "L’application d’authentification est activée. Nous demanderons désormais ses codes.",
        invalidCode: "Ce n’est pas le code affiché en ce moment. Saisissez le suivant.",
        nothingPending: """
            Le délai est dépassé, ou c’est déjà fait. Si l’application n’est pas activée, configurez-la de nouveau.
            """,
        recoveredLately: """
            Le compte a été récupéré récemment. Pour votre sécurité, vous ne pouvez pas modifier vos moyens de \
            connexion pendant un jour.
            """,
        onlyRestoredIdentity: """
            Pour votre sécurité, cette modification n’est pas encore possible avec ce moyen de connexion. \
            Connectez-vous autrement ou réessayez dans un jour.
            """,
        strongerSignInNeeded: """
            Cette modification exige une connexion plus sûre. Rien n’a été modifié. Utilisez l’application sur un \
            appareil lié à votre compte.
            """,
        notPossibleHeading: "Utilisez votre application",
        notPossible: "Seul un appareil lié à votre compte permet de prouver que c’est bien vous. Rien n’a été modifié.")
}
