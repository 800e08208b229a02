extension PasskeyText {
    static let german = PasskeyText(
        signInLabel: "Mit einem Passkey anmelden",
        signInFailed: """
            Es wurde kein Passkey verwendet. Versuchen Sie es noch einmal, oder melden Sie sich mit Ihrem \
            Passwort an.
            """,
        refused: """
            Dieser Passkey wurde nicht angenommen. Versuchen Sie es noch einmal, oder melden Sie sich mit Ihrem \
            Passwort an.
            """,
        agreeLabel: "Mit einem Passkey zustimmen",
        agreeFailed: "Es wurde kein Passkey verwendet und nichts bestätigt. Versuchen Sie es noch einmal.",
        wrongForConsent: "Dieser Passkey wurde nicht angenommen. Verbleibende Versuche: {count}.",
        label: "Passkeys",
        lead: """
            Mit einem Passkey melden Sie sich durch Fingerabdruck, Gesicht oder den Code Ihres Geräts an, ohne \
            Passwort.
            """,
        manageLabel: "Passkeys verwalten",
        heading: "Ihre Passkeys",
        pageLead: "Mit jedem von ihnen kann man sich bei Ihrem Konto anmelden. Entfernen Sie, was Sie nicht kennen.",
        none: "Sie haben noch keinen.",
        nameLabel: "Name",
        renameLabel: "Namen speichern",
        removeLabel: "Diesen Passkey entfernen",
        added: "Hinzugefügt am {date}.",
        used: "Zuletzt verwendet am {date}.",
        neverUsed: "Noch nicht verwendet.",
        synced: "auf mehreren Geräten",
        formerDomain: "für eine frühere Adresse dieses Dienstes, nicht mehr verwendbar",
        addHeading: "Passkey hinzufügen",
        addLead: """
            Ihr Gerät fragt nach Fingerabdruck, Gesicht oder seinem Code. Den zweiten Schritt der Anmeldung \
            ersetzt ein neuer Passkey erst nach einem Tag.
            """,
        addLabel: "Passkey hinzufügen",
        addFailed: "Es wurde kein Passkey erstellt. Versuchen Sie es noch einmal.",
        known: "Dieses Gerät hat schon einen Passkey für Ihr Konto.",
        unsupported: "Dieser Browser unterstützt keine Passkeys, oder Skripte sind in ihm abgeschaltet.",
        tooMany: "Sie haben {count} Passkeys, mehr kann es nicht geben. Entfernen Sie zuerst einen.",
        wasAdded: "Der Passkey wurde hinzugefügt.",
        wasRenamed: "Der Name wurde gespeichert.",
        wasRemoved: "Der Passkey wurde entfernt. Wer anderswo mit einem Passkey angemeldet war, wurde abgemeldet.",
        notTaken: "Dieser Passkey wurde nicht angenommen, und nichts wurde geändert. Versuchen Sie es noch einmal.",
        unusableName: "Ein Name hat 1 bis 64 Zeichen. Es wurde nichts geändert.",
        lastWayIn: "Dieser Passkey ist der einzige Weg, sich bei Ihrem Konto anzumelden; deshalb bleibt er.",
        unknown: "Ihr Konto hat diesen Passkey nicht mehr.")
}
