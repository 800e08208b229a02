extension PasskeyText {
    static let german = PasskeyText(
        signInLabel: "Mit einem Passkey anmelden",
        signInFailed: """
            Es wurde kein Passkey verwendet. Versuchen Sie es noch einmal oder melden Sie sich mit Ihrem Passwort an.
            """,
        refused: """
            Dieser Passkey wurde nicht akzeptiert. Versuchen Sie es noch einmal oder melden Sie sich mit Ihrem \
            Passwort an.
            """,
        agreeLabel: "Mit einem Passkey freigeben",
        agreeFailed: "Es wurde kein Passkey verwendet und nichts freigegeben. Versuchen Sie es noch einmal.",
        wrongForConsent: "Dieser Passkey wurde nicht akzeptiert. Verbleibende Versuche: {count}.",
        label: "Passkeys",
        lead: "Mit einem Passkey melden Sie sich ohne Passwort an: per Fingerabdruck, Gesicht oder Displaysperre.",
        manageLabel: "Passkeys verwalten",
        heading: "Ihre Passkeys",
        pageLead: """
            Mit jedem dieser Passkeys können Sie sich bei Ihrem Konto anmelden. Entfernen Sie alle, die Sie nicht \
            kennen.
            """,
        none: "Sie haben noch keine Passkeys.",
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
            Ihr Gerät fragt nach Fingerabdruck, Gesicht oder Displaysperre. Ein neuer Passkey ersetzt den zweiten \
            Schritt der Anmeldung erst nach einem Tag.
            """,
        addLabel: "Passkey hinzufügen",
        addFailed: "Es wurde kein Passkey erstellt. Versuchen Sie es noch einmal.",
        known: "Dieses Gerät hat schon einen Passkey für Ihr Konto.",
        unsupported: "Dieser Browser unterstützt keine Passkeys, oder JavaScript ist ausgeschaltet.",
        tooMany: "Sie haben {count} Passkeys und damit das Maximum erreicht. Entfernen Sie zuerst einen.",
        wasAdded: "Der Passkey wurde hinzugefügt.",
        wasRenamed: "Der Name wurde gespeichert.",
        wasRemoved: """
            Der Passkey wurde entfernt. Sitzungen, die anderswo mit einem Passkey angemeldet waren, wurden beendet.
            """,
        notTaken: "Dieser Passkey wurde nicht akzeptiert. Es wurde nichts geändert. Versuchen Sie es noch einmal.",
        unusableName: "Ein Name muss 1 bis 64 Zeichen haben. Es wurde nichts geändert.",
        lastWayIn: """
            Dieser Passkey ist die einzige Möglichkeit, sich bei Ihrem Konto anzumelden. Deshalb kann er nicht \
            entfernt werden.
            """,
        unknown: "Dieser Passkey gehört nicht mehr zu Ihrem Konto.")
}
