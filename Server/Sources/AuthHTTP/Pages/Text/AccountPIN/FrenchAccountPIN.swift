extension AccountPINText {
    static let french = AccountPINText(
        label: "Code PIN",
        usePINLabel: "Utiliser plutôt votre code PIN",
        usePasswordLabel: "Utiliser plutôt votre mot de passe",
        wrong: """
            Le nom d’utilisateur ou le code PIN est incorrect, ou le code ne peut pas être utilisé pour \
            l’instant. Vérifiez les deux, ou utilisez votre mot de passe.
            """,
        passwordNeeded: "Votre mot de passe doit d’abord être changé. Connectez-vous une fois avec lui.",
        forgotLabel: "PIN oublié ?",
        forgotten:
            "Connectez-vous avec votre mot de passe. Vous pourrez ensuite choisir un nouveau PIN sur la page de votre compte : {address}.",
        lead: """
            Avec un code PIN, vous vous connectez ici aux applications qui le demandent. Après cinq codes \
            erronés, seul votre mot de passe ouvre le compte.
            """,
        setLabel: "Définir un code PIN",
        changeLabel: "Changer le code PIN",
        isLocked: "Bloqué",
        heading: "Le code PIN de votre compte",
        pageLead: """
            Choisissez-en un que vous n’utilisez nulle part ailleurs. Si vous changez de mot de passe, le code \
            disparaît avec lui.
            """,
        lockedLead: "Votre code PIN est bloqué après trop d’essais erronés. Choisissez-en un nouveau.",
        restoredLead: """
            Par sécurité, votre code PIN a été bloqué lorsque ce service a été restauré à partir d’une sauvegarde. Personne \
            ne l’a mal saisi. Choisissez-en un nouveau.
            """,
        offLead: "Les codes PIN ne sont plus proposés ici. Vous pouvez encore retirer le vôtre.",
        newLabel: "Nouveau code PIN",
        newHint: "De 6 à 12 chiffres : pas de suites comme 123456, pas de répétitions.",
        repeatLabel: "Répéter le code PIN",
        saveLabel: "Enregistrer le code PIN",
        removeLabel: "Retirer le code PIN",
        wasSet: "Le code PIN a été enregistré. Il ouvre désormais votre compte.",
        cooling: "Ce code ne permet d’accepter aucun paiement avant le {time}.",
        wasRemoved: "Le code PIN a été retiré. Les connexions faites ailleurs par ce code ont pris fin.",
        malformed: "Un code PIN ne contient que des chiffres. Rien n’a été modifié.",
        tooShort: "Ce code PIN est trop court : il faut au moins 6 chiffres. Rien n’a été modifié.",
        tooLong: "Ce code PIN est trop long : 12 chiffres au plus. Rien n’a été modifié.",
        mistyped:
            "Les deux codes PIN ne sont pas identiques. Saisissez de nouveau le nouveau code deux fois. Rien n’a été modifié.",
        tooCommon: "Ce code PIN est trop facile à deviner. Choisissez-en un autre. Rien n’a été modifié.")
}
