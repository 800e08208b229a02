extension AccountPINText {
    static let german = AccountPINText(
        label: "PIN",
        usePINLabel: "Stattdessen die PIN verwenden",
        usePasswordLabel: "Stattdessen das Passwort verwenden",
        wrong: """
            Benutzername oder PIN stimmt nicht, oder die PIN kann gerade nicht verwendet werden. Prüfen Sie \
            beides, oder verwenden Sie Ihr Passwort.
            """,
        passwordNeeded: "Zuerst muss Ihr Passwort geändert werden. Melden Sie sich einmal mit ihm an.",
        forgotLabel: "PIN vergessen?",
        forgotten:
            "Melden Sie sich mit Ihrem Passwort an. Eine neue PIN legen Sie dann auf Ihrer Kontoseite fest: {address}.",
        lead: """
            Mit einer PIN melden Sie sich hier bei Apps an, die danach fragen. Nach fünf falschen öffnet nur Ihr \
            Passwort das Konto.
            """,
        setLabel: "PIN festlegen",
        changeLabel: "PIN ändern",
        isLocked: "Gesperrt",
        heading: "Die PIN Ihres Kontos",
        pageLead: "Wählen Sie eine, die Sie nirgends sonst verwenden. Wenn Sie Ihr Passwort ändern, entfällt die PIN.",
        lockedLead: "Ihre PIN ist nach zu vielen falschen Eingaben gesperrt. Legen Sie eine neue fest.",
        restoredLead: """
            Ihre PIN wurde zu Ihrer Sicherheit gesperrt, weil dieser Dienst aus einer Sicherung wiederhergestellt wurde. \
            Niemand hat sie falsch eingegeben. Legen Sie eine neue fest.
            """,
        offLead: "PINs werden hier nicht mehr angeboten. Ihre können Sie noch entfernen.",
        newLabel: "Neue PIN",
        newHint: "6 bis 12 Ziffern: keine Reihen wie 123456, keine Wiederholungen.",
        repeatLabel: "PIN wiederholen",
        saveLabel: "PIN speichern",
        removeLabel: "PIN entfernen",
        wasSet: "Die PIN wurde gespeichert. Von jetzt an öffnet sie Ihr Konto.",
        cooling: "Bis {time} stimmt Ihre PIN keiner Zahlung zu.",
        wasRemoved: "Die PIN wurde entfernt. Wer anderswo mit ihr angemeldet war, wurde abgemeldet.",
        malformed: "Eine PIN hat nur Ziffern. Es wurde nichts geändert.",
        tooShort: "Diese PIN ist zu kurz: Sie braucht mindestens 6 Ziffern. Es wurde nichts geändert.",
        tooLong: "Diese PIN ist zu lang: höchstens 12 Ziffern. Es wurde nichts geändert.",
        mistyped:
            "Die beiden PINs sind nicht gleich. Geben Sie die neue noch einmal zweimal ein. Es wurde nichts geändert.",
        tooCommon: "Diese PIN ist zu leicht zu erraten. Wählen Sie eine andere. Es wurde nichts geändert.")
}
