extension AccountText {
    static let french = AccountText(
        signInLead: "pour voir comment votre compte est protégé",
        signInAgainLead: "Avant tout changement, nous vérifions une fois encore que c’est bien vous.",
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
        deviceAwaitsCode: "en attente du code de confirmation",
        deviceCodeHeading: "Confirmer « {device} »",
        deviceCodeLead:
            "Un code vous a été envoyé quand l’application a été installée sur cet appareil. Ne le saisissez que si l’appareil est à vous.",
        deviceConfirmed: "L’appareil est confirmé. Vous pouvez maintenant vous y connecter.",
        noSuchDevice: "Cet appareil n’attend plus de code. Rien n’a été modifié.",
        offerLead: """
            Une application sur votre téléphone affiche un nouveau code toutes les 30 secondes, même sans réseau.
            """,
        offerLabel: "Configurer une application d’authentification",
        replaceLead: """
            Vous pouvez passer à une autre application ou à un autre téléphone. L’actuelle reste valable jusqu’à la \
            confirmation de la nouvelle.
            """,
        replaceLabel: "Configurer une autre application",
        codesOfferLead: """
            Des codes à garder sur papier, pour le jour où vous n’aurez rien d’autre. Chacun ne sert qu’une fois.
            """,
        codesReplaceLead: "De nouveaux codes remplacent ceux que vous avez : ceux-ci sont aussitôt annulés.",
        makeCodesLabel: "Créer des codes de récupération",
        signOutLabel: "Se déconnecter",
        setUpHeading: "Configurer une application d’authentification",
        setUpLead: "Scannez ceci avec l’application, puis saisissez le code affiché. Ne le montrez à personne.",
        symbolLabel: "Code QR pour l’application d’authentification. Le même secret figure en texte ci-dessous.",
        openAppLabel: "Ouvrir l’application d’authentification sur cet appareil",
        typeLead: "Ou saisissez ce secret dans l’application :",
        codeLabel: "Code de l’application",
        codeHint: "Six chiffres, à saisir dans les dix minutes.",
        backLabel: "Retour à votre compte",
        codesHeading: "Vos codes de récupération",
        codesWarning: "Ils ne sont affichés que cette fois. Ceux que vous aviez auparavant sont annulés.",
        codesPrint: """
            Imprimez-les ou notez-les, et gardez-les là où vous seul les trouverez. Chacun ne sert qu’une fois.
            """,
        authenticatorOn: "L’application d’authentification est activée. Ses codes seront désormais demandés.",
        invalidCode: "Ce n’est pas le code affiché en ce moment. Vérifiez-le et saisissez le suivant.",
        nothingPending: """
            Cela a pris trop de temps, ou c’est déjà fait. Si l’application n’est pas activée, configurez-la de nouveau.
            """,
        recoveredLately: """
            Le compte a été récupéré récemment. Pour votre sécurité, rien de ce qui sert à vous connecter ne \
            peut être modifié pendant un jour.
            """,
        strongerSignInNeeded: """
            Votre connexion n’est pas assez forte pour cela, et rien n’a été modifié. Utilisez l’application sur un appareil \
            lié à votre compte.
            """,
        notPossibleHeading: "Utilisez votre application",
        notPossible: "Ce qui prouve que c’est vous se trouve sur un appareil lié à votre compte. Rien n’a été modifié.")
}
