extension AccountText {
    static let german = AccountText(
        signInLead: "um zu sehen, wie Ihr Konto geschützt ist",
        signInAgainLead: "Bevor sich etwas ändert, vergewissern wir uns noch einmal, dass Sie es sind.",
        heading: "Sicherheit Ihres Kontos",
        lead: "Sie sind als {user} angemeldet.",
        emailLabel: "E-Mail",
        unconfirmed: "nicht bestätigt",
        phoneLabel: "Telefon",
        authenticatorLabel: "Authenticator-App",
        isOn: "Eingeschaltet",
        isOff: "Nicht eingerichtet",
        recoveryCodesLabel: "Wiederherstellungscodes",
        codesLeft: "{count} übrig",
        devicesLabel: "Mit Ihrem Konto verknüpfte Geräte",
        none: "Keine",
        deviceSuspended: "vorübergehend gesperrt",
        deviceDeactivated: "deaktiviert",
        deviceAwaitsCode: "wartet auf den Bestätigungscode",
        deviceCodeHeading: "„{device}“ bestätigen",
        deviceCodeLead:
            "Als die App auf diesem Gerät eingerichtet wurde, haben Sie einen Code bekommen. Geben Sie ihn nur ein, wenn das Gerät Ihnen gehört.",
        deviceConfirmed: "Das Gerät ist bestätigt. Sie können sich jetzt darauf anmelden.",
        noSuchDevice: "Dieses Gerät wartet nicht mehr auf einen Code. Es wurde nichts geändert.",
        offerLead: "Eine App auf Ihrem Telefon zeigt alle 30 Sekunden einen neuen Code. Sie braucht keinen Empfang.",
        offerLabel: "Authenticator-App einrichten",
        replaceLead: """
            Sie können zu einer anderen App oder einem anderen Telefon wechseln. Die jetzige gilt, bis die neue bestätigt ist.
            """,
        replaceLabel: "Andere Authenticator-App einrichten",
        codesOfferLead: "Codes auf Papier, für den Tag, an dem nichts anderes zur Hand ist. Jeder gilt einmal.",
        codesReplaceLead: "Neue Codes treten an die Stelle Ihrer jetzigen: Diese werden sofort ungültig.",
        makeCodesLabel: "Wiederherstellungscodes erstellen",
        signOutLabel: "Abmelden",
        setUpHeading: "Authenticator-App einrichten",
        setUpLead: """
            Scannen Sie dies mit der App und geben Sie dann den Code ein, den sie zeigt. Zeigen Sie es niemandem.
            """,
        symbolLabel: "QR-Code für die Authenticator-App. Dasselbe Geheimnis steht darunter als Text.",
        openAppLabel: "Authenticator-App auf diesem Gerät öffnen",
        typeLead: "Oder tippen Sie dieses Geheimnis in die App:",
        codeLabel: "Code aus der App",
        codeHint: "Sechs Ziffern. Sie müssen innerhalb von zehn Minuten eingegeben werden.",
        backLabel: "Zurück zu Ihrem Konto",
        codesHeading: "Ihre Wiederherstellungscodes",
        codesWarning: "Sie werden nur dieses eine Mal gezeigt. Die bisherigen sind ungültig.",
        codesPrint: """
            Drucken Sie sie aus oder schreiben Sie sie ab, und verwahren Sie sie, wo nur Sie sie finden. Jeder gilt einmal.
            """,
        authenticatorOn: "Die Authenticator-App ist eingeschaltet. Von jetzt an werden ihre Codes verlangt.",
        invalidCode: "Das ist nicht der Code, den die App jetzt zeigt. Prüfen Sie ihn und geben Sie den nächsten ein.",
        nothingPending: """
            Das hat zu lange gedauert oder ist schon geschehen. Ist die App nicht eingeschaltet, richten Sie sie neu ein.
            """,
        recoveredLately: """
            Das Konto wurde vor Kurzem wiederhergestellt. Zu Ihrer Sicherheit lässt sich einen Tag lang nichts \
            ändern, womit Sie sich anmelden.
            """,
        strongerSignInNeeded: """
            Ihre Anmeldung ist dafür nicht stark genug, und nichts wurde geändert. Verwenden Sie die App auf einem Gerät, das \
            mit Ihrem Konto verknüpft ist.
            """,
        notPossibleHeading: "Verwenden Sie dafür Ihre App",
        notPossible: """
            Was beweist, dass Sie es sind, liegt auf einem Gerät, das mit Ihrem Konto verknüpft ist. Nichts wurde geändert.
            """)
}
