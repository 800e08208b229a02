extension MessageWording {
    static let german = MessageWording(
        time: "Zeit: {time}",
        device: "Gerät: „{device}“",
        cooling: "Bis {cooling} können Sie damit keine Zahlungen freigeben.",
        codeLife: "Der Code ist {minutes} Minuten lang gültig und funktioniert nur einmal.",
        codeAdvice: """
            Geben Sie ihn an niemanden weiter. Wir werden Sie nie danach fragen. Wenn Sie diesen Code nicht \
            angefordert haben, kennt möglicherweise jemand Ihr Passwort: Ändern Sie es und wenden Sie sich an {brand}.
            """,
        recoveryAdvice: """
            Geben Sie ihn an niemanden weiter. Wir werden Sie nie danach fragen. Wenn Sie diesen Code nicht \
            angefordert haben, müssen Sie nichts tun: Ohne ihn kommt niemand in Ihr Konto.
            """,
        protectAdvice: """
            Wenn Sie das waren, müssen Sie nichts tun. Wenn nicht, hat jemand anderes Zugriff auf Ihr Konto: Ändern \
            Sie sofort Ihr Passwort, entfernen Sie Geräte, die Sie nicht kennen, und wenden Sie sich an {brand}.
            """,
        askAdvice: "Wenn Sie das nicht erwartet haben, wenden Sie sich an {brand}.",
        refusalAdvice: """
            Wenn Sie den Vorgang nicht gestartet haben, ist möglicherweise jemand anderes in Ihrem Konto angemeldet: \
            Ändern Sie sofort Ihr Passwort und entfernen Sie Geräte, die Sie nicht kennen. Wenn Sie ihn selbst \
            gestartet haben, starten Sie ihn noch einmal. Wenn Sie nichts abgelehnt haben, wenden Sie sich an {brand}.
            """,
        footer: """
            Sie erhalten diese Nachricht, weil sie die Sicherheit Ihres Kontos bei {brand} betrifft. Bitte antworten \
            Sie nicht darauf.
            """,
        payment: "{amount} an Konto {payee_account} ({payee})",
        series: "eine REIHE von Zahlungen, je {amount}, ohne weitere Rückfrage, an Konto {payee_account} ({payee})",
        trust: "künftig Zahlungen in JEDER Höhe, ohne weitere Rückfrage, an Konto {payee_account} ({payee})",
        distrust: "kein Vertrauen mehr in Konto {payee_account} ({payee})",
        smsCode: "{code} ist Ihr Code für {brand}. Geben Sie ihn nicht weiter.",
        smsProtectAdvice: "Nicht Sie? Passwort ändern und {brand} kontaktieren.",
        smsAskAdvice: "Fragen? Wenden Sie sich an {brand}.")
}
