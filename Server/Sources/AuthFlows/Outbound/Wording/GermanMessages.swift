extension MessageWording {
    static let german = MessageWording(
        time: "Zeit: {time}",
        device: "Gerät: „{device}“",
        cooling: "Bis {cooling} können Sie damit keine Zahlungen freigeben.",
        codeLife: "Er gilt nur einmal und ist {minutes} Minuten lang gültig.",
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
        smsAskAdvice: "Fragen? Wenden Sie sich an {brand}."
    ) { kind in
        switch kind {
        case .refreshReuse:
            Text(
                "Sie wurden zu Ihrer Sicherheit abgemeldet",
                "Eine Sitzung Ihres Kontos bei {brand} wurde beendet, weil eine Kopie ihres Schlüssels verwendet wurde."
            )
        case .codeReuse:
            Text(
                "Sie wurden zu Ihrer Sicherheit abgemeldet",
                "Eine Sitzung Ihres Kontos bei {brand} wurde beendet, weil ihr Code zweimal verwendet wurde.")
        case .deactivated:
            Text(
                "Ihre Wallet wurde deaktiviert",
                """
                Ihre Wallet bei {brand} wurde deaktiviert. Sie können sich erst wieder anmelden, wenn sie reaktiviert \
                wurde.
                """)
        case .passwordChanged:
            Text("Ihr Passwort wurde geändert", "Das Passwort Ihres Kontos bei {brand} wurde geändert.")
        case .passwordExpired:
            Text(
                "Bitte ändern Sie Ihr Passwort",
                """
                Das Passwort Ihres Kontos bei {brand} steht auf einer Liste gestohlener oder sehr häufiger Passwörter. \
                Wir haben Sie abgemeldet. Bei der nächsten Anmeldung wählen Sie ein neues.
                """)
        case .emailCode:
            Text("Bestätigen Sie Ihre E-Mail-Adresse", "Ihr Code, um diese E-Mail-Adresse bei {brand} zu bestätigen:")
        case .instanceCode:
            Text("Bestätigen Sie Ihre App", "Ihr Code, um die Installation der App von {brand} zu bestätigen:")
        case .secondFactorCode:
            Text("Ihr Anmeldecode", "Ihr Code für die Anmeldung bei {brand}:")
        case .passwordRecoveryCode:
            Text(
                "Ihr Code zur Wiederherstellung Ihres Kontos",
                "Ihr Code, um ein neues Passwort für {brand} zu wählen:")
        case .recovered:
            Text(
                "Ihr Zugang wurde wiederhergestellt",
                """
                Für Ihr Konto bei {brand} wurde mit einem Code, der an Ihre E-Mail-Adresse ging, ein neues Passwort \
                festgelegt.
                """)
        case .recoveredOnDevice:
            Text(
                "Ihr Zugang wurde wiederhergestellt",
                """
                Für Ihr Konto bei {brand} wurde mit einem Code per E-Mail ein neues Passwort festgelegt. Das wegen \
                falscher Passwörter gesperrte Gerät ist wieder entsperrt.
                """)
        case .recoveryStopped:
            Text(
                "Jemand wollte Ihr Passwort zurücksetzen",
                """
                Jemand wollte Ihr Passwort bei {brand} per E-Mail-Code ändern, konnte sich aber nicht ausweisen. Es \
                gilt weiter. Nicht Sie? Jemand liest Ihre E-Mails: Ändern Sie Ihr E-Mail-Passwort.
                """)
        case .newDevice:
            Text(
                "Anmeldung von einem neuen Gerät",
                "Jemand hat sich mit der Antwort auf eine Sicherheitsfrage von einem neuen Gerät bei {brand} angemeldet."
            )
        case .recoveryCodeUsed:
            Text(
                "Ein Wiederherstellungscode wurde verwendet",
                "Ein Wiederherstellungscode Ihres Kontos bei {brand} wurde zur Anmeldung verwendet.")
        case .secondFactorFailed:
            Text(
                "Eine Anmeldung ist am zweiten Schritt gescheitert",
                """
                Jemand hat das richtige Passwort für Ihr Konto bei {brand} eingegeben, dann aber im zweiten Schritt \
                alle Versuche verbraucht.
                """)
        case .totpAdded:
            Text(
                "Eine Authenticator-App wurde hinzugefügt",
                "Ihrem Konto bei {brand} wurde eine Authenticator-App hinzugefügt.")
        case .totpRemoved:
            Text(
                "Eine Authenticator-App wurde entfernt",
                "Die Authenticator-App Ihres Kontos bei {brand} wurde entfernt.")
        case .recoveryCodesMade:
            Text(
                "Neue Wiederherstellungscodes",
                "Für Ihr Konto bei {brand} wurden neue Wiederherstellungscodes erstellt. Die bisherigen gelten nicht mehr."
            )
        case .recoveryCodesVoided:
            Text(
                "Ihre Wiederherstellungscodes gelten nicht mehr",
                """
                Wir mussten unser System aus einer Sicherung wiederherstellen. Zum Schutz Ihres Kontos bei \
                {brand} gelten Ihre Wiederherstellungscodes nicht mehr. Melden Sie sich an und erstellen Sie \
                neue.
                """)
        case .secretQuestionsSet:
            Text(
                "Ihre Sicherheitsfragen wurden geändert",
                "Die Sicherheitsfragen Ihres Kontos bei {brand} wurden geändert.")
        case .passkeyAdded:
            Text(
                "Ein Passkey wurde hinzugefügt",
                "Ihrem Konto bei {brand} wurde ein Passkey hinzugefügt. Damit ist die Anmeldung ohne Passwort möglich.")
        case .passkeyRemoved:
            Text(
                "Ein Passkey wurde entfernt",
                "Ein Passkey Ihres Kontos bei {brand} wurde entfernt.")
        case .passkeyCopied:
            Text(
                "Ein Passkey wurde möglicherweise kopiert",
                """
                Ein Passkey Ihres Kontos bei {brand} verhielt sich wie eine Kopie und wurde abgelehnt. Entfernen Sie \
                ihn und fügen Sie einen neuen hinzu.
                """)
        case .identityJoined:
            Text(
                "Eine weitere Anmeldemöglichkeit wurde hinzugefügt",
                """
                Mit Ihrem Konto bei {brand} wurde ein Konto bei einem anderen Anbieter verknüpft. Damit ist ab sofort \
                die Anmeldung möglich.
                """)
        case .identityLeft:
            Text(
                "Eine Anmeldemöglichkeit wurde entfernt",
                """
                Ein Konto bei einem anderen Anbieter ist nicht mehr mit Ihrem Konto bei {brand} verknüpft. Damit ist \
                keine Anmeldung mehr möglich.
                """)
        case .identitySuspended:
            Text(
                "Sie wurden abgemeldet",
                """
                Laut {service} verwenden Sie Ihren {service}-Account nicht mehr mit {brand}. Wir haben Sie deshalb \
                abgemeldet. Um fortzufahren, melden Sie sich erneut mit {service} an.
                """)
        case .identityRemoved:
            Text(
                "Keine Anmeldung mehr mit {service}",
                """
                Laut {service} wurde Ihr Account dort gelöscht. Ihr Konto bei {brand} bleibt bestehen: Melden Sie sich \
                mit Ihrem Passwort an oder wählen Sie „Passwort vergessen?“.
                """)
        case .deviceEnrolled:
            Text("Ein Gerät wurde hinzugefügt", "Mit Ihrem Konto bei {brand} wurde ein Gerät verknüpft.")
        case .deviceDeactivated:
            Text(
                "Ein Gerät wurde deaktiviert",
                "Ein Gerät Ihres Kontos bei {brand} wurde deaktiviert. Damit ist keine Anmeldung mehr möglich.")
        case .deviceClosed:
            Text(
                "Ein Gerät wurde gesperrt",
                """
                Ein Gerät Ihres Kontos bei {brand} wurde nach zu vielen falschen Passwörtern gesperrt. Entsperren Sie \
                es dort mit „Passwort vergessen?“, sofern Sie es nicht erst kürzlich hinzugefügt haben.
                """)
        case .deviceRemoved:
            Text("Ein Gerät wurde entfernt", "Ein Gerät wurde aus Ihrem Konto bei {brand} entfernt.")
        case .pinSet:
            Text(
                "Eine PIN wurde festgelegt",
                "Auf einem Gerät Ihres Kontos bei {brand} wurde eine PIN festgelegt oder geändert.")
        case .pinLocked:
            Text(
                "Ihre PIN ist gesperrt",
                "Die PIN eines Geräts Ihres Kontos bei {brand} wurde nach zu vielen Fehlversuchen gesperrt.")
        case .pinForgotten:
            Text(
                "Eine PIN wurde entfernt",
                "Die PIN eines Geräts Ihres Kontos bei {brand} wurde von einem anderen Gerät aus entfernt.")
        case .deviceTokenIssued:
            Text(
                "Ein Gerät bleibt angemeldet",
                "Ein Gerät Ihres Kontos bei {brand} kann sich jetzt monatelang ohne Passwort anmelden.")
        case .accountPINSet:
            Text(
                "Für Ihr Konto wurde eine PIN festgelegt",
                "Für Ihr Konto bei {brand} wurde eine PIN zur Anmeldung im Web festgelegt oder geändert.")
        case .accountPINLocked:
            Text(
                "Ihre PIN ist gesperrt",
                """
                Die PIN Ihres Kontos bei {brand} wurde nach zu vielen Fehlversuchen gesperrt. Melden Sie sich mit \
                Ihrem Passwort an und legen Sie auf Ihrer Kontoseite eine neue fest.
                """)
        case .accountPINRemoved:
            Text(
                "Die PIN Ihres Kontos wurde entfernt",
                """
                Die PIN Ihres Kontos bei {brand} wurde entfernt, entweder direkt oder weil das Passwort geändert \
                wurde. Melden Sie sich mit Ihrem Passwort an.
                """)
        case .biometricKeyAdded:
            Text(
                "Anmeldung mit Gesicht oder Fingerabdruck eingerichtet",
                """
                Auf einem Gerät Ihres Kontos bei {brand} wurde die Anmeldung mit Gesicht oder Fingerabdruck \
                eingerichtet.
                """)
        case .biometricKeyRemoved:
            Text(
                "Anmeldung mit Gesicht oder Fingerabdruck ausgeschaltet",
                """
                Auf einem Gerät Ihres Kontos bei {brand} wurde die Anmeldung mit Gesicht oder Fingerabdruck \
                ausgeschaltet.
                """)
        case .consentCode:
            Text("Ihr Code für eine Zahlung oder Freigabe", "Zur Freigabe bei {brand}: {operation}.")
        case .consentLocked:
            Text(
                "Ein Vorgang wurde gestoppt",
                """
                Wir haben einen Vorgang bei {brand} gestoppt, weil für die Freigabe zu viele falsche Codes oder PINs \
                eingegeben wurden.
                """)
        case .consentRefused:
            Text(
                "Ein Vorgang wurde abgelehnt",
                """
                Bei einem Vorgang von {brand} wurde angegeben, dass Sie ihn nicht veranlasst haben. Er wurde gestoppt \
                und nicht ausgeführt: {operation}.
                """)
        }
    }
}
