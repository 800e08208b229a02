extension UserErrorMessages {
    static let french: [Key: String] = [
        "invalid_credentials": "Les informations saisies ne correspondent pas. Vérifiez-les et réessayez.",
        "invalid_credentials.answer":
            "Ce n’est pas correct ou cela a expiré. Vérifiez votre saisie ou demandez un nouveau code.",
        "login_by_username_password.invalid_credentials": """
        Le nom d’utilisateur ou le mot de passe est incorrect. Vérifiez les deux et réessayez. Après plusieurs \
        tentatives, patientez d’abord quelques minutes.
        """,
        "login_by_pin.invalid_credentials": "Le code PIN est incorrect. Après cinq essais infructueux, il est bloqué.",
        "login_by_account_pin.invalid_credentials": """
        Le nom d’utilisateur ou le code PIN est incorrect. Vérifiez les deux et réessayez. Après cinq essais \
        infructueux, le code PIN est bloqué\u{A0}: connectez-vous alors avec votre mot de passe.
        """,
        "login_by_account_pin.password_change_required":
            "Votre mot de passe a expiré. Connectez-vous avec ce mot de passe et choisissez-en un nouveau.",
        "login_by_nonce.invalid_credentials":
            "Cette connexion n’est plus valable. Revenez en arrière et recommencez.",
        "login_by_federated_identity.invalid_credentials":
            "La connexion avec ce fournisseur n’a pas abouti. Réessayez ou connectez-vous autrement.",
        "login_by_apple.invalid_credentials":
            "La connexion avec Apple n’a pas abouti. Réessayez ou connectez-vous autrement.",
        "change_password.invalid_credentials": "Votre mot de passe actuel est incorrect.",
        "recovery_code_required": """
        Si le compte existe et que nous pouvons joindre son titulaire, nous avons envoyé un code. Saisissez-le ici.
        """,
        "recovery_unavailable": """
        Ce compte ne peut pas être récupéré ici. Utilisez un appareil lié à votre compte ou contactez l’assistance.
        """,
        "recovery_cooling": """
        Le mot de passe a été récupéré récemment. Pour votre sécurité, cette modification n’est pas encore possible. \
        Réessayez dans un jour.
        """,
        "recover.invalid_credentials": "Le code est incorrect ou a expiré. Vérifiez-le ou recommencez.",
        "mfa_required": "Confirmez que c’est bien vous par une seconde étape.",
        "wallet_deactivated": "Votre portefeuille a été désactivé. Contactez l’assistance pour le faire réactiver.",
        "device_deactivated": """
        Cet appareil a été désactivé après trop d’essais infructueux. Choisissez ici \
        «\u{A0}Mot de passe oublié\u{A0}?\u{A0}» ou contactez l’assistance.
        """,
        "device_suspended": "Cet appareil est suspendu. Contactez l’assistance.",
        "pin_locked.restore": """
        Pour votre sécurité, nous avons bloqué votre code PIN lors de la restauration du service à partir d’une \
        sauvegarde. Connectez-vous avec votre mot de passe et choisissez un nouveau code PIN.
        """,
        "pin_exhausted": """
        Il y a eu trop d’essais infructueux sur cet appareil ces dernières semaines. Vous ne pouvez pas y utiliser \
        de code PIN pour le moment. Connectez-vous avec votre mot de passe. Pour retrouver un code PIN plus tôt, \
        liez de nouveau cet appareil.
        """,
        "pin_locked": """
        Votre code PIN est bloqué après trop d’essais infructueux. Connectez-vous avec votre mot de passe et \
        choisissez un nouveau code PIN.
        """,
        "email_unverified": "Confirmez d’abord votre adresse e-mail. Nous vous avons envoyé un code.",
        "password_change_required": "Votre mot de passe a expiré. Choisissez-en un nouveau.",
        "app_instance_unverified":
            "Confirmez cette installation de l’application avec le code que nous vous avons envoyé.",
        "login_strategy_unavailable":
            "Vous ne pouvez pas vous connecter ici de cette façon. Connectez-vous avec votre mot de passe.",
        "device_authentication_unsupported": "Cette application ou ce compte ne permet pas de rester connecté.",
        "device_token_expired":
            "Votre session a expiré. Connectez-vous avec votre mot de passe pour rester de nouveau connecté.",
        "token_already_expired": "L’option «\u{A0}Rester connecté\u{A0}» est déjà désactivée.",
        "no_device_token":
            "L’option «\u{A0}Rester connecté\u{A0}» n’est pas activée. Connectez-vous avec votre mot de passe.",
        "not_signed_in": "Vous n’êtes pas connecté.",
        "bad_request": "L’une des informations saisies n’est pas valide. Vérifiez-la et réessayez.",
        "server_error": "Une erreur s’est produite de notre côté. Réessayez dans un instant.",
        "server_error.trace": """
        Une erreur s’est produite de notre côté. Réessayez dans un instant. Si le problème persiste, contactez \
        l’assistance en indiquant cette référence\u{A0}: {trace}
        """,
        "invalid_code": "Le code est incorrect ou a expiré. Vérifiez-le ou demandez-en un nouveau.",
        "invalid_session": "Le délai est dépassé. Recommencez.",
        "insufficient_user_authentication": "Connectez-vous de nouveau avec une seconde étape, puis réessayez.",
        "device_not_found": "Cet appareil ne figure plus dans votre liste.",
        "too_many_devices": "Vous avez atteint le nombre maximal d’appareils liés. Retirez-en d’abord un.",
        "identity_taken": "Cette connexion est déjà associée à un autre compte.",
        "too_many_identities": "Vous avez atteint le nombre maximal de connexions associées. Retirez-en d’abord une.",
        "identity_not_found": "Cette connexion n’est pas associée à votre compte.",
        "last_way_in": "C’est votre seul moyen de vous connecter. Définissez d’abord un mot de passe.",
        "data_error": "Ce paiement ne peut plus être confirmé. Recommencez.",
        "event_not_found": "Il n’y a plus rien à confirmer. Recommencez.",
        "verification_unavailable":
            "Vous ne pouvez pas confirmer de cette façon pour le moment. Choisissez un autre moyen.",
        "no_code_left": "Nous ne pouvons plus envoyer de code. Utilisez le dernier ou confirmez autrement.",
        "already_verified": "Vous avez déjà confirmé.",
        "operation_mismatch": """
        La demande de confirmation ne correspond pas à votre opération\u{A0}: nous l’avons arrêtée. Contactez \
        l’assistance.
        """,
        "sca_unavailable": """
        Vous ne pouvez pas encore confirmer sur cet appareil. Liez-le d’abord à votre compte ou contactez \
        l’assistance.
        """,
        "submit_sca_attempt.bad_request":
            "Ce n’est ni un code ni un code PIN valide. Vérifiez votre saisie et réessayez.",
        "perform.pin_locked.restore": """
        Pour votre sécurité, nous avons bloqué votre code PIN lors de la restauration du service à partir d’une \
        sauvegarde. Confirmez autrement ou choisissez un nouveau code PIN.
        """,
        "perform.pin_exhausted": """
        Il y a eu trop d’essais infructueux sur cet appareil ces dernières semaines. Vous ne pouvez pas y utiliser \
        de code PIN pour le moment. Confirmez autrement.
        """,
        "perform.pin_locked": """
        Votre code PIN est bloqué après trop d’essais infructueux. Confirmez autrement ou choisissez un nouveau code \
        PIN.
        """,
        "no_matching_guest": "Vous n’avez pas encore de compte ici. Créez-en un pour continuer.",
        "username_taken": "Ce nom d’utilisateur est déjà pris. Choisissez-en un autre.",
        "merchant_required": "Vous travaillez pour plusieurs établissements. Choisissez-en un pour continuer.",
        "app_not_installed":
            "Cette application n’est pas configurée pour l’établissement. Adressez-vous à son responsable.",
        "not_an_employee": "Vous n’êtes pas enregistré auprès de cet établissement. Adressez-vous à son responsable.",
        "renewal_interrupted": "La connexion a été coupée pendant le renouvellement de votre session. Réessayez.",
        "sign_in_interrupted": "Votre connexion a été interrompue. Connectez-vous de nouveau.",
        "renewal_refused": """
        Votre session n’a pas pu être prolongée. Réessayez plus tard. Si le problème persiste, déconnectez-vous, \
        puis reconnectez-vous.
        """,
        "untrusted_connection": """
        La connexion n’est pas sécurisée\u{A0}: rien n’a été envoyé. Utilisez un autre réseau ou vérifiez la date et \
        l’heure de votre appareil.
        """,
        "unknown_state":
            "Cette connexion n’a pas été lancée dans cette application ou a pris trop de temps. Recommencez.",
        "issuer_mismatch":
            "La réponse ne provient pas du service où vous vous êtes connecté\u{A0}: elle a été ignorée. Recommencez.",
        "malformed_callback": "Le navigateur n’a renvoyé aucune réponse. Recommencez.",
        "redirect_mismatch":
            "Le navigateur a ouvert une adresse inattendue\u{A0}: vous n’avez pas été connecté. Recommencez.",
        "token_in_callback": "Ce lien ne permet pas de se connecter. Connectez-vous depuis l’application.",
        "code_already_used": "Cette connexion a déjà été utilisée. Connectez-vous de nouveau.",
        "invalid_id_token":
            "La réponse à votre connexion n’est pas fiable\u{A0}: elle a été ignorée. Connectez-vous de nouveau.",
        "another_person": """
        C’est le compte d’une autre personne. Connectez-vous avec le compte utilisé jusqu’ici ou déconnectez-vous \
        d’abord.
        """,
        "another_merchant":
            "Cela concerne un autre établissement. Déconnectez-vous d’abord, puis connectez-vous pour celui-ci.",
        "token_owner_unknown":
            "Impossible de savoir à quel compte appartient cette connexion. Connectez-vous de nouveau.",
        "token_bound_elsewhere": "Cette connexion appartient à un autre appareil. Connectez-vous sur celui-ci.",
        "pin_not_set": """
        Vous n’avez pas encore défini de code PIN sur cet appareil. Connectez-vous autrement, puis choisissez-en un.
        """,
        "pin_epoch_mismatch": "Votre code PIN a été modifié. Connectez-vous autrement, puis définissez-le de nouveau.",
        "pin_server_key_changed": """
        Votre code PIN ne peut pas être utilisé en toute sécurité pour le moment\u{A0}: rien n’a été envoyé. \
        Connectez-vous autrement et choisissez un nouveau code PIN.
        """,
        "pin_required":
            "Saisissez d’abord votre code PIN. Vous pourrez ensuite réutiliser votre visage ou votre empreinte.",
        "biometrics_not_enabled": """
        La connexion par reconnaissance faciale ou empreinte n’est pas activée ici. Connectez-vous autrement, puis \
        activez-la.
        """,
        "biometrics_locked_out": """
        Votre visage ou votre empreinte n’a pas été reconnu à plusieurs reprises. Déverrouillez votre appareil avec \
        son code et réessayez.
        """,
        "presence_not_attested": """
        Vous ne pouvez pas utiliser la reconnaissance faciale ou l’empreinte sur cet appareil. Utilisez votre code \
        PIN ou votre mot de passe.
        """,
        "unmet_authentication_requirements":
            "Cela nécessite une seconde étape que votre compte n’a pas encore. Configurez-en d’abord une.",
        "return_url_not_registered":
            "Cette application ne permet pas de confirmer de cette façon. Choisissez un autre moyen.",
        "pin_malformed": "Un code PIN ne contient que des chiffres. Choisissez-en un autre.",
        "pin_too_short": "Ce code PIN est trop court. Choisissez-en un plus long.",
        "pin_too_long": "Ce code PIN est trop long. Utilisez 12 chiffres au maximum.",
        "pin_too_common": "Ce code PIN est trop facile à deviner. Choisissez-en un autre.",
        "device_not_enrolled":
            "Cet appareil n’est pas encore lié à votre compte. Connectez-vous avec une seconde étape et liez-le.",
        "unsupported_by_server": "Ce n’est pas disponible ici.",
        "client_not_allowed": """
        Cette application n’y est pas autorisée. Utilisez l’application de votre portefeuille ou contactez \
        l’assistance.
        """,
        "invalid_challenge": "Le délai est dépassé. Réessayez.",
        "invalid_proof": "Nous n’avons pas pu vérifier cet appareil. Réessayez.",
        "device_key_taken": "Nous n’avons pas pu lier cet appareil. Réessayez.",
        "device_not_active": "Cet appareil est suspendu ou désactivé. Contactez l’assistance.",
        "nothing_to_verify": "Cet appareil n’a plus besoin d’être confirmé.",
        "account_changed": "Votre compte a été modifié entre-temps. Connectez-vous de nouveau, puis réessayez.",
        "nothing_to_confirm": "Il n’y a plus rien à confirmer. Recommencez.",
        "factor_not_found": "Votre compte n’a plus cette seconde étape.",
        "secret_questions_off": "Les questions secrètes ne sont pas proposées ici. Choisissez une autre seconde étape.",
        "unacceptable_answers": "Choisissez des questions différentes et donnez à chacune sa propre réponse.",
        "password_too_short": "Ce mot de passe est trop court. Utilisez au moins 8 caractères.",
        "password_too_long": "Ce mot de passe est trop long. Utilisez 256 caractères au maximum.",
        "password_too_common": "Ce mot de passe est trop facile à deviner. Choisissez-en un autre.",
        "password_breached": "Ce mot de passe a été divulgué lors d’une fuite de données. Choisissez-en un autre.",
        "password_unchanged": "C’est votre mot de passe actuel. Choisissez-en un autre.",
        "access_denied": "Cette connexion a été refusée. Si vous ne savez pas pourquoi, contactez l’assistance.",
        "invalid_grant": "Cette connexion n’est plus valable. Connectez-vous de nouveau.",
        "invalid_token": "Pour cela, vous devez vous connecter de nouveau.",
        "insufficient_scope":
            "Vous n’avez pas autorisé cette application à le faire. Connectez-vous de nouveau et autorisez-la.",
        "idempotency_mismatch": "Cette opération a déjà été commencée avec d’autres informations. Recommencez.",
        "outcome.signed_out": "Connectez-vous pour continuer.",
        "outcome.signed_out.session_ended": "Votre session est terminée. Connectez-vous de nouveau.",
        "outcome.signed_out.token_expired": "Votre session a expiré. Connectez-vous de nouveau.",
        "outcome.signed_out.replaced_by_another_sign_in": """
        Quelqu’un s’est connecté entre-temps\u{A0}: l’opération n’a pas été effectuée. Vérifiez quel compte est \
        connecté et réessayez.
        """,
        "outcome.signed_out.apple_credential_revoked":
            "Vous n’utilisez plus votre compte Apple avec cette application. Connectez-vous de nouveau.",
        "outcome.temporarily_unavailable": "Ce n’est pas possible pour le moment. Réessayez dans un instant.",
        "outcome.temporarily_unavailable.minutes":
            "Ce n’est pas possible pour le moment. Réessayez dans {minutes} minutes.",
        "outcome.offline": "Vous êtes hors ligne. Vérifiez votre connexion et réessayez.",
        "outcome.key_lost": "Cet appareil doit être configuré de nouveau. Reconnectez-vous.",
        "outcome.key_lost.enroll_again":
            "Cet appareil doit être configuré de nouveau. Connectez-vous, puis liez-le de nouveau.",
        "outcome.key_lost.set_pin_again": """
        Vous devez définir de nouveau votre code PIN sur cet appareil. Connectez-vous d’abord avec une seconde \
        étape.
        """,
        "outcome.key_lost.enable_biometrics_again": """
        Les visages ou les empreintes enregistrés sur cet appareil ont changé. Connectez-vous autrement, puis \
        réactivez cette option.
        """,
        "outcome.store_unavailable":
            "Le stockage sécurisé de cet appareil n’est pas disponible pour le moment. Réessayez.",
        "outcome.store_unavailable.locked": "Déverrouillez votre appareil et réessayez.",
        "outcome.store_unavailable.full":
            "L’espace de stockage de cet appareil est plein. Libérez de la place et réessayez.",
        "outcome.refused": "Cela n’a pas fonctionné. Recommencez.",
        "outcome.misconfigured":
            "L’application ne peut pas faire cela actuellement. Mettez-la à jour ou contactez l’assistance.",
    ]
}
