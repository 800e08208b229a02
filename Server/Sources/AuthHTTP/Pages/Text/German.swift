extension PageText {
    static let german = PageText(
        signInHeading: "Anmelden",
        signInLead: "um mit {client} fortzufahren",
        usernameLabel: "Benutzername",
        passwordLabel: "Passwort",
        submitLabel: "Anmelden",
        resetLabel: "Passwort vergessen?",
        recoveryHeading: "Zugang wiederherstellen",
        recoveryLead: """
            Geben Sie Ihren Benutzernamen ein. Wenn wir ihn kennen, senden wir einen Code an die zugehörige \
            E-Mail-Adresse.
            """,
        recoverySubmitLabel: "Code senden",
        recoveryCodeHeading: "Code eingeben",
        recoveryCodeSentLead: "Er ging an die E-Mail-Adresse des Kontos, falls es eines gibt. Er hat 8 Ziffern.",
        recoveredPasswordLead: "Es ersetzt das bisherige. Alle anderen Sitzungen enden.",
        confirmHeading: "Als {user} fortfahren?",
        confirmLead: "{client} möchte wissen, wer Sie sind. Sie sind auf diesem Gerät bereits angemeldet.",
        confirmLabel: "Fortfahren",
        otherAccountLabel: "Anderes Konto verwenden",
        newPasswordHeading: "Neues Passwort wählen",
        newPasswordLead: "Das bisherige darf nicht länger verwendet werden.",
        newPasswordLabel: "Neues Passwort",
        newPasswordHint: "Mindestens 8 Zeichen. Gut ist ein Satz, auf den nur Sie kommen.",
        repeatPasswordLabel: "Passwort wiederholen",
        newPasswordSubmitLabel: "Speichern und anmelden",
        emailCodeHeading: "E-Mail-Adresse bestätigen",
        emailCodeLead: "Wir haben einen Code an {destination} gesendet.",
        emailCodeLabel: "Code",
        emailCodeSubmitLabel: "Bestätigen",
        secondFactorHeading: "Bestätigen Sie, dass Sie es sind",
        authenticatorLead: "Geben Sie den Code ein, den Ihre Authenticator-App zeigt.",
        secretQuestionLead: "Beantworten Sie die Frage, die Sie gewählt haben.",
        recoveryCodeLead: "Geben Sie einen Ihrer Wiederherstellungscodes ein. Jeder gilt einmal.",
        useAuthenticatorLabel: "Authenticator-App verwenden",
        useEmailLabel: "Code per E-Mail senden",
        useSMSLabel: "Code per SMS senden",
        useSecretQuestionLabel: "Eine Frage beantworten",
        useRecoveryCodeLabel: "Wiederherstellungscode verwenden",
        resendLabel: "Neuen Code senden",
        cancelLabel: "Abbrechen",
        returnFooter: "Nach der Anmeldung kehren Sie zu {host} zurück.",
        noticeHeading: "Sie sind noch nicht angemeldet",
        invalidCredentials: "Benutzername oder Passwort stimmt nicht. Prüfen Sie beides und versuchen Sie es erneut.",
        triedOften: """
            Nach mehreren Versuchen wird eine Zeit lang auch das richtige Passwort abgelehnt. Wenn Sie es schon oft \
            versucht haben, warten Sie einige Minuten.
            """,
        walletDeactivated: """
            Diese Wallet wurde deaktiviert. Wenden Sie sich an {brand}, um sie wieder freigeben zu lassen.
            """,
        recoveryCodeSent: "Wenn wir diesen Namen kennen, ist ein Code unterwegs.",
        unusableName: "So kann kein Konto heißen. Prüfen Sie den Namen.",
        recoveryUnavailable: """
            Dieses Konto ist durch mehr als seine E-Mail-Adresse geschützt. Stellen Sie den Zugang in der App auf \
            Ihrem verknüpften Gerät wieder her oder wenden Sie sich an {brand}.
            """,
        passwordMistyped:
            "Die beiden Passwörter sind nicht gleich. Geben Sie das neue noch einmal zweimal ein. Es wurde nichts geändert.",
        passwordTooShort: "Das Passwort ist zu kurz: Es braucht mindestens 8 Zeichen.",
        passwordTooLong: "Das Passwort ist zu lang: höchstens 256 Zeichen.",
        passwordTooCommon: "Das Passwort ist zu leicht zu erraten. Wählen Sie ein anderes.",
        passwordBreached: "Dieses Passwort wurde irgendwo gestohlen und ist anderen bekannt. Wählen Sie ein anderes.",
        passwordUnchanged: "Das ist Ihr jetziges Passwort. Wählen Sie ein anderes.",
        invalidCode: "Der Code stimmt nicht oder ist abgelaufen. Prüfen Sie ihn oder fordern Sie einen neuen an.",
        wrongAnswer: "Das stimmt nicht. Prüfen Sie es und versuchen Sie es erneut.",
        factorOver: """
            Es gab zu viele falsche Antworten, oder es hat zu lange gedauert. Melden Sie sich noch einmal von vorn an.
            """,
        codeSent: "Ein neuer Code ist unterwegs.",
        codeSentRecently: "Eben wurde ein Code gesendet. In {seconds} Sekunden können Sie einen weiteren anfordern.",
        codeNotSent: """
            Gerade kann kein Code gesendet werden, weil vor Kurzem viele gesendet wurden. Fordern Sie in \
            {minutes} Min. einen an oder nutzen Sie einen anderen Weg.
            """,
        tooManyAttempts: "Zu viele Versuche. Warten Sie {seconds} Sekunden und versuchen Sie es erneut.",
        busy: "Gerade melden sich viele Menschen an. Versuchen Sie es in {seconds} Sekunden erneut.",
        faultHeading: "Das hat nicht geklappt",
        codeLabel: "Code",
        referenceLabel: "Referenz",
        unknownClient: "Die App, die Sie hierher geschickt hat, ist diesem Server nicht bekannt.",
        redirectMismatch: """
            Die App wollte die Antwort an eine Adresse, die nicht für sie registriert ist. Dorthin wurde nichts \
            gesendet.
            """,
        malformedRequest: "Die Anfrage, die Sie hierher gebracht hat, ist unvollständig oder fehlerhaft.",
        expiredPage: """
            Diese Seite ist abgelaufen, oder Ihr Browser hat ihr Cookie nicht gesendet. Gehen Sie zurück zur App \
            und beginnen Sie neu.
            """,
        serverFault: "Auf unserer Seite ist etwas schiefgegangen. Versuchen Sie es gleich noch einmal.",
        unavailable: "Der Dienst ist ausgelastet oder wird gewartet. Versuchen Sie es gleich noch einmal.",
        notFound: "Unter dieser Adresse gibt es nichts.",
        foreignHost: "Diese Seite ist unter dieser Adresse nicht verfügbar.",
        nextStepApp: """
            Gehen Sie zurück zur App und versuchen Sie es erneut. Passiert es wieder, melden Sie es dem Hersteller \
            der App und nennen Sie die Referenz unten.
            """,
        nextStepService: """
            Wenn es so bleibt, melden Sie es dem Betreiber dieses Dienstes und nennen Sie die Referenz unten.
            """,
        nextStepAddress: "Prüfen Sie die Adresse, oder gehen Sie dorthin zurück, woher Sie kamen.",
        nextStepOwnAddress: "Öffnen Sie sie unter {address}.",
        developersHeading: "Für Entwickler",
        developerUnknownClient: """
            client_id fehlt, ist falsch geschrieben oder bei {issuer} nicht registriert. Prüfen Sie, ob die App mit \
            dem richtigen Server spricht.
            """,
        developerRedirectMismatch: """
            redirect_uri muss Zeichen für Zeichen für den Client registriert sein: Schema, Host, Port, Pfad und \
            letzter Schrägstrich. Nur der Port von 127.0.0.1 und [::1] darf abweichen.
            """,
        continueHeading: "Einen Moment",
        continueMessage: "Sie werden zu {host} zurückgebracht.",
        continueLabel: "Weiter",
        merchantHeading: "Betrieb auswählen",
        merchantLead:
            "Sie sind als {user} angemeldet. Wählen Sie den Betrieb aus, für den Sie {client} verwenden möchten.",
        signedOutHeading: "Sie sind abgemeldet",
        signedOut: "Sie können dieses Fenster schließen.")
}
