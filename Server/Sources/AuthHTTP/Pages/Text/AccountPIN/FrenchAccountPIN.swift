extension AccountPINText {
    static let french = AccountPINText(
        label: "Code PIN",
        usePINLabel: "Utiliser plutôt votre code PIN",
        usePasswordLabel: "Utiliser plutôt votre mot de passe",
        wrong: """
            Le nom d’utilisateur ou le code PIN est incorrect, ou le code PIN ne peut pas être utilisé pour l’instant. \
            Vérifiez les deux ou utilisez votre mot de passe.
            """,
        passwordNeeded: """
            Vous devez d’abord changer votre mot de passe. Cette fois, connectez-vous avec votre mot de passe.
            """,
        forgotLabel: "Code PIN oublié ?",
        forgotten: """
            Connectez-vous avec votre mot de passe. Vous pourrez ensuite choisir un nouveau code PIN sur la page de \
            votre compte : {address}.
            """,
        lead: """
            Avec un code PIN, vous vous connectez ici aux applications qui le demandent. Après cinq essais \
            infructueux, seul votre mot de passe fonctionne.
            """,
        setLabel: "Définir un code PIN",
        changeLabel: "Changer le code PIN",
        isLocked: "Bloqué",
        heading: "Le code PIN de votre compte",
        pageLead: """
            Choisissez un code que vous n’utilisez nulle part ailleurs. Si vous changez de mot de passe, le code PIN \
            est retiré.
            """,
        lockedLead: """
            Votre code PIN est bloqué après trop d’essais infructueux. Choisissez-en un nouveau pour le débloquer.
            """,
        restoredLead: """
            Pour votre sécurité, nous avons bloqué votre code PIN lors de la restauration de ce service à partir d’une \
            sauvegarde. Ce n’est pas dû à des essais infructueux. Choisissez-en un nouveau.
            """,
        offLead: "Les codes PIN ne sont plus proposés ici. Vous pouvez encore retirer le vôtre.",
        newLabel: "Nouveau code PIN",
        newHint: "De 6 à 12 chiffres, sans suites comme 123456 ni répétitions.",
        repeatLabel: "Répétez le code PIN",
        saveLabel: "Enregistrer le code PIN",
        removeLabel: "Retirer le code PIN",
        wasSet: "Le code PIN a été enregistré. Vous pouvez maintenant l’utiliser pour vous connecter.",
        cooling: "Votre code PIN ne permettra de valider aucun paiement avant le {time}.",
        wasRemoved: "Le code PIN a été retiré. Les sessions ouvertes ailleurs avec ce code ont été fermées.",
        malformed: "Un code PIN ne contient que des chiffres. Rien n’a été modifié.",
        tooShort: "Ce code PIN est trop court. Utilisez au moins 6 chiffres. Rien n’a été modifié.",
        tooLong: "Ce code PIN est trop long. Utilisez 12 chiffres au maximum. Rien n’a été modifié.",
        mistyped: """
            Les deux codes PIN ne sont pas identiques. Saisissez deux fois le nouveau code. Rien n’a été modifié.
            """,
        tooCommon: "Ce code PIN est trop facile à deviner. Choisissez-en un autre. Rien n’a été modifié.")
}
