extension AccountText {
    static let german = AccountText(
        signInLead: "um zu sehen, wie Ihr Konto geschützt ist",
        signInAgainLead: "Bestätigen Sie, dass Sie es sind, bevor Sie etwas ändern.",
        heading: "Kontosicherheit",
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
        deviceAwaitsCode: "noch nicht bestätigt",
        deviceCodeHeading: "„{device}“ bestätigen",
        deviceCodeLead: """
            Als die App auf diesem Gerät eingerichtet wurde, haben wir Ihnen einen Code gesendet. Geben Sie ihn nur \
            ein, wenn das Gerät Ihnen gehört.
            """,
        deviceConfirmed: "Das Gerät ist bestätigt. Sie können sich jetzt darauf anmelden.",
        noSuchDevice: "Dieses Gerät wartet nicht mehr auf einen Code. Es wurde nichts geändert.",
        offerLead: "Eine App auf Ihrem Smartphone zeigt alle 30 Sekunden einen neuen Code, auch ohne Empfang.",
        offerLabel: "Authenticator-App einrichten",
        replaceLead: """
            Sie können zu einer anderen App oder einem anderen Smartphone wechseln. Die bisherige App funktioniert, \
            bis Sie die neue bestätigt haben.
            """,
        replaceLabel: "Andere Authenticator-App einrichten",
        codesOfferLead: """
            Bewahren Sie diese Codes auf Papier auf, falls Sie sich einmal nicht anders anmelden können. Jeder Code \
            gilt nur einmal.
            """,
        codesReplaceLead: "Neue Codes ersetzen Ihre bisherigen. Diese gelten dann sofort nicht mehr.",
        makeCodesLabel: "Wiederherstellungscodes erstellen",
        signOutLabel: "Abmelden",
        setUpHeading: "Authenticator-App einrichten",
        setUpLead: """
            Scannen Sie diesen QR-Code mit der App und geben Sie dann den Code ein, den die App anzeigt. Zeigen Sie \
            den QR-Code niemandem.
            """,
        symbolLabel: "QR-Code für die Authenticator-App. Der Schlüssel steht darunter auch als Text.",
        openAppLabel: "Authenticator-App auf diesem Gerät öffnen",
        typeLead: "Oder geben Sie diesen Schlüssel in die App ein:",
        codeLabel: "Code aus der App",
        codeHint: "Sechs Ziffern. Geben Sie sie innerhalb von zehn Minuten ein.",
        backLabel: "Zurück zu Ihrem Konto",
        codesHeading: "Ihre Wiederherstellungscodes",
        codesWarning: "Sie werden nur dieses eine Mal angezeigt. Ihre bisherigen Codes gelten nicht mehr.",
        codesPrint: """
            Drucken Sie sie aus oder schreiben Sie sie auf, und bewahren Sie sie so auf, dass nur Sie sie finden. \
            Jeder Code gilt nur einmal.
            """,
        authenticatorOn: "Die Authenticator-App ist eingeschaltet. Ab jetzt fragen wir nach ihren Codes.",
        invalidCode: "Das ist nicht der Code, den die App gerade anzeigt. Geben Sie den nächsten ein.",
        nothingPending: """
            Das hat zu lange gedauert oder ist schon erledigt. Wenn die App noch nicht eingeschaltet ist, richten Sie \
            sie noch einmal ein.
            """,
        recoveredLately: """
            Das Konto wurde vor Kurzem wiederhergestellt. Zu Ihrer Sicherheit können Sie einen Tag lang nicht ändern, \
            womit Sie sich anmelden.
            """,
        onlyRestoredIdentity: """
            Zu Ihrer Sicherheit ist diese Änderung mit dieser Art der Anmeldung noch nicht möglich. Melden Sie sich auf \
            andere Weise an oder versuchen Sie es in einem Tag noch einmal.
            """,
        strongerSignInNeeded: """
            Für diese Änderung ist eine stärkere Anmeldung nötig. Es wurde nichts geändert. Verwenden Sie die App auf \
            einem Gerät, das mit Ihrem Konto verknüpft ist.
            """,
        notPossibleHeading: "Verwenden Sie dafür Ihre App",
        notPossible: """
            Nur mit einem Gerät, das mit Ihrem Konto verknüpft ist, können Sie bestätigen, dass Sie es sind. Es wurde \
            nichts geändert.
            """)
}
