extension UserErrorMessages {
    static let german: [Key: String] = [
        "invalid_credentials": "Ihre Angaben stimmen nicht. Prüfen Sie sie und versuchen Sie es erneut.",
        "invalid_credentials.answer":
            "Das ist nicht richtig oder nicht mehr gültig. Prüfen Sie Ihre Eingabe oder fordern Sie einen neuen Code an.",
        "login_by_username_password.invalid_credentials": """
        Benutzername oder Passwort ist falsch. Prüfen Sie beides und versuchen Sie es erneut. Wenn Sie es schon \
        mehrmals versucht haben, warten Sie zuerst einige Minuten.
        """,
        "login_by_pin.invalid_credentials": "Die PIN ist falsch. Nach fünf Fehlversuchen wird sie gesperrt.",
        "login_by_account_pin.invalid_credentials": """
        Benutzername oder PIN ist falsch. Prüfen Sie beides und versuchen Sie es erneut. Nach fünf Fehlversuchen wird \
        die PIN gesperrt; melden Sie sich dann mit Ihrem Passwort an.
        """,
        "login_by_account_pin.password_change_required":
            "Ihr Passwort ist abgelaufen. Melden Sie sich damit an und wählen Sie ein neues.",
        "login_by_nonce.invalid_credentials":
            "Diese Anmeldung gilt nicht mehr. Gehen Sie zurück und beginnen Sie von vorn.",
        "login_by_federated_identity.invalid_credentials": """
        Die Anmeldung bei diesem Anbieter hat nicht geklappt. Versuchen Sie es erneut oder melden Sie sich auf \
        andere Weise an.
        """,
        "login_by_apple.invalid_credentials": """
        Die Anmeldung mit Apple hat nicht geklappt. Versuchen Sie es erneut oder melden Sie sich auf andere Weise \
        an.
        """,
        "change_password.invalid_credentials": "Ihr aktuelles Passwort ist falsch.",
        "recovery_code_required": """
        Wenn es das Konto gibt und wir seinen Inhaber erreichen können, haben wir einen Code gesendet. Geben Sie ihn \
        ein.
        """,
        "recovery_unavailable": """
        Dieses Konto lässt sich hier nicht wiederherstellen. Verwenden Sie ein Gerät, das mit Ihrem Konto verknüpft \
        ist, oder wenden Sie sich an den Support.
        """,
        "recovery_cooling": """
        Das Passwort wurde vor Kurzem wiederhergestellt. Zu Ihrer Sicherheit können Sie das noch nicht ändern. \
        Versuchen Sie es in einem Tag erneut.
        """,
        "recover.invalid_credentials":
            "Der Code ist falsch oder abgelaufen. Prüfen Sie ihn oder beginnen Sie von vorn.",
        "mfa_required": "Bestätigen Sie mit einem zweiten Schritt, dass Sie es sind.",
        "wallet_deactivated":
            "Ihre Wallet wurde deaktiviert. Wenden Sie sich an den Support, um sie reaktivieren zu lassen.",
        "device_deactivated": """
        Dieses Gerät wurde nach zu vielen Fehlversuchen deaktiviert. Wählen Sie hier „Passwort vergessen?“ oder \
        wenden Sie sich an den Support.
        """,
        "device_suspended": "Dieses Gerät ist vorübergehend gesperrt. Wenden Sie sich an den Support.",
        "pin_locked.restore": """
        Zu Ihrer Sicherheit haben wir Ihre PIN gesperrt, als der Dienst aus einer Sicherung wiederhergestellt wurde. \
        Melden Sie sich mit Ihrem Passwort an und legen Sie eine neue PIN fest.
        """,
        "pin_exhausted": """
        Auf diesem Gerät gab es in den letzten Wochen zu viele Fehlversuche, deshalb können Sie hier vorerst keine \
        PIN verwenden. Melden Sie sich mit Ihrem Passwort an. Wenn Sie hier früher wieder eine PIN verwenden \
        möchten, verknüpfen Sie dieses Gerät erneut.
        """,
        "pin_locked": """
        Ihre PIN ist nach zu vielen Fehlversuchen gesperrt. Melden Sie sich mit Ihrem Passwort an und legen Sie eine \
        neue PIN fest.
        """,
        "email_unverified": "Bestätigen Sie zuerst Ihre E-Mail-Adresse. Wir haben Ihnen einen Code gesendet.",
        "password_change_required": "Ihr Passwort ist abgelaufen. Wählen Sie ein neues.",
        "app_instance_unverified":
            "Bestätigen Sie diese Installation der App mit dem Code, den wir Ihnen gesendet haben.",
        "login_strategy_unavailable":
            "Hier können Sie sich nicht auf diese Weise anmelden. Melden Sie sich mit Ihrem Passwort an.",
        "device_authentication_unsupported": "Mit dieser App oder diesem Konto können Sie nicht angemeldet bleiben.",
        "device_token_expired":
            "Ihre Sitzung ist abgelaufen. Melden Sie sich mit Ihrem Passwort an, um wieder angemeldet zu bleiben.",
        "token_already_expired": "„Angemeldet bleiben“ ist bereits ausgeschaltet.",
        "no_device_token": "„Angemeldet bleiben“ ist nicht eingeschaltet. Melden Sie sich mit Ihrem Passwort an.",
        "not_signed_in": "Sie sind nicht angemeldet.",
        "bad_request": "Eine Ihrer Angaben ist ungültig. Prüfen Sie sie und versuchen Sie es erneut.",
        "server_error": "Auf unserer Seite ist etwas schiefgegangen. Versuchen Sie es gleich noch einmal.",
        "server_error.trace": """
        Auf unserer Seite ist etwas schiefgegangen. Versuchen Sie es gleich noch einmal. Wenn das Problem bestehen \
        bleibt, wenden Sie sich an den Support und nennen Sie diese Referenz: {trace}
        """,
        "invalid_code": "Der Code ist falsch oder abgelaufen. Prüfen Sie ihn oder fordern Sie einen neuen an.",
        "invalid_session": "Das hat zu lange gedauert. Beginnen Sie von vorn.",
        "insufficient_user_authentication":
            "Melden Sie sich noch einmal mit einem zweiten Schritt an und versuchen Sie es dann erneut.",
        "device_not_found": "Dieses Gerät ist nicht mehr in Ihrer Liste.",
        "too_many_devices": "Sie haben die Höchstzahl verknüpfter Geräte erreicht. Entfernen Sie zuerst eines.",
        "identity_taken": "Diese Anmeldung ist schon mit einem anderen Konto verknüpft.",
        "too_many_identities": "Sie haben die Höchstzahl verknüpfter Anmeldungen erreicht. Entfernen Sie zuerst eine.",
        "identity_not_found": "Diese Anmeldung ist nicht mit Ihrem Konto verknüpft.",
        "last_way_in": "Nur so können Sie sich noch anmelden. Legen Sie zuerst ein Passwort fest.",
        "data_error": "Diese Zahlung kann nicht mehr bestätigt werden. Beginnen Sie sie von vorn.",
        "event_not_found": "Es gibt nichts mehr zu bestätigen. Beginnen Sie von vorn.",
        "verification_unavailable": "Auf diesem Weg können Sie gerade nicht bestätigen. Wählen Sie einen anderen.",
        "no_code_left":
            "Wir können keinen weiteren Code senden. Verwenden Sie den letzten oder bestätigen Sie auf andere Weise.",
        "already_verified": "Das haben Sie bereits bestätigt.",
        "operation_mismatch": """
        Die Anfrage zur Bestätigung passt nicht zu Ihrem Auftrag, deshalb haben wir den Vorgang gestoppt. Wenden Sie \
        sich an den Support.
        """,
        "sca_unavailable": """
        Auf diesem Gerät können Sie das noch nicht bestätigen. Verknüpfen Sie es zuerst mit Ihrem Konto oder wenden \
        Sie sich an den Support.
        """,
        "submit_sca_attempt.bad_request": """
        Das ist weder ein gültiger Code noch eine gültige PIN. Prüfen Sie Ihre Eingabe und versuchen Sie es erneut.
        """,
        "perform.pin_locked.restore": """
        Zu Ihrer Sicherheit haben wir Ihre PIN gesperrt, als der Dienst aus einer Sicherung wiederhergestellt wurde. \
        Bestätigen Sie auf andere Weise oder legen Sie eine neue PIN fest.
        """,
        "perform.pin_exhausted": """
        Auf diesem Gerät gab es in den letzten Wochen zu viele Fehlversuche, deshalb können Sie hier vorerst keine \
        PIN verwenden. Bestätigen Sie auf andere Weise.
        """,
        "perform.pin_locked": """
        Ihre PIN ist nach zu vielen Fehlversuchen gesperrt. Bestätigen Sie auf andere Weise oder legen Sie eine neue \
        PIN fest.
        """,
        "no_matching_guest": "Sie haben hier noch kein Konto. Legen Sie eines an, um fortzufahren.",
        "username_taken": "Dieser Benutzername ist vergeben. Wählen Sie einen anderen.",
        "merchant_required": "Sie arbeiten für mehrere Betriebe. Wählen Sie einen aus, um fortzufahren.",
        "app_not_installed": "Diese App ist für den Betrieb nicht eingerichtet. Fragen Sie den Inhaber.",
        "not_an_employee": "Sie sind bei diesem Betrieb nicht registriert. Fragen Sie den Inhaber.",
        "renewal_interrupted": "Beim Verlängern Ihrer Sitzung brach die Verbindung ab. Versuchen Sie es noch einmal.",
        "sign_in_interrupted": "Ihre Anmeldung wurde unterbrochen. Melden Sie sich erneut an.",
        "renewal_refused": """
        Ihre Sitzung konnte nicht verlängert werden. Versuchen Sie es später erneut. Wenn das Problem bestehen \
        bleibt, melden Sie sich ab und wieder an.
        """,
        "untrusted_connection": """
        Die Verbindung ist nicht sicher, deshalb wurde nichts gesendet. Verwenden Sie ein anderes Netz oder prüfen \
        Sie Datum und Uhrzeit Ihres Geräts.
        """,
        "unknown_state":
            "Diese Anmeldung wurde nicht in dieser App begonnen oder hat zu lange gedauert. Beginnen Sie von vorn.",
        "issuer_mismatch": """
        Die Antwort kam nicht von dem Dienst, bei dem Sie sich angemeldet haben, und wurde verworfen. Beginnen Sie \
        von vorn.
        """,
        "malformed_callback": "Vom Browser kam keine Antwort. Beginnen Sie von vorn.",
        "redirect_mismatch": """
        Der Browser hat eine unerwartete Adresse aufgerufen. Sie wurden nicht angemeldet. Beginnen Sie von vorn.
        """,
        "token_in_callback": "Mit diesem Link können Sie sich nicht anmelden. Melden Sie sich in der App an.",
        "code_already_used": "Diese Anmeldung wurde bereits verwendet. Melden Sie sich erneut an.",
        "invalid_id_token":
            "Die Antwort auf Ihre Anmeldung ist nicht vertrauenswürdig und wurde verworfen. Melden Sie sich erneut an.",
        "another_person": """
        Das ist das Konto einer anderen Person. Melden Sie sich mit dem bisherigen Konto an oder melden Sie sich \
        zuerst ab.
        """,
        "another_merchant":
            "Das gehört zu einem anderen Betrieb. Melden Sie sich zuerst ab und dann für diesen Betrieb an.",
        "token_owner_unknown":
            "Wir können nicht erkennen, zu welchem Konto diese Anmeldung gehört. Melden Sie sich erneut an.",
        "token_bound_elsewhere": "Diese Anmeldung gehört zu einem anderen Gerät. Melden Sie sich auf diesem an.",
        "pin_not_set": """
        Sie haben auf diesem Gerät noch keine PIN festgelegt. Melden Sie sich auf andere Weise an und legen Sie dann \
        eine fest.
        """,
        "pin_epoch_mismatch":
            "Ihre PIN wurde geändert. Melden Sie sich auf andere Weise an und legen Sie sie dann neu fest.",
        "pin_server_key_changed": """
        Ihre PIN kann gerade nicht sicher verwendet werden, deshalb wurde nichts gesendet. Melden Sie sich auf \
        andere Weise an und legen Sie eine neue PIN fest.
        """,
        "pin_required":
            "Geben Sie zuerst Ihre PIN ein. Danach können Sie wieder Gesicht oder Fingerabdruck verwenden.",
        "biometrics_not_enabled": """
        Die Anmeldung mit Gesicht oder Fingerabdruck ist hier nicht eingeschaltet. Melden Sie sich auf andere Weise \
        an und schalten Sie sie dann ein.
        """,
        "biometrics_locked_out": """
        Gesicht oder Fingerabdruck wurde zu oft nicht erkannt. Entsperren Sie Ihr Gerät mit seinem Code und \
        versuchen Sie es erneut.
        """,
        "presence_not_attested": """
        Auf diesem Gerät können Sie Gesicht oder Fingerabdruck nicht verwenden. Verwenden Sie Ihre PIN oder Ihr \
        Passwort.
        """,
        "unmet_authentication_requirements":
            "Dafür ist ein zweiter Schritt nötig, den Ihr Konto noch nicht hat. Richten Sie zuerst einen ein.",
        "return_url_not_registered":
            "In dieser App können Sie auf diesem Weg nicht bestätigen. Wählen Sie einen anderen.",
        "pin_malformed": "Eine PIN darf nur Ziffern enthalten. Wählen Sie eine andere.",
        "pin_too_short": "Diese PIN ist zu kurz. Wählen Sie eine längere.",
        "pin_too_long": "Diese PIN ist zu lang. Verwenden Sie höchstens 12 Ziffern.",
        "pin_too_common": "Diese PIN ist zu leicht zu erraten. Wählen Sie eine andere.",
        "device_not_enrolled": """
        Dieses Gerät ist noch nicht mit Ihrem Konto verknüpft. Melden Sie sich mit einem zweiten Schritt an und \
        verknüpfen Sie es.
        """,
        "unsupported_by_server": "Das ist hier nicht verfügbar.",
        "client_not_allowed":
            "Diese App darf das nicht. Verwenden Sie die App Ihrer Wallet oder wenden Sie sich an den Support.",
        "invalid_challenge": "Das hat zu lange gedauert. Versuchen Sie es erneut.",
        "invalid_proof": "Wir konnten dieses Gerät nicht überprüfen. Versuchen Sie es erneut.",
        "device_key_taken": "Wir konnten dieses Gerät nicht verknüpfen. Versuchen Sie es erneut.",
        "device_not_active": "Dieses Gerät ist gesperrt oder deaktiviert. Wenden Sie sich an den Support.",
        "nothing_to_verify": "Dieses Gerät muss nicht mehr bestätigt werden.",
        "account_changed":
            "Ihr Konto wurde inzwischen geändert. Melden Sie sich erneut an und versuchen Sie es dann noch einmal.",
        "nothing_to_confirm": "Es gibt nichts mehr zu bestätigen. Beginnen Sie von vorn.",
        "factor_not_found": "Diesen zweiten Schritt gibt es in Ihrem Konto nicht mehr.",
        "secret_questions_off":
            "Sicherheitsfragen werden hier nicht angeboten. Wählen Sie einen anderen zweiten Schritt.",
        "unacceptable_answers": "Wählen Sie verschiedene Fragen und geben Sie auf jede eine andere Antwort.",
        "password_too_short": "Dieses Passwort ist zu kurz. Verwenden Sie mindestens 8 Zeichen.",
        "password_too_long": "Dieses Passwort ist zu lang. Verwenden Sie höchstens 256 Zeichen.",
        "password_too_common": "Dieses Passwort ist zu leicht zu erraten. Wählen Sie ein anderes.",
        "password_breached": "Dieses Passwort ist bei einem Datenleck bekannt geworden. Wählen Sie ein anderes.",
        "password_unchanged": "Das ist Ihr aktuelles Passwort. Wählen Sie ein anderes.",
        "access_denied":
            "Diese Anmeldung wurde abgelehnt. Wenn Sie nicht wissen, warum, wenden Sie sich an den Support.",
        "invalid_grant": "Diese Anmeldung gilt nicht mehr. Melden Sie sich erneut an.",
        "invalid_token": "Dafür müssen Sie sich erneut anmelden.",
        "insufficient_scope": "Sie haben dieser App das nicht erlaubt. Melden Sie sich erneut an und erlauben Sie es.",
        "idempotency_mismatch": "Dieser Vorgang wurde bereits mit anderen Angaben begonnen. Beginnen Sie von vorn.",
        "outcome.signed_out": "Melden Sie sich an, um fortzufahren.",
        "outcome.signed_out.session_ended": "Ihre Sitzung wurde beendet. Melden Sie sich wieder an.",
        "outcome.signed_out.token_expired": "Ihre Sitzung ist abgelaufen. Melden Sie sich wieder an.",
        "outcome.signed_out.replaced_by_another_sign_in": """
        Inzwischen hat sich jemand angemeldet, deshalb wurde der Vorgang nicht ausgeführt. Prüfen Sie, welches Konto \
        angemeldet ist, und versuchen Sie es erneut.
        """,
        "outcome.signed_out.apple_credential_revoked":
            "Sie verwenden Ihren Apple Account nicht mehr mit dieser App. Melden Sie sich wieder an.",
        "outcome.temporarily_unavailable": "Das geht gerade nicht. Versuchen Sie es gleich noch einmal.",
        "outcome.temporarily_unavailable.minutes":
            "Das geht gerade nicht. Versuchen Sie es in {minutes} Minuten erneut.",
        "outcome.offline": "Sie sind offline. Prüfen Sie Ihre Verbindung und versuchen Sie es erneut.",
        "outcome.key_lost": "Dieses Gerät muss neu eingerichtet werden. Melden Sie sich wieder an.",
        "outcome.key_lost.enroll_again":
            "Dieses Gerät muss neu eingerichtet werden. Melden Sie sich an und verknüpfen Sie es dann erneut.",
        "outcome.key_lost.set_pin_again":
            "Sie müssen Ihre PIN auf diesem Gerät neu festlegen. Melden Sie sich zuerst mit einem zweiten Schritt an.",
        "outcome.key_lost.enable_biometrics_again": """
        Die auf diesem Gerät hinterlegten Gesichter oder Fingerabdrücke haben sich geändert. Melden Sie sich auf \
        andere Weise an und schalten Sie die Funktion dann wieder ein.
        """,
        "outcome.store_unavailable":
            "Der sichere Speicher dieses Geräts ist gerade nicht verfügbar. Versuchen Sie es erneut.",
        "outcome.store_unavailable.locked": "Entsperren Sie Ihr Gerät und versuchen Sie es erneut.",
        "outcome.store_unavailable.full":
            "Auf diesem Gerät ist kein Speicherplatz mehr frei. Schaffen Sie Platz und versuchen Sie es erneut.",
        "outcome.refused": "Das hat nicht geklappt. Beginnen Sie von vorn.",
        "outcome.misconfigured":
            "Die App kann das zurzeit nicht. Aktualisieren Sie die App oder wenden Sie sich an den Support.",
    ]
}
