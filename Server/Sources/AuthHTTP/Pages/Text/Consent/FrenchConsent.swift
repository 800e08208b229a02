extension ConsentText {
    static let french = ConsentText(
        paymentHeading: "Confirmez ce paiement",
        trustHeading: "Faire désormais confiance à ce bénéficiaire",
        distrustHeading: "Ne plus faire confiance à ce bénéficiaire",
        seriesHeading: "Commencer une série de paiements",
        otherHeading: "Confirmez ceci",
        lead: "{client} vous demande votre accord. Comparez ceci avec ce que vous voulez faire.",
        amountLabel: "Montant",
        payeeLabel: "À",
        payeeAccountLabel: "Compte du bénéficiaire",
        kindLabel: "Type",
        requesterLabel: "Demandé par",
        accountLabel: "Votre nom d’utilisateur",
        detailLabel: "Autre précision « {name} »",
        trustConsequence: "Les paiements à ce bénéficiaire pourront alors passer sans que l’on vous consulte.",
        seriesConsequence: """
            D’autres paiements de ce montant à ce bénéficiaire pourront alors passer sans que l’on vous consulte.
            """,
        warning: """
            Ne continuez que si vous avez commencé ceci vous-même dans {client}, à l’instant. Personne qui vous appelle ou \
            vous écrit n’a besoin de votre confirmation.
            """,
        agreeLabel: "Accepter",
        refuseLabel: "Je n’ai pas demandé cela",
        noticeHeading: "Vous n’avez pas encore donné votre accord",
        wrong: "Ce n’est pas correct. Essais restants : {count}.",
        agreedHeading: "Vous avez donné votre accord",
        agreed: "Il n’y a plus rien à faire ici. Revenez à {client}.",
        refusedHeading: "Refusé",
        refused: """
            Plus personne ne peut l’accepter. Si vous ne l’avez pas commencé, quelqu’un d’autre est peut-être connecté à \
            votre place : changez votre mot de passe et vérifiez vos appareils dans {client}.
            """,
        lockedHeading: "Trop d’essais incorrects",
        locked: "Rien n’a été accepté. Recommencez dans {client}.",
        overHeading: "Cette page n’est plus valable",
        over: """
            L’opération a été refusée ou retirée, ou cela a duré trop longtemps. Rien n’a été accepté ici. Revenez à {client}.
            """,
        superseded: "{client} a continué d’une autre façon. Revenez-y.",
        backLabel: "Retour à {client}")
}
