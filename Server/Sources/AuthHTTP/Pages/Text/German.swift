extension PageText {
    static let german = PageText(
        signInHeading: "Anmelden",
        signInLead: "um mit {client} fortzufahren",
        usernameLabel: "Benutzername",
        passwordLabel: "Passwort",
        submitLabel: "Anmelden",
        resetLabel: "Passwort vergessen?",
        recoveryHeading: "Konto wiederherstellen",
        recoveryLead: """
            Geben Sie Ihren Benutzernamen ein. Wenn wir ihn kennen, senden wir einen Code an die zugehörige \
            E-Mail-Adresse.
            """,
        recoverySubmitLabel: "Code senden",
        recoveryCodeHeading: "Code eingeben",
        recoveryCodeSentLead: """
            Falls das Konto existiert, haben wir einen 8-stelligen Code an seine E-Mail-Adresse gesendet.
            """,
        recoveredPasswordLead: "Es ersetzt Ihr bisheriges Passwort. Sie werden überall sonst abgemeldet.",
        confirmHeading: "Als {user} fortfahren?",
        confirmLead: "{client} möchte wissen, wer Sie sind. Sie sind auf diesem Gerät bereits angemeldet.",
        confirmLabel: "Fortfahren",
        otherAccountLabel: "Anderes Konto verwenden",
        newPasswordHeading: "Neues Passwort wählen",
        newPasswordLead: "Sie können Ihr bisheriges Passwort nicht mehr verwenden.",
        newPasswordLabel: "Neues Passwort",
        newPasswordHint: "Mindestens 8 Zeichen. Gut geeignet ist ein Satz, auf den nur Sie kommen.",
        repeatPasswordLabel: "Passwort wiederholen",
        newPasswordSubmitLabel: "Speichern und anmelden",
        emailCodeHeading: "E-Mail-Adresse bestätigen",
        emailCodeLead: "Wir haben einen Code an {destination} gesendet.",
        emailCodeLabel: "Code",
        emailCodeSubmitLabel: "Bestätigen",
        secondFactorHeading: "Bestätigen Sie, dass Sie es sind",
        authenticatorLead: "Geben Sie den Code aus Ihrer Authenticator-App ein.",
        secretQuestionLead: "Beantworten Sie Ihre Sicherheitsfrage.",
        recoveryCodeLead: "Geben Sie einen Ihrer Wiederherstellungscodes ein. Jeder Code gilt nur einmal.",
        useAuthenticatorLabel: "Authenticator-App verwenden",
        useEmailLabel: "Code per E-Mail senden",
        useSMSLabel: "Code per SMS senden",
        useSecretQuestionLabel: "Sicherheitsfrage beantworten",
        useRecoveryCodeLabel: "Wiederherstellungscode verwenden",
        usePasswordLabel: "Stattdessen das Passwort verwenden",
        resendLabel: "Neuen Code senden",
        cancelLabel: "Abbrechen",
        returnFooter: "Nach der Anmeldung kehren Sie zu {host} zurück.",
        noticeHeading: "Sie sind noch nicht angemeldet",
        invalidCredentials: "Benutzername oder Passwort ist falsch. Prüfen Sie beides und versuchen Sie es erneut.",
        triedOften: """
            Nach mehreren Fehlversuchen wird eine Zeit lang auch das richtige Passwort abgelehnt. Wenn Sie es schon \
            oft versucht haben, warten Sie einige Minuten.
            """,
        passwordNeeded: "Sie müssen zuerst Ihr Passwort ändern. Melden Sie sich diesmal mit dem Passwort an.",
        walletDeactivated: "Diese Wallet wurde deaktiviert. Wenden Sie sich an {brand}, um sie reaktivieren zu lassen.",
        recoveryCodeSent: "Wenn wir diesen Namen kennen, ist ein Code unterwegs.",
        unusableName: "Das ist kein gültiger Benutzername. Prüfen Sie ihn und versuchen Sie es erneut.",
        recoveryUnavailable: """
            Dieses Konto ist durch mehr als seine E-Mail-Adresse geschützt. Stellen Sie es in der App auf Ihrem \
            verknüpften Gerät wieder her oder wenden Sie sich an {brand}.
            """,
        passwordMissing: "Geben Sie ein neues Passwort ein. Es wurde nichts geändert.",
        passwordMistyped: """
            Die beiden Passwörter stimmen nicht überein. Geben Sie das neue Passwort zweimal ein. Es wurde nichts \
            geändert.
            """,
        passwordTooShort: "Dieses Passwort ist zu kurz. Verwenden Sie mindestens 8 Zeichen.",
        passwordTooLong: "Dieses Passwort ist zu lang. Verwenden Sie höchstens 256 Zeichen.",
        passwordUnusable: """
            Dieses Passwort kann nicht verwendet werden. Es ist zu lang oder enthält einen Tabulator oder ein anderes \
            Steuerzeichen. Wählen Sie ein anderes.
            """,
        passwordTooCommon: "Dieses Passwort ist zu leicht zu erraten. Wählen Sie ein anderes.",
        passwordBreached: "Dieses Passwort ist bei einem Datenleck bekannt geworden. Wählen Sie ein anderes.",
        passwordUnchanged: "Das ist Ihr aktuelles Passwort. Wählen Sie ein anderes.",
        invalidCode: "Der Code ist falsch oder abgelaufen. Prüfen Sie ihn oder fordern Sie einen neuen an.",
        codeUsed: "Diesen Code haben Sie schon verwendet. Warten Sie, bis Ihre Authenticator-App den nächsten zeigt.",
        wrongAnswer: "Das ist nicht richtig. Prüfen Sie Ihre Eingabe und versuchen Sie es erneut.",
        factorOver: """
            Dieser Schritt ist beendet: Er wurde schon ausgeführt, es gab zu viele falsche Eingaben, oder es hat zu \
            lange gedauert. Melden Sie sich noch einmal von vorn an.
            """,
        codeSent: "Ein neuer Code ist unterwegs.",
        codeSentRecently: """
            Wir haben Ihnen gerade einen Code gesendet. In {seconds} Sekunden können Sie einen weiteren anfordern.
            """,
        codeNotSent: """
            Wir können gerade keinen Code senden, weil vor Kurzem viele gesendet wurden. Fordern Sie in {minutes} Min. \
            einen an oder nutzen Sie einen anderen Weg.
            """,
        tooManyAttempts: "Zu viele Versuche. Warten Sie {seconds} Sekunden und versuchen Sie es erneut.",
        networkHeld: """
            Aus Ihrem Netz kamen zu viele Anmeldeversuche. Vielleicht teilen Sie es mit vielen anderen, zum Beispiel \
            mit weiteren Kunden Ihres Mobilfunkanbieters. Versuchen Sie es in {minutes} Min. erneut, oder nutzen Sie ein \
            anderes Netz. In einem Browser, in dem Sie sich schon einmal mit Ihrem Passwort angemeldet haben, müssen Sie \
            nicht warten.
            """,
        busy: "Gerade melden sich viele Personen an. Versuchen Sie es in {seconds} Sekunden erneut.",
        faultHeading: "Das hat nicht geklappt",
        codeLabel: "Code",
        referenceLabel: "Referenz",
        unknownClient: "Die App, die Sie hierher geschickt hat, ist diesem Server nicht bekannt.",
        redirectMismatch: """
            Die App wollte die Antwort an einer Adresse empfangen, die nicht für sie registriert ist. Dorthin wurde \
            nichts gesendet.
            """,
        malformedRequest: "Die Anfrage, die Sie hierher gebracht hat, ist unvollständig oder fehlerhaft.",
        expiredPage: """
            Diese Seite ist abgelaufen oder Ihr Browser hat ihr Cookie nicht gesendet. Gehen Sie zurück zur App und \
            beginnen Sie von vorn.
            """,
        serverFault: "Auf unserer Seite ist etwas schiefgegangen. Versuchen Sie es gleich noch einmal.",
        unavailable: "Der Dienst ist überlastet oder wird gewartet. Versuchen Sie es gleich noch einmal.",
        notFound: "Unter dieser Adresse gibt es nichts.",
        foreignHost: "Diese Seite ist unter dieser Adresse nicht verfügbar.",
        nextStepApp: """
            Gehen Sie zurück zur App und versuchen Sie es erneut. Tritt das Problem wieder auf, wenden Sie sich an den \
            Hersteller der App und nennen Sie die Referenz unten.
            """,
        nextStepService: """
            Wenn das Problem bestehen bleibt, wenden Sie sich an den Betreiber und nennen Sie die Referenz unten.
            """,
        nextStepAddress: "Prüfen Sie die Adresse oder gehen Sie zurück zur vorherigen Seite.",
        nextStepOwnAddress: "Öffnen Sie sie unter {address}.",
        developersHeading: "Für Entwickler",
        developerUnknownClient: """
            client_id fehlt, ist falsch geschrieben oder bei {issuer} nicht registriert. Prüfen Sie, ob die App mit \
            dem richtigen Server spricht.
            """,
        developerRedirectMismatch: """
            redirect_uri muss Zeichen für Zeichen mit einer für den Client registrierten Adresse übereinstimmen: \
            Schema, Host, Port, Pfad und abschließender Schrägstrich. Nur der Port von 127.0.0.1 und [::1] darf \
            abweichen.
            """,
        continueHeading: "Einen Moment",
        continueMessage: "Sie werden zu {host} zurückgeleitet.",
        continueLabel: "Weiter",
        merchantHeading: "Betrieb auswählen",
        merchantLead:
            "Sie sind als {user} angemeldet. Wählen Sie den Betrieb aus, für den Sie {client} verwenden möchten.",
        signedOutHeading: "Sie sind abgemeldet",
        signedOut: "Sie können dieses Fenster schließen.")
}
