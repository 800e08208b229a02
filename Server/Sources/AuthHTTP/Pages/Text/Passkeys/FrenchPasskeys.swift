extension PasskeyText {
    static let french = PasskeyText(
        signInLabel: "Se connecter avec une clé d’accès",
        signInFailed: "Aucune clé d’accès n’a été utilisée. Réessayez, ou connectez-vous avec votre mot de passe.",
        refused: "Cette clé d’accès n’a pas été acceptée. Réessayez, ou connectez-vous avec votre mot de passe.",
        agreeLabel: "Valider avec une clé d’accès",
        agreeFailed: "Aucune clé d’accès n’a été utilisée et rien n’a été validé. Réessayez.",
        wrongForConsent: "Cette clé d’accès n’a pas été acceptée. Essais restants : {count}.",
        label: "Clés d’accès",
        lead: """
            Une clé d’accès vous permet de vous connecter sans mot de passe, avec votre empreinte, votre visage ou le \
            verrouillage de l’écran.
            """,
        manageLabel: "Gérer les clés d’accès",
        heading: "Vos clés d’accès",
        pageLead: "Chacune permet de se connecter à votre compte. Retirez celles que vous ne reconnaissez pas.",
        none: "Vous n’en avez pas encore.",
        nameLabel: "Nom",
        renameLabel: "Enregistrer le nom",
        removeLabel: "Retirer cette clé d’accès",
        added: "Ajoutée le {date}.",
        used: "Utilisée pour la dernière fois le {date}.",
        neverUsed: "Pas encore utilisée.",
        synced: "sur plusieurs appareils",
        formerDomain: "pour une ancienne adresse de ce service, n’est plus utilisable",
        addHeading: "Ajouter une clé d’accès",
        addLead: """
            Votre appareil demande votre empreinte, votre visage ou le verrouillage de l’écran. Une nouvelle clé \
            d’accès ne remplace la seconde étape de la connexion qu’après un jour.
            """,
        addLabel: "Ajouter une clé d’accès",
        addFailed: "Aucune clé d’accès n’a été créée. Réessayez.",
        known: "Cet appareil a déjà une clé d’accès pour votre compte.",
        unsupported: "Ce navigateur ne prend pas en charge les clés d’accès, ou JavaScript est désactivé.",
        tooMany: "Vous avez {count} clés d’accès, le maximum autorisé. Retirez-en d’abord une.",
        wasAdded: "La clé d’accès a été ajoutée.",
        wasRenamed: "Le nom a été enregistré.",
        wasRemoved: """
            La clé d’accès a été retirée. Les sessions ouvertes ailleurs avec une clé d’accès ont été fermées.
            """,
        notTaken: "Cette clé d’accès n’a pas été acceptée, et rien n’a été modifié. Réessayez.",
        unusableName: "Un nom doit compter de 1 à 64 caractères. Rien n’a été modifié.",
        lastWayIn: """
            Cette clé d’accès est le seul moyen de vous connecter à votre compte. Elle ne peut donc pas être retirée.
            """,
        unknown: "Cette clé d’accès ne fait plus partie de votre compte.")
}
