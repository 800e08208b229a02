extension ClientConsentText {
    static let french = ClientConsentText(
        heading: "Autoriser {client} à accéder à votre compte ?",
        moreHeading: "Accorder un accès plus large à {client} ?",
        againHeading: "{client} vous demande à nouveau votre autorisation",
        lead: "Vous êtes connecté en tant que {user}.",
        newHeading: "Si vous l’autorisez, {client} pourra :",
        grantedHeading: "L’application peut déjà :",
        askedHeading: "L’application demande à :",
        alsoHeading: "Elle peut aussi :",
        destinationLabel: "Vous reviendrez vers",
        deviceDestination: "Une application sur cet appareil ({address})",
        warning: """
            N’autorisez {client} que si vous lui faites confiance. L’application reste connectée jusqu’à ce que vous vous y \
            déconnectiez ou que vous retiriez son accès sur la page de votre compte.
            """,
        allowLabel: "Autoriser",
        openID: "Reconnaître votre compte quand vous vous connectez",
        profile: "Voir votre nom, votre nom d’utilisateur et votre langue",
        email: "Voir votre adresse e-mail",
        phone: "Voir votre numéro de téléphone",
        address: "Voir votre adresse postale",
        offlineAccess: "Rester connectée quand vous n’utilisez pas l’application",
        ownScope: "Utiliser « {scope} »",
        appsHeading: "Applications autorisées",
        appsLead: "Vous avez donné à ces applications l’accès à votre compte.",
        manageLabel: "Retirer l’accès d’une application",
        pageLead: """
            Retirez l’accès des applications que vous n’utilisez plus ou auxquelles vous ne faites plus confiance. \
            Elles sont déconnectées immédiatement.
            """,
        none: "Aucune application n’a accès à votre compte.",
        since: "Depuis le {date}",
        removeLabel: "Retirer l’accès de {client}",
        wasRemoved: """
            L’accès a été retiré. L’application a été déconnectée et devra vous redemander votre autorisation.
            """,
        unknown: "Cette application n’a plus accès à votre compte. Rien n’a été modifié.")
}
