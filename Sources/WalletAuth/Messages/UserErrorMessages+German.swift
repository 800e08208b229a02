extension UserErrorMessages {
    static let german: [Key: String] = [
        "invalid_credentials": "Das stimmt nicht überein. Prüfen Sie Ihre Eingabe und versuchen Sie es noch einmal.",
        "login_by_username_password.invalid_credentials": """
        Die Angaben sind nicht richtig. Prüfen Sie sie und versuchen Sie es noch einmal. Nach mehreren Versuchen \
        warten Sie bitte zuerst etwas.
        """,
        "login_by_pin.invalid_credentials": "Die PIN ist nicht richtig. Nach fünf falschen PINs ist sie gesperrt.",
        "login_by_nonce.invalid_credentials":
            "Diese Anmeldung gilt nicht mehr. Beginnen Sie dort neu, wo Sie hergekommen sind.",
        "login_by_federated_identity.invalid_credentials": """
        Die Anmeldung bei diesem Anbieter hat nicht geklappt. Versuchen Sie es noch einmal oder melden Sie sich \
        auf andere Weise an.
        """,
        "login_by_apple.invalid_credentials": """
        Die Anmeldung mit Apple hat nicht geklappt. Versuchen Sie es noch einmal oder melden Sie sich auf \
        andere Weise an.
        """,
        "change_password.invalid_credentials": "Das jetzige Passwort ist nicht richtig.",
        "recovery_code_required":
            "Wir haben einen Code gesendet, falls wir diesen Namen kennen und seinen Inhaber erreichen. Geben Sie ihn ein.",
        "recovery_unavailable": """
        Hier ist keine Wiederherstellung möglich. Versuchen Sie es auf einem Gerät, das mit Ihrem Konto verknüpft \
        ist, oder wenden Sie sich an den Support.
        """,
        "recovery_cooling": """
        Zu Ihrer Sicherheit lässt sich das noch nicht ändern, weil das Passwort wiederhergestellt wurde. Versuchen \
        Sie es in einem Tag noch einmal.
        """,
        "recover.invalid_credentials":
            "Der Code ist nicht richtig oder zu alt. Prüfen Sie ihn oder beginnen Sie noch einmal.",
        "mfa_required": "Bestätigen Sie in einem zweiten Schritt, dass Sie es sind.",
        "wallet_deactivated":
            "Ihre Wallet ist deaktiviert. Wenden Sie sich an den Kundendienst, um sie wieder zu öffnen.",
        "device_deactivated": """
        Dieses Gerät ist nach zu vielen Fehlversuchen deaktiviert. Wählen Sie hier „Passwort vergessen?“ oder wenden \
        Sie sich an den Kundendienst.
        """,
        "device_suspended": "Dieses Gerät ist gesperrt. Wenden Sie sich an den Kundendienst.",
        "pin_locked.restore": """
        Ihre PIN wurde zu Ihrer Sicherheit gesperrt, weil der Dienst aus einer Sicherung wiederhergestellt wurde. Melden Sie \
        sich mit Ihrem Passwort an und legen Sie eine neue PIN fest.
        """,
        "pin_exhausted": """
        Auf diesem Gerät gab es in den letzten Wochen zu viele falsche Eingaben, deshalb sind PINs hier vorübergehend \
        abgeschaltet. Melden Sie sich mit Ihrem Passwort an. Um hier wieder eine PIN zu verwenden, verknüpfen Sie \
        dieses Gerät neu.
        """,
        "pin_locked": """
        Die PIN ist nach zu vielen falschen Versuchen gesperrt. Melden Sie sich mit Ihrem Passwort an und legen \
        Sie eine neue PIN fest.
        """,
        "email_unverified":
            "Bestätigen Sie zuerst Ihre E-Mail-Adresse. Wir haben Ihnen eine Nachricht mit einem Code geschickt.",
        "password_change_required": "Ihr Passwort ist abgelaufen. Wählen Sie ein neues.",
        "app_instance_unverified":
            "Bestätigen Sie diese Installation der App mit dem Code, den wir Ihnen geschickt haben.",
        "device_authentication_unsupported": "Angemeldet bleiben ist für diese App oder dieses Konto nicht möglich.",
        "device_token_expired":
            "Angemeldet bleiben ist abgelaufen. Melden Sie sich mit Ihrem Passwort an, um es wieder einzuschalten.",
        "token_already_expired": "Angemeldet bleiben war schon ausgeschaltet.",
        "no_device_token": "Angemeldet bleiben ist nicht eingeschaltet. Melden Sie sich mit Ihrem Passwort an.",
        "not_signed_in": "Sie sind nicht angemeldet.",
        "bad_request": "Etwas an Ihrer Eingabe kann nicht stimmen. Prüfen Sie sie und versuchen Sie es noch einmal.",
        "server_error": "Bei uns ist etwas schiefgegangen. Versuchen Sie es gleich noch einmal.",
        "server_error.trace": """
        Bei uns ist etwas schiefgegangen. Versuchen Sie es gleich noch einmal. Bleibt es dabei, nennen Sie dem \
        Kundendienst diese Nummer: {trace}
        """,
        "invalid_code": "Der Code ist falsch oder zu alt. Prüfen Sie ihn oder fordern Sie einen neuen an.",
        "invalid_session": "Das hat zu lange gedauert. Beginnen Sie noch einmal.",
        "insufficient_user_authentication":
            "Melden Sie sich noch einmal mit einem zweiten Schritt an und wiederholen Sie dies dann.",
        "device_not_found": "Dieses Gerät steht nicht mehr auf Ihrer Liste.",
        "too_many_devices": "Sie haben so viele Geräte, wie ein Konto haben darf. Entfernen Sie zuerst eines.",
        "identity_taken": "Diese Anmeldung gehört schon zu einem anderen Konto.",
        "too_many_identities": "Ihr Konto hat so viele Anmeldungen, wie es haben darf. Entfernen Sie zuerst eine.",
        "identity_not_found": "Diese Anmeldung gehört nicht zu Ihrem Konto.",
        "last_way_in": "Sie könnten sich nicht mehr anmelden. Legen Sie zuerst ein Passwort fest.",
        "data_error": "Diese Zahlung kann nicht mehr bestätigt werden. Beginnen Sie sie neu.",
        "event_not_found": "Es gibt nichts mehr zu bestätigen. Beginnen Sie neu.",
        "verification_unavailable": "Auf diesem Weg können Sie jetzt nicht bestätigen. Wählen Sie einen anderen.",
        "no_code_left": "Es kann kein weiterer Code gesendet werden. Nehmen Sie den letzten oder einen anderen Weg.",
        "already_verified": "Sie haben das bereits bestätigt.",
        "operation_mismatch": """
        Was Sie bestätigen sollten, ist nicht, was Sie wollten; es wurde angehalten. Wenden Sie sich an den \
        Support.
        """,
        "sca_unavailable": """
        Auf diesem Gerät können Sie das noch nicht bestätigen. Richten Sie es zuerst dafür ein oder wenden Sie sich \
        an den Support.
        """,
        "submit_sca_attempt.bad_request": "Das kann kein Code und keine PIN sein. Prüfen Sie die Eingabe.",
        "perform.pin_locked.restore": """
        Ihre PIN wurde zu Ihrer Sicherheit gesperrt, weil der Dienst aus einer Sicherung wiederhergestellt wurde. Bestätigen \
        Sie auf anderem Weg oder legen Sie eine neue PIN fest.
        """,
        "perform.pin_exhausted": """
        Auf diesem Gerät gab es in den letzten Wochen zu viele falsche Eingaben, deshalb sind PINs hier vorübergehend \
        abgeschaltet. Bestätigen Sie auf anderem Weg.
        """,
        "perform.pin_locked": """
        Die PIN ist nach zu vielen falschen Eingaben gesperrt. Bestätigen Sie auf anderem Weg oder legen Sie eine \
        neue PIN fest.
        """,
        "no_matching_guest": "Sie haben hier noch kein Konto. Legen Sie eines an, um fortzufahren.",
        "username_taken": "Dieser Benutzername ist vergeben. Wählen Sie einen anderen.",
        "merchant_required": "Sie arbeiten für mehrere Betriebe. Wählen Sie einen aus, um fortzufahren.",
        "app_not_installed": "Diese App ist für den Betrieb nicht eingerichtet. Fragen Sie den Inhaber.",
        "not_an_employee": "Sie sind bei diesem Betrieb nicht eingetragen. Fragen Sie den Inhaber.",
        "sign_in_interrupted": "Ihre Anmeldung wurde unterbrochen. Melden Sie sich noch einmal an.",
        "renewal_refused":
            "Ihre Anmeldung konnte nicht verlängert werden. Versuchen Sie es später noch einmal. Wenn es dabei bleibt, melden Sie sich ab und neu an.",
        "untrusted_connection": """
        Die Verbindung ist nicht sicher, deshalb wurde nichts gesendet. Nehmen Sie ein anderes Netz oder prüfen \
        Sie Datum und Uhrzeit des Geräts.
        """,
        "unknown_state":
            "Diese Anmeldung hat nicht in dieser App begonnen oder zu lange gedauert. Beginnen Sie noch einmal.",
        "issuer_mismatch": """
        Die Antwort kam nicht von dort, wo Sie sich angemeldet haben, und wurde nicht verwendet. Beginnen Sie noch \
        einmal.
        """,
        "malformed_callback": "Der Browser kam ohne Antwort zurück. Beginnen Sie noch einmal.",
        "redirect_mismatch": """
        Der Browser kam an anderer Stelle zurück als erwartet. Sie wurden nicht angemeldet. Beginnen Sie noch \
        einmal.
        """,
        "token_in_callback": "Mit diesem Link können Sie sich nicht anmelden. Melden Sie sich in der App an.",
        "code_already_used": "Diese Anmeldung wurde schon verwendet. Melden Sie sich noch einmal an.",
        "invalid_id_token": """
        Der Antwort auf Ihre Anmeldung ist nicht zu trauen, sie wurde nicht verwendet. Melden Sie sich noch einmal \
        an.
        """,
        "another_person": """
        Das ist das Konto einer anderen Person. Melden Sie sich mit dem bisherigen Konto an oder melden Sie sich \
        zuerst ab.
        """,
        "another_merchant":
            "Das gehört zu einem anderen Betrieb. Melden Sie sich zuerst ab und dann für jenen Betrieb an.",
        "token_owner_unknown":
            "Es lässt sich nicht feststellen, wessen Anmeldung das ist. Melden Sie sich noch einmal an.",
        "token_bound_elsewhere": "Diese Anmeldung gehört zu einem anderen Gerät. Melden Sie sich auf diesem an.",
        "pin_not_set": """
        Auf diesem Gerät haben Sie noch keine PIN. Melden Sie sich auf andere Weise an und legen Sie dann eine fest.
        """,
        "pin_epoch_mismatch":
            "Ihre PIN wurde geändert. Melden Sie sich auf andere Weise an und legen Sie sie dann neu fest.",
        "pin_server_key_changed": """
        Ihre PIN lässt sich gerade nicht sicher verwenden. Es wurde nichts gesendet. Melden Sie sich auf andere \
        Weise an und legen Sie eine neue PIN fest.
        """,
        "biometrics_not_enabled": """
        Gesicht oder Finger ist hier nicht eingeschaltet. Melden Sie sich auf andere Weise an und schalten Sie es \
        dann ein.
        """,
        "biometrics_locked_out": """
        Gesicht oder Finger wurde zu oft nicht erkannt. Entsperren Sie Ihr Gerät mit seinem Code und versuchen Sie \
        es noch einmal.
        """,
        "presence_not_attested":
            "Gesicht oder Finger lässt sich auf diesem Gerät nicht verwenden. Nehmen Sie Ihre PIN oder Ihr Passwort.",
        "unmet_authentication_requirements":
            "Dafür ist ein zweiter Schritt nötig, den Ihr Konto noch nicht hat. Richten Sie zuerst einen ein.",
        "return_url_not_registered":
            "Auf diesem Weg können Sie in dieser App nicht bestätigen. Wählen Sie einen anderen.",
        "pin_malformed": "Eine PIN besteht nur aus Ziffern. Wählen Sie eine andere.",
        "pin_too_short": "Diese PIN ist zu kurz. Wählen Sie eine längere.",
        "pin_too_long": "Diese PIN ist zu lang. Sie darf höchstens 12 Ziffern haben.",
        "pin_too_common": "Diese PIN ist leicht zu erraten. Wählen Sie eine andere.",
        "device_not_enrolled": """
        Dieses Gerät ist noch nicht mit Ihrem Konto verknüpft. Melden Sie sich mit einem zweiten Schritt an und \
        verknüpfen Sie es.
        """,
        "unsupported_by_server": "Das ist hier nicht verfügbar.",
        "client_not_allowed":
            "Diese App darf das nicht. Verwenden Sie die App Ihrer Wallet oder wenden Sie sich an den Kundendienst.",
        "invalid_challenge": "Das hat zu lange gedauert. Versuchen Sie es noch einmal.",
        "invalid_proof": "Dieses Gerät konnte sich nicht ausweisen. Versuchen Sie es noch einmal.",
        "device_key_taken": "Dieses Gerät konnte nicht verknüpft werden. Versuchen Sie es noch einmal.",
        "device_not_active": "Dieses Gerät ist gesperrt oder deaktiviert. Wenden Sie sich an den Kundendienst.",
        "nothing_to_verify": "Dieses Gerät muss nicht mehr bestätigt werden.",
        "account_changed":
            "Ihr Konto wurde inzwischen geändert. Melden Sie sich noch einmal an und wiederholen Sie dies dann.",
        "nothing_to_confirm": "Es gibt nichts mehr zu bestätigen. Beginnen Sie neu.",
        "factor_not_found": "Diesen zweiten Schritt hat Ihr Konto nicht mehr.",
        "secret_questions_off": "Sicherheitsfragen gibt es hier nicht. Wählen Sie einen anderen zweiten Schritt.",
        "unacceptable_answers": "Wählen Sie verschiedene Fragen und geben Sie auf jede eine eigene Antwort.",
        "password_too_short": "Dieses Passwort ist zu kurz. Verwenden Sie mindestens 8 Zeichen.",
        "password_too_long": "Dieses Passwort ist zu lang. Verwenden Sie höchstens 256 Zeichen.",
        "password_too_common": "Dieses Passwort ist leicht zu erraten. Wählen Sie ein anderes.",
        "password_breached": "Dieses Passwort ist bei einem Datenleck bekannt geworden. Wählen Sie ein anderes.",
        "password_unchanged": "Das ist Ihr jetziges Passwort. Wählen Sie ein neues.",
        "access_denied":
            "Diese Anmeldung wurde abgelehnt. Wenn Sie nicht wissen, warum, wenden Sie sich an den Kundendienst.",
        "invalid_grant": "Diese Anmeldung gilt nicht mehr. Melden Sie sich noch einmal an.",
        "invalid_token": "Dafür müssen Sie sich noch einmal anmelden.",
        "insufficient_scope":
            "Das haben Sie dieser App nicht erlaubt. Melden Sie sich noch einmal an und erlauben Sie es.",
        "idempotency_mismatch": "Das wurde vorher anders begonnen. Beginnen Sie noch einmal.",
        "outcome.signed_out": "Melden Sie sich an, um fortzufahren.",
        "outcome.signed_out.session_ended": "Ihre Sitzung ist beendet. Melden Sie sich wieder an.",
        "outcome.signed_out.token_expired": "Ihre Sitzung ist beendet. Melden Sie sich wieder an.",
        "outcome.signed_out.replaced_by_another_sign_in": """
        Inzwischen hat sich jemand angemeldet, deshalb ist dies nicht geschehen. Sehen Sie nach, wer angemeldet \
        ist, und versuchen Sie es noch einmal.
        """,
        "outcome.signed_out.apple_credential_revoked":
            "Sie verwenden Ihren Apple Account nicht mehr mit dieser App. Melden Sie sich wieder an.",
        "outcome.temporarily_unavailable": "Das geht gerade nicht. Versuchen Sie es gleich noch einmal.",
        "outcome.temporarily_unavailable.minutes":
            "Das geht gerade nicht. Versuchen Sie es in {minutes} Minuten noch einmal.",
        "outcome.offline": "Es besteht keine Verbindung. Prüfen Sie Ihr Netz und versuchen Sie es noch einmal.",
        "outcome.key_lost": "Dieses Gerät muss neu eingerichtet werden. Melden Sie sich wieder an.",
        "outcome.key_lost.enroll_again":
            "Dieses Gerät muss neu eingerichtet werden. Melden Sie sich an und fügen Sie das Gerät dann neu hinzu.",
        "outcome.key_lost.set_pin_again": """
        Ihre PIN muss auf diesem Gerät neu festgelegt werden. Melden Sie sich zuerst mit einem zweiten Schritt an.
        """,
        "outcome.key_lost.enable_biometrics_again": """
        Gesicht oder Finger auf diesem Gerät hat sich geändert. Melden Sie sich auf andere Weise an und schalten Sie \
        es dann wieder ein.
        """,
        "outcome.store_unavailable":
            "Der sichere Speicher des Geräts ist gerade nicht erreichbar. Versuchen Sie es noch einmal.",
        "outcome.store_unavailable.locked": "Entsperren Sie Ihr Gerät und versuchen Sie es noch einmal.",
        "outcome.store_unavailable.full":
            "Auf diesem Gerät ist kein Platz mehr. Schaffen Sie Platz und versuchen Sie es noch einmal.",
        "outcome.refused": "Das war nicht möglich. Beginnen Sie noch einmal.",
        "outcome.misconfigured":
            "Die App kann dies zurzeit nicht. Aktualisieren Sie die App oder wenden Sie sich an den Kundendienst.",
    ]
}
