extension MessageWording {
    static let german = MessageWording(
        time: "Zeit: {time}",
        device: "Gerät: „{device}“",
        cooling: "Bis {cooling} stimmt sie keiner Zahlung zu.",
        codeLife: "Er gilt einmal, {minutes} Minuten lang.",
        codeAdvice: """
            Geben Sie ihn niemandem: Wir fragen nie danach. Wenn Sie diesen Code nicht angefordert haben, kennt vielleicht \
            jemand Ihr Passwort. Ändern Sie es und wenden Sie sich an {brand}.
            """,
        recoveryAdvice: """
            Geben Sie ihn niemandem: Wir fragen nie danach. Wenn Sie diesen Code nicht angefordert haben, ist \
            nichts zu tun: Ohne ihn kommt niemand hinein.
            """,
        protectAdvice: """
            Wenn Sie das waren, ist nichts zu tun. Wenn nicht, hat jemand anderes Zugang: Ändern Sie sofort Ihr Passwort, \
            entfernen Sie Geräte, die Sie nicht kennen, und wenden Sie sich an {brand}.
            """,
        askAdvice: "Wenn Sie das nicht erwartet haben, wenden Sie sich an {brand}.",
        refusalAdvice: """
            Wenn Sie den Vorgang nicht begonnen haben, ist vielleicht jemand anderes mit Ihrem Konto angemeldet: Ändern Sie \
            sofort Ihr Passwort und entfernen Sie Geräte, die Sie nicht kennen. Wenn Sie ihn selbst begonnen haben, beginnen Sie \
            ihn noch einmal. Wenn Sie nichts abgelehnt haben, wenden Sie sich an {brand}.
            """,
        footer: """
            {brand} sendet diese Nachricht, weil sie die Sicherheit Ihres Kontos betrifft. Man kann nicht auf sie antworten.
            """,
        payment: "{amount} an Konto {payee_account} ({payee})",
        series: "eine REIHE von Zahlungen, je {amount}, ohne weitere Rückfrage, an Konto {payee_account} ({payee})",
        trust: "künftig Zahlungen in JEDER Höhe, ohne weitere Rückfrage, an Konto {payee_account} ({payee})",
        distrust: "kein Vertrauen mehr in Konto {payee_account} ({payee})",
        smsCode: "{code} ist Ihr Code für {brand}. Geben Sie ihn niemandem.",
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
                "Ihre Wallet bei {brand} wurde deaktiviert. Bis sie wieder freigegeben ist, kann sich niemand anmelden."
            )
        case .passwordChanged:
            Text("Ihr Passwort wurde geändert", "Das Passwort Ihres Kontos bei {brand} wurde geändert.")
        case .passwordExpired:
            Text(
                "Ihr Passwort muss geändert werden",
                """
                Das Passwort Ihres Kontos bei {brand} steht in einer Liste gestohlener oder sehr häufiger \
                Passwörter. Sie wurden abgemeldet und wählen beim Anmelden ein neues.
                """)
        case .emailCode:
            Text("Bestätigen Sie Ihre E-Mail-Adresse", "Ihr Code, um diese E-Mail-Adresse bei {brand} zu bestätigen:")
        case .instanceCode:
            Text("Bestätigen Sie Ihre App", "Ihr Code, um die Installation der App von {brand} zu bestätigen:")
        case .secondFactorCode:
            Text("Ihr Anmeldecode", "Ihr Code für die Anmeldung bei {brand}:")
        case .passwordRecoveryCode:
            Text(
                "Ihr Code zur Wiederherstellung",
                "Ihr Code, um ein neues Passwort für {brand} zu wählen:")
        case .recovered:
            Text(
                "Ihr Zugang wurde wiederhergestellt",
                """
                Für Ihr Konto bei {brand} wurde ein neues Passwort gesetzt, mit einem Code, der an die \
                E-Mail-Adresse des Kontos ging.
                """)
        case .recoveredOnDevice:
            Text(
                "Ihr Zugang wurde wiederhergestellt",
                """
                Für Ihr Konto bei {brand} wurde mit einem Code per E-Mail ein neues Passwort gesetzt. Das Gerät, \
                das falsche Passwörter geschlossen hatten, ist wieder offen.
                """)
        case .recoveryStopped:
            Text(
                "Jemand wollte ein neues Passwort setzen",
                """
                Jemand wollte mit dem Code aus Ihrer E-Mail das Passwort bei {brand} ersetzen und wies sonst \
                nichts nach. Es gilt weiter. Nicht Sie? Jemand liest Ihre E-Mails: Ändern Sie Ihr E-Mail-Passwort.
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
                "Eine Anmeldung ist am zweiten Faktor gescheitert",
                "Jemand hat das richtige Passwort Ihres Kontos bei {brand} eingegeben, danach aber einen falschen zweiten Faktor, bis kein Versuch übrig war."
            )
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
                "Ihrem Konto bei {brand} wurde ein Passkey hinzugefügt. Mit ihm meldet man sich ohne Passwort an.")
        case .passkeyRemoved:
            Text(
                "Ein Passkey wurde entfernt",
                "Ein Passkey Ihres Kontos bei {brand} wurde entfernt.")
        case .passkeyCopied:
            Text(
                "Ein Passkey wurde vielleicht kopiert",
                """
                Ein Passkey Ihres Kontos bei {brand} hat auf eine Weise signiert, die auf eine Kopie hindeutet. Er wurde \
                abgelehnt. Entfernen Sie ihn, und fügen Sie einen neuen hinzu.
                """)
        case .identityJoined:
            Text(
                "Eine weitere Anmeldung wurde hinzugefügt",
                "Mit Ihrem Konto bei {brand} wurde eine Identität bei einem anderen Anbieter verknüpft. Damit können Sie sich künftig anmelden."
            )
        case .identityLeft:
            Text(
                "Eine Anmeldung wurde entfernt",
                "Eine Identität bei einem anderen Anbieter wurde von Ihrem Konto bei {brand} getrennt. Damit ist keine Anmeldung mehr möglich."
            )
        case .identitySuspended:
            Text(
                "Sie wurden abgemeldet",
                "Laut {service} verwenden Sie Ihren {service}-Account nicht mehr mit {brand}. Sie wurden deshalb abgemeldet. Um fortzufahren, melden Sie sich erneut mit {service} an."
            )
        case .identityRemoved:
            Text(
                "Keine Anmeldung mehr mit {service}",
                "Laut {service} wurde Ihr Account dort gelöscht. Ihr Konto bei {brand} bleibt: Melden Sie sich mit Ihrem Passwort an, oder wählen Sie „Passwort vergessen?“."
            )
        case .deviceEnrolled:
            Text("Ein Gerät wurde hinzugefügt", "Ihrem Konto bei {brand} wurde ein Gerät hinzugefügt.")
        case .deviceDeactivated:
            Text(
                "Ein Gerät wurde deaktiviert",
                "Ein Gerät Ihres Kontos bei {brand} wurde deaktiviert. Niemand kann sich mehr damit anmelden.")
        case .deviceClosed:
            Text(
                "Ein Gerät wurde deaktiviert",
                """
                Ein Gerät Ihres Kontos bei {brand} wurde nach zu vielen falschen Passwörtern deaktiviert. \
                Wurde es nicht erst kürzlich registriert, öffnen Sie es dort wieder: „Passwort vergessen?“.
                """)
        case .deviceRemoved:
            Text("Ein Gerät wurde entfernt", "Ein Gerät wurde aus Ihrem Konto bei {brand} entfernt.")
        case .pinSet:
            Text(
                "Eine PIN wurde gesetzt",
                "Auf einem Gerät Ihres Kontos bei {brand} wurde eine PIN gesetzt oder geändert.")
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
                "Ein Gerät Ihres Kontos bei {brand} darf sich monatelang ohne Passwort anmelden.")
        case .accountPINSet:
            Text(
                "Für Ihr Konto wurde eine PIN festgelegt",
                "Für Ihr Konto bei {brand} wurde eine PIN zur Anmeldung im Web festgelegt oder geändert.")
        case .accountPINLocked:
            Text(
                "Ihre PIN ist gesperrt",
                """
                Die PIN Ihres Kontos bei {brand} wurde nach zu vielen Fehlversuchen gesperrt. Ihr Passwort öffnet es; \
                auf der Seite des Kontos legen Sie eine neue fest.
                """)
        case .accountPINRemoved:
            Text(
                "Die PIN Ihres Kontos wurde entfernt",
                """
                Die PIN Ihres Kontos bei {brand} wurde entfernt, oder sie entfiel mit dem geänderten Passwort. Ihr \
                Passwort öffnet das Konto.
                """)
        case .biometricKeyAdded:
            Text(
                "Anmeldung mit Gesicht oder Finger eingerichtet",
                "Auf einem Gerät Ihres Kontos bei {brand} wurde die Anmeldung mit Gesicht oder Finger eingerichtet.")
        case .biometricKeyRemoved:
            Text(
                "Anmeldung mit Gesicht oder Finger ausgeschaltet",
                "Auf einem Gerät Ihres Kontos bei {brand} wurde die Anmeldung mit Gesicht oder Finger ausgeschaltet.")
        case .consentCode:
            Text("Ihr Code für eine Zahlung oder Freigabe", "Zur Freigabe bei {brand}: {operation}.")
        case .consentLocked:
            Text(
                "Ein Vorgang wurde gestoppt",
                "Für die Freigabe eines Vorgangs bei {brand} wurden zu viele falsche Codes oder PINs eingegeben. Er wurde gestoppt."
            )
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
