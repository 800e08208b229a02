extension ConsentText {
    static let french = ConsentText(
        paymentHeading: "Confirmez ce paiement",
        trustHeading: "Faire désormais confiance à ce bénéficiaire",
        distrustHeading: "Ne plus faire confiance à ce bénéficiaire",
        seriesHeading: "Commencer une série de paiements",
        otherHeading: "Confirmez ceci",
        lead: "{client} vous demande votre accord. Vérifiez que c’est bien ce que vous voulez faire.",
        amountLabel: "Montant",
        payeeLabel: "Bénéficiaire",
        payeeAccountLabel: "Compte du bénéficiaire",
        kindLabel: "Type d’opération",
        requesterLabel: "Demandé par",
        accountLabel: "Votre nom d’utilisateur",
        detailLabel: "Information complémentaire « {name} »",
        trustConsequence: "Ensuite, les paiements à ce bénéficiaire pourront être effectués sans votre accord.",
        seriesConsequence: """
            Ensuite, d’autres paiements de ce montant à ce bénéficiaire pourront être effectués sans votre accord.
            """,
        warning: """
            Ne continuez que si vous venez de lancer ceci vous-même dans {client}. Ne confirmez pas parce que \
            quelqu’un vous a appelé ou vous a écrit.
            """,
        agreeLabel: "Valider",
        refuseLabel: "Je n’ai pas demandé cela",
        noticeHeading: "Vous n’avez pas encore validé",
        wrong: "Ce n’est pas correct. Essais restants : {count}.",
        agreedHeading: "Validé",
        agreed: "C’est terminé. Revenez à {client}.",
        refusedHeading: "Refusé",
        refused: """
            L’opération ne peut plus être validée. Si vous ne l’avez pas lancée, quelqu’un d’autre est peut-être \
            connecté à votre place : changez votre mot de passe et vérifiez vos appareils dans {client}.
            """,
        lockedHeading: "Trop d’essais infructueux",
        locked: "Rien n’a été validé. Recommencez dans {client}.",
        overHeading: "Cette page n’est plus valable",
        over: """
            L’opération a été refusée ou annulée, ou le délai est dépassé. Rien n’a été validé ici. Revenez à {client}.
            """,
        superseded: "{client} a poursuivi d’une autre façon. Revenez-y.",
        backLabel: "Retour à {client}")
}
