extension AccountPINText {
    static let german = AccountPINText(
        label: "PIN",
        usePINLabel: "Stattdessen die PIN verwenden",
        usePasswordLabel: "Stattdessen das Passwort verwenden",
        wrong: """
            Benutzername oder PIN ist falsch, oder die PIN kann gerade nicht verwendet werden. Prüfen Sie beides oder \
            verwenden Sie Ihr Passwort.
            """,
        passwordNeeded: "Sie müssen zuerst Ihr Passwort ändern. Melden Sie sich diesmal mit dem Passwort an.",
        forgotLabel: "PIN vergessen?",
        forgotten:
            "Melden Sie sich mit Ihrem Passwort an. Eine neue PIN legen Sie dann auf Ihrer Kontoseite fest: {address}.",
        lead: """
            Mit einer PIN melden Sie sich hier bei Apps an, die danach fragen. Nach fünf Fehlversuchen gilt nur noch \
            Ihr Passwort.
            """,
        setLabel: "PIN festlegen",
        changeLabel: "PIN ändern",
        isLocked: "Gesperrt",
        heading: "Die PIN Ihres Kontos",
        pageLead: """
            Wählen Sie eine PIN, die Sie sonst nirgends verwenden. Wenn Sie Ihr Passwort ändern, wird die PIN entfernt.
            """,
        lockedLead: """
            Ihre PIN ist nach zu vielen Fehlversuchen gesperrt. Legen Sie eine neue fest, um sie zu entsperren.
            """,
        restoredLead: """
            Zu Ihrer Sicherheit haben wir Ihre PIN gesperrt, als dieser Dienst aus einer Sicherung wiederhergestellt \
            wurde. Es lag nicht an Fehlversuchen. Legen Sie eine neue fest.
            """,
        offLead: "PINs werden hier nicht mehr angeboten. Ihre können Sie noch entfernen.",
        newLabel: "Neue PIN",
        newHint: "6 bis 12 Ziffern, keine Folgen wie 123456 und keine Wiederholungen.",
        repeatLabel: "PIN wiederholen",
        saveLabel: "PIN speichern",
        removeLabel: "PIN entfernen",
        wasSet: "Die PIN wurde gespeichert. Sie können sich jetzt damit anmelden.",
        cooling: "Bis {time} können Sie mit Ihrer PIN keine Zahlungen freigeben.",
        wasRemoved: "Die PIN wurde entfernt. Sitzungen, die anderswo damit angemeldet waren, wurden beendet.",
        malformed: "Eine PIN darf nur Ziffern enthalten. Es wurde nichts geändert.",
        tooShort: "Diese PIN ist zu kurz. Verwenden Sie mindestens 6 Ziffern. Es wurde nichts geändert.",
        tooLong: "Diese PIN ist zu lang. Verwenden Sie höchstens 12 Ziffern. Es wurde nichts geändert.",
        mistyped: """
            Die beiden PINs stimmen nicht überein. Geben Sie die neue PIN zweimal ein. Es wurde nichts geändert.
            """,
        tooCommon: "Diese PIN ist zu leicht zu erraten. Wählen Sie eine andere. Es wurde nichts geändert.")
}
