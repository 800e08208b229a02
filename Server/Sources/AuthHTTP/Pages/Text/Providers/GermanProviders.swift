extension ProviderText {
    static let german = ProviderText(
        divider: "oder",
        signInLabel: "Mit {provider} anmelden",
        continueLabel: "Weiter mit {provider}",
        newAccountHeading: "Sie haben noch kein Konto",
        newAccountLead: """
            Sie haben sich mit {provider} angemeldet, aber {brand} hat dazu noch kein Konto. Wählen Sie einen \
            Benutzernamen, um eines anzulegen.
            """,
        emailLine: "{provider} hat uns Ihre E-Mail-Adresse {email} mitgeteilt. Sie wird in Ihr Konto übernommen.",
        termsLine: "Mit dem Anlegen des Kontos akzeptieren Sie die Nutzungsbedingungen von {brand}.",
        termsLabel: "Nutzungsbedingungen lesen",
        createLabel: "Konto anlegen",
        leaving: "Sie werden zu {provider} weitergeleitet.",
        declined: """
            Sie haben sich nicht mit {provider} angemeldet. Versuchen Sie es noch einmal oder melden Sie sich anders \
            an.
            """,
        failed: """
            Die Anmeldung mit {provider} hat nicht funktioniert. Versuchen Sie es noch einmal oder melden Sie sich \
            anders an.
            """,
        sessionOld: """
            Dieser Schritt erfordert eine neue Anmeldung bei {provider}, und {provider} hat keine bestätigt. Melden \
            Sie sich anders an, zum Beispiel mit Passwort oder Passkey. Wenn Sie beides nicht haben, setzen Sie zuerst \
            Ihr Passwort zurück.
            """,
        unavailable: """
            {provider} ist gerade nicht erreichbar. Versuchen Sie es gleich noch einmal oder melden Sie sich anders an.
            """,
        gone: "Diese Anmeldeart gibt es nicht mehr. Wählen Sie eine andere.",
        answerUsed: "Dieser Schritt wurde schon verwendet oder hat zu lange gedauert. Melden Sie sich erneut an.",
        nameTaken: "Dieser Benutzername ist vergeben. Wählen Sie einen anderen.")
}
