extension ConsentText {
    static let german = ConsentText(
        paymentHeading: "Diese Zahlung bestätigen",
        trustHeading: "Diesem Empfänger künftig vertrauen",
        distrustHeading: "Diesem Empfänger nicht mehr vertrauen",
        seriesHeading: "Eine Reihe von Zahlungen beginnen",
        otherHeading: "Dies bestätigen",
        lead: "{client} fragt, ob Sie zustimmen. Vergleichen Sie dies mit dem, was Sie tun wollen.",
        amountLabel: "Betrag",
        payeeLabel: "An",
        payeeAccountLabel: "Konto des Empfängers",
        kindLabel: "Art",
        requesterLabel: "Angefragt von",
        accountLabel: "Ihr Benutzername",
        detailLabel: "Weitere Angabe „{name}“",
        trustConsequence: "Zahlungen an diesen Empfänger können dann ohne Rückfrage ausgeführt werden.",
        seriesConsequence: """
            Weitere Zahlungen dieses Betrags an diesen Empfänger können dann ohne Rückfrage ausgeführt werden.
            """,
        warning: """
            Fahren Sie nur fort, wenn Sie dies gerade selbst in {client} begonnen haben. Niemand, der Sie anruft oder Ihnen \
            schreibt, braucht Ihre Bestätigung.
            """,
        agreeLabel: "Zustimmen",
        refuseLabel: "Das habe ich nicht veranlasst",
        noticeHeading: "Sie haben noch nicht zugestimmt",
        wrong: "Das ist nicht richtig. Verbleibende Versuche: {count}.",
        agreedHeading: "Sie haben zugestimmt",
        agreed: "Hier ist nichts weiter zu tun. Kehren Sie zu {client} zurück.",
        refusedHeading: "Abgelehnt",
        refused: """
            Niemand kann dem mehr zustimmen. Haben Sie es nicht begonnen, ist vielleicht jemand anderes in Ihrem Namen \
            angemeldet: Ändern Sie Ihr Passwort, und prüfen Sie Ihre Geräte in {client}.
            """,
        lockedHeading: "Zu viele falsche Versuche",
        locked: "Es wurde nichts bestätigt. Beginnen Sie in {client} neu.",
        overHeading: "Diese Seite ist abgelaufen",
        over: """
            Es wurde abgelehnt oder zurückgenommen, oder es hat zu lange gedauert. Hier wurde nichts bestätigt. Kehren Sie zu \
            {client} zurück.
            """,
        superseded: "{client} ist auf anderem Weg fortgefahren. Kehren Sie dorthin zurück.",
        backLabel: "Zurück zu {client}")
}
