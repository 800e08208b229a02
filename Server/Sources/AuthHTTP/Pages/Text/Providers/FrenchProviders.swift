extension ProviderText {
    static let french = ProviderText(
        divider: "ou",
        signInLabel: "Se connecter avec {provider}",
        continueLabel: "Continuer avec {provider}",
        newAccountHeading: "Vous n’avez pas encore de compte",
        newAccountLead: """
            Vous vous êtes connecté avec {provider}, mais {brand} n’a pas encore de compte pour cette connexion. \
            Choisissez un nom d’utilisateur pour en créer un.
            """,
        emailLine: "{provider} nous a communiqué votre adresse e-mail, {email}. Elle sera ajoutée à votre compte.",
        termsLine: "En créant le compte, vous acceptez les conditions d’utilisation de {brand}.",
        termsLabel: "Lire les conditions",
        createLabel: "Créer le compte",
        leaving: "Vous allez être redirigé vers {provider}.",
        declined: "Vous ne vous êtes pas connecté avec {provider}. Réessayez ou connectez-vous autrement.",
        failed: "La connexion avec {provider} n’a pas abouti. Réessayez ou connectez-vous autrement.",
        sessionOld: """
            Cette étape exige une nouvelle connexion avec {provider}, que {provider} n’a pas confirmée. Connectez-vous \
            autrement, par exemple avec un mot de passe ou une clé d’accès. Si vous n’avez ni l’un ni l’autre, \
            réinitialisez d’abord votre mot de passe.
            """,
        unavailable: """
            {provider} est injoignable pour le moment. Réessayez dans un instant ou connectez-vous autrement.
            """,
        gone: "Ce mode de connexion n’est plus proposé. Choisissez-en un autre.",
        answerUsed: "Cette étape a déjà été utilisée ou le délai est dépassé. Connectez-vous à nouveau.",
        nameTaken: "Ce nom d’utilisateur est déjà pris. Choisissez-en un autre.")
}
