extension ConsentText {
    static let german = ConsentText(
        paymentHeading: "Diese Zahlung bestätigen",
        trustHeading: "Diesem Empfänger künftig vertrauen",
        distrustHeading: "Diesem Empfänger nicht mehr vertrauen",
        seriesHeading: "Eine Reihe von Zahlungen starten",
        otherHeading: "Dies bestätigen",
        lead: "{client} bittet um Ihre Freigabe. Prüfen Sie, ob es das ist, was Sie tun möchten.",
        amountLabel: "Betrag",
        payeeLabel: "An",
        payeeAccountLabel: "Konto des Empfängers",
        kindLabel: "Art",
        requesterLabel: "Angefragt von",
        accountLabel: "Ihr Benutzername",
        detailLabel: "Zusätzliche Angabe „{name}“",
        trustConsequence: "Danach können Zahlungen an diesen Empfänger ohne Ihre Freigabe ausgeführt werden.",
        seriesConsequence: """
            Danach können weitere Zahlungen dieses Betrags an diesen Empfänger ohne Ihre Freigabe ausgeführt werden.
            """,
        warning: """
            Fahren Sie nur fort, wenn Sie dies gerade selbst in {client} gestartet haben. Bestätigen Sie es nicht, \
            weil jemand Sie angerufen oder Ihnen geschrieben hat.
            """,
        agreeLabel: "Freigeben",
        refuseLabel: "Das habe ich nicht veranlasst",
        noticeHeading: "Noch nicht freigegeben",
        wrong: "Das ist nicht richtig. Verbleibende Versuche: {count}.",
        agreedHeading: "Freigegeben",
        agreed: "Sie sind hier fertig. Kehren Sie zu {client} zurück.",
        refusedHeading: "Abgelehnt",
        refused: """
            Es kann nicht mehr freigegeben werden. Wenn Sie es nicht gestartet haben, ist möglicherweise jemand \
            anderes in Ihrem Namen angemeldet: Ändern Sie Ihr Passwort und prüfen Sie Ihre Geräte in {client}.
            """,
        lockedHeading: "Zu viele Fehlversuche",
        locked: "Es wurde nichts freigegeben. Beginnen Sie in {client} von vorn.",
        overHeading: "Diese Seite ist nicht mehr gültig",
        over: """
            Die Anfrage wurde abgelehnt oder zurückgezogen, oder es hat zu lange gedauert. Hier wurde nichts \
            freigegeben. Kehren Sie zu {client} zurück.
            """,
        superseded: "{client} ist auf anderem Weg fortgefahren. Kehren Sie dorthin zurück.",
        backLabel: "Zurück zu {client}")
}
