extension ClientConsentText {
    static let german = ClientConsentText(
        heading: "{client} Zugriff auf Ihr Konto erlauben?",
        moreHeading: "{client} weiteren Zugriff erlauben?",
        againHeading: "{client} bittet erneut um Ihre Erlaubnis",
        lead: "Sie sind als {user} angemeldet.",
        newHeading: "Wenn Sie es erlauben, kann {client}:",
        grantedHeading: "Die App kann bereits:",
        askedHeading: "Die App möchte:",
        alsoHeading: "Außerdem kann sie:",
        destinationLabel: "Sie kehren zurück zu",
        deviceDestination: "Eine App auf diesem Gerät ({address})",
        warning: """
            Erlauben Sie das nur, wenn Sie {client} vertrauen. Die App bleibt angemeldet, bis Sie sich dort abmelden \
            oder ihr auf Ihrer Kontoseite den Zugriff entziehen.
            """,
        allowLabel: "Erlauben",
        openID: "Ihr Konto bei der Anmeldung wiedererkennen",
        profile: "Ihren Namen, Ihren Benutzernamen und Ihre Sprache sehen",
        email: "Ihre E-Mail-Adresse sehen",
        phone: "Ihre Telefonnummer sehen",
        address: "Ihre Postanschrift sehen",
        offlineAccess: "Angemeldet bleiben, auch wenn Sie die App nicht verwenden",
        ownScope: "„{scope}“ verwenden",
        appsHeading: "Apps mit Zugriff",
        appsLead: "Diesen Apps haben Sie Zugriff auf Ihr Konto gegeben.",
        manageLabel: "Einer App den Zugriff entziehen",
        pageLead: """
            Entziehen Sie Apps, die Sie nicht mehr verwenden oder denen Sie nicht mehr vertrauen, den Zugriff. Sie \
            werden dann sofort abgemeldet.
            """,
        none: "Keine App hat Zugriff auf Ihr Konto.",
        since: "Seit dem {date}",
        removeLabel: "Zugriff entziehen: {client}",
        wasRemoved: "Der Zugriff wurde entzogen. Die App wurde abgemeldet und muss Sie erneut fragen.",
        unknown: "Diese App hat keinen Zugriff mehr. Es wurde nichts geändert.")
}
