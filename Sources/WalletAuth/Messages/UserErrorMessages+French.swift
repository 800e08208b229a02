extension UserErrorMessages {
    static let french: [Key: String] = [
        "invalid_credentials": "Cela ne correspond pas. Vérifiez votre saisie et réessayez.",
        "login_by_username_password.invalid_credentials": """
        Les informations saisies ne sont pas exactes. Vérifiez-les et réessayez. Après plusieurs essais, attendez \
        d’abord un peu.
        """,
        "login_by_pin.invalid_credentials": "Le code PIN n’est pas exact. Après cinq codes erronés, il est bloqué.",
        "login_by_nonce.invalid_credentials":
            "Cette connexion n’est plus valable. Recommencez là d’où vous êtes venu.",
        "login_by_federated_identity.invalid_credentials": """
        La connexion auprès de ce fournisseur n’a pas abouti. Réessayez ou choisissez une autre façon de vous \
        connecter.
        """,
        "login_by_apple.invalid_credentials":
            "La connexion avec Apple n’a pas abouti. Réessayez ou choisissez une autre façon de vous connecter.",
        "change_password.invalid_credentials": "Le mot de passe actuel n’est pas exact.",
        "recovery_code_required":
            "Nous avons envoyé un code, si nous connaissons ce nom et pouvons joindre son titulaire. Saisissez-le.",
        "recovery_unavailable":
            "La récupération n’est pas possible ici. Essayez sur un appareil lié à votre compte, ou contactez l’assistance.",
        "recovery_cooling": """
        Pour votre sécurité, cela ne peut pas encore être modifié, car le mot de passe a été récupéré. Réessayez \
        dans un jour.
        """,
        "recover.invalid_credentials":
            "Le code n’est pas exact ou trop ancien. Vérifiez-le ou recommencez.",
        "mfa_required": "Confirmez votre identité par une seconde étape.",
        "wallet_deactivated": "Votre portefeuille est désactivé. Contactez l’assistance pour le faire rouvrir.",
        "device_deactivated": """
        Cet appareil est désactivé après trop d’essais manqués. Choisissez ici « Mot de passe oublié ? » ou contactez \
        l’assistance.
        """,
        "device_suspended": "Cet appareil est suspendu. Contactez l’assistance.",
        "pin_locked.restore": """
        Par sécurité, votre code PIN a été bloqué lorsque le service a été restauré à partir d’une sauvegarde. Connectez-vous \
        avec votre mot de passe et choisissez un nouveau code PIN.
        """,
        "pin_exhausted": """
        Il y a eu trop d’essais erronés sur cet appareil ces dernières semaines : le code PIN y est désactivé pour le \
        moment. Connectez-vous avec votre mot de passe. Pour y utiliser à nouveau un code PIN, associez de nouveau \
        cet appareil.
        """,
        "pin_locked": """
        Le code PIN est bloqué après trop d’essais erronés. Connectez-vous avec votre mot de passe et choisissez \
        un nouveau code PIN.
        """,
        "email_unverified":
            "Confirmez d’abord votre adresse électronique. Nous vous avons envoyé un message avec un code.",
        "password_change_required": "Votre mot de passe a expiré. Choisissez-en un nouveau.",
        "app_instance_unverified":
            "Confirmez cette installation de l’application avec le code que nous vous avons envoyé.",
        "device_authentication_unsupported":
            "Rester connecté n’est pas possible pour cette application ou ce compte.",
        "device_token_expired": """
        La durée pendant laquelle vous restez connecté est écoulée. Connectez-vous avec votre mot de passe pour la \
        renouveler.
        """,
        "token_already_expired": "L’option de rester connecté était déjà désactivée.",
        "no_device_token": "L’option de rester connecté n’est pas activée. Connectez-vous avec votre mot de passe.",
        "not_signed_in": "Vous n’êtes pas connecté.",
        "bad_request": "Votre saisie contient quelque chose d’incorrect. Vérifiez-la et réessayez.",
        "server_error": "Une erreur s’est produite de notre côté. Réessayez dans un instant.",
        "server_error.trace": """
        Une erreur s’est produite de notre côté. Réessayez dans un instant. Si elle persiste, indiquez ce numéro à \
        l’assistance : {trace}
        """,
        "invalid_code": "Le code est erroné ou trop ancien. Vérifiez-le ou demandez-en un nouveau.",
        "invalid_session": "Cela a pris trop de temps. Recommencez.",
        "insufficient_user_authentication":
            "Connectez-vous de nouveau avec une seconde étape, puis répétez cette action.",
        "device_not_found": "Cet appareil ne figure plus dans votre liste.",
        "too_many_devices": "Vous avez autant d’appareils qu’un compte peut en avoir. Retirez-en d’abord un.",
        "identity_taken": "Cette connexion appartient déjà à un autre compte.",
        "too_many_identities": "Votre compte a autant de connexions qu’il peut en avoir. Retirez-en d’abord une.",
        "identity_not_found": "Cette connexion n’est pas associée à votre compte.",
        "last_way_in": "Vous ne pourriez plus vous connecter. Choisissez d’abord un mot de passe.",
        "data_error": "Ce paiement ne peut plus être confirmé. Recommencez-le.",
        "event_not_found": "Il n’y a plus rien à confirmer. Recommencez.",
        "verification_unavailable": "Vous ne pouvez pas confirmer ainsi pour le moment. Choisissez un autre moyen.",
        "no_code_left": "Aucun autre code ne peut être envoyé. Utilisez le dernier ou un autre moyen.",
        "already_verified": "Vous avez déjà confirmé.",
        "operation_mismatch": """
        Ce que vous deviez confirmer n’est pas ce que vous avez demandé ; cela a été arrêté. Contactez \
        l’assistance.
        """,
        "sca_unavailable":
            "Vous ne pouvez pas encore confirmer sur cet appareil. Configurez-le d’abord ou contactez l’assistance.",
        "submit_sca_attempt.bad_request": "Ce n’est ni un code ni un PIN. Vérifiez votre saisie.",
        "perform.pin_locked.restore": """
        Par sécurité, votre code PIN a été bloqué lorsque le service a été restauré à partir d’une sauvegarde. Confirmez \
        autrement ou choisissez un nouveau code PIN.
        """,
        "perform.pin_exhausted": """
        Il y a eu trop d’essais erronés sur cet appareil ces dernières semaines : le code PIN y est désactivé pour le \
        moment. Confirmez autrement.
        """,
        "perform.pin_locked":
            "Le PIN est bloqué après trop d’essais erronés. Confirmez autrement ou choisissez un nouveau PIN.",
        "no_matching_guest": "Vous n’avez pas encore de compte ici. Créez-en un pour continuer.",
        "username_taken": "Ce nom d’utilisateur est déjà pris. Choisissez-en un autre.",
        "merchant_required": "Vous travaillez pour plusieurs établissements. Choisissez-en un pour continuer.",
        "app_not_installed":
            "Cette application n’est pas installée pour l’établissement. Adressez-vous à son responsable.",
        "not_an_employee": "Vous n’êtes pas enregistré auprès de cet établissement. Adressez-vous à son responsable.",
        "sign_in_interrupted": "Votre connexion a été interrompue. Connectez-vous de nouveau.",
        "renewal_refused":
            "Votre session n’a pas pu être prolongée. Réessayez plus tard. Si le problème persiste, déconnectez-vous, puis reconnectez-vous.",
        "untrusted_connection": """
        La connexion n’est pas sûre, rien n’a donc été envoyé. Utilisez un autre réseau ou vérifiez la date et \
        l’heure de l’appareil.
        """,
        "unknown_state":
            "Cette connexion n’a pas commencé dans cette application ou a pris trop de temps. Recommencez.",
        "issuer_mismatch":
            "La réponse ne vient pas de là où vous vous êtes connecté ; elle n’a pas été utilisée. Recommencez.",
        "malformed_callback": "Le navigateur est revenu sans réponse. Recommencez.",
        "redirect_mismatch":
            "Le navigateur est revenu à un autre endroit que prévu ; vous n’avez pas été connecté. Recommencez.",
        "token_in_callback": "Ce lien ne permet pas de se connecter. Connectez-vous depuis l’application.",
        "code_already_used": "Cette connexion a déjà servi. Connectez-vous de nouveau.",
        "invalid_id_token":
            "La réponse à votre connexion n’est pas fiable ; elle n’a pas été utilisée. Connectez-vous de nouveau.",
        "another_person": """
        C’est le compte d’une autre personne. Connectez-vous avec le compte utilisé jusqu’ici ou déconnectez-vous \
        d’abord.
        """,
        "another_merchant":
            "Cela concerne un autre établissement. Déconnectez-vous d’abord, puis connectez-vous pour celui-ci.",
        "token_owner_unknown": "Impossible de savoir à qui appartient cette connexion. Connectez-vous de nouveau.",
        "token_bound_elsewhere": "Cette connexion appartient à un autre appareil. Connectez-vous sur celui-ci.",
        "pin_not_set":
            "Vous n’avez pas encore de code PIN sur cet appareil. Connectez-vous autrement, puis choisissez-en un.",
        "pin_epoch_mismatch": "Votre code PIN a été modifié. Connectez-vous autrement, puis choisissez-en un nouveau.",
        "pin_server_key_changed": """
        Votre code PIN ne peut pas être utilisé de façon sûre ; rien n’a été envoyé. Connectez-vous autrement et \
        choisissez un nouveau code PIN.
        """,
        "biometrics_not_enabled":
            "Le visage ou l’empreinte n’est pas activé ici. Connectez-vous autrement, puis activez-le.",
        "biometrics_locked_out": """
        Le visage ou l’empreinte n’a pas été reconnu trop souvent. Déverrouillez votre appareil avec son code, puis \
        réessayez.
        """,
        "presence_not_attested": """
        Le visage ou l’empreinte ne peut pas être utilisé sur cet appareil. Utilisez votre code PIN ou votre mot de \
        passe.
        """,
        "unmet_authentication_requirements":
            "Cela demande une seconde étape que votre compte n’a pas encore. Configurez-en d’abord une.",
        "return_url_not_registered":
            "Vous ne pouvez pas confirmer ainsi dans cette application. Choisissez un autre moyen.",
        "pin_malformed": "Un code PIN ne contient que des chiffres. Choisissez-en un autre.",
        "pin_too_short": "Ce code PIN est trop court. Choisissez-en un plus long.",
        "pin_too_long": "Ce code PIN est trop long. Il peut avoir 12 chiffres au plus.",
        "pin_too_common": "Ce code PIN est facile à deviner. Choisissez-en un autre.",
        "device_not_enrolled":
            "Cet appareil n’est pas encore lié à votre compte. Connectez-vous avec une seconde étape et liez-le.",
        "unsupported_by_server": "Ce n’est pas disponible ici.",
        "client_not_allowed": """
        Cette application n’y est pas autorisée. Utilisez l’application de votre portefeuille ou contactez \
        l’assistance.
        """,
        "invalid_challenge": "Cela a pris trop de temps. Réessayez.",
        "invalid_proof": "Cet appareil n’a pas pu prouver son identité. Réessayez.",
        "device_key_taken": "Cet appareil n’a pas pu être lié. Réessayez.",
        "device_not_active": "Cet appareil est suspendu ou désactivé. Contactez l’assistance.",
        "nothing_to_verify": "Cet appareil n’a plus besoin d’être confirmé.",
        "account_changed":
            "Votre compte a été modifié entre-temps. Connectez-vous de nouveau, puis répétez cette action.",
        "nothing_to_confirm": "Il n’y a plus rien à confirmer. Recommencez.",
        "factor_not_found": "Votre compte n’a plus cette seconde étape.",
        "secret_questions_off":
            "Les questions de sécurité ne sont pas proposées ici. Choisissez une autre seconde étape.",
        "unacceptable_answers": "Choisissez des questions différentes et donnez à chacune sa propre réponse.",
        "password_too_short": "Ce mot de passe est trop court. Utilisez au moins 8 caractères.",
        "password_too_long": "Ce mot de passe est trop long. Utilisez 256 caractères au plus.",
        "password_too_common": "Ce mot de passe est facile à deviner. Choisissez-en un autre.",
        "password_breached": "Ce mot de passe figure dans une fuite de données. Choisissez-en un autre.",
        "password_unchanged": "C’est votre mot de passe actuel. Choisissez-en un nouveau.",
        "access_denied": "Cette connexion a été refusée. Si vous ne savez pas pourquoi, contactez l’assistance.",
        "invalid_grant": "Cette connexion n’est plus valable. Connectez-vous de nouveau.",
        "invalid_token": "Pour cela, vous devez vous connecter de nouveau.",
        "insufficient_scope":
            "Vous n’avez pas autorisé cette application à le faire. Connectez-vous de nouveau et autorisez-la.",
        "idempotency_mismatch": "Cela avait été commencé autrement. Recommencez.",
        "outcome.signed_out": "Connectez-vous pour continuer.",
        "outcome.signed_out.session_ended": "Votre session est terminée. Connectez-vous de nouveau.",
        "outcome.signed_out.token_expired": "Votre session est terminée. Connectez-vous de nouveau.",
        "outcome.signed_out.replaced_by_another_sign_in":
            "Quelqu’un s’est connecté entre-temps, cela n’a donc pas été fait. Vérifiez qui est connecté et réessayez.",
        "outcome.signed_out.apple_credential_revoked":
            "Vous n’utilisez plus votre compte Apple avec cette app. Reconnectez-vous.",
        "outcome.temporarily_unavailable": "Ce n’est pas possible pour le moment. Réessayez dans un instant.",
        "outcome.temporarily_unavailable.minutes":
            "Ce n’est pas possible pour le moment. Réessayez dans {minutes} minutes.",
        "outcome.offline": "Il n’y a pas de connexion. Vérifiez votre réseau et réessayez.",
        "outcome.key_lost": "Cet appareil doit être configuré de nouveau. Reconnectez-vous.",
        "outcome.key_lost.enroll_again":
            "Cet appareil doit être configuré de nouveau. Connectez-vous, puis ajoutez-le une nouvelle fois.",
        "outcome.key_lost.set_pin_again": """
        Votre code PIN doit être choisi de nouveau sur cet appareil. Connectez-vous d’abord avec une seconde étape.
        """,
        "outcome.key_lost.enable_biometrics_again":
            "Le visage ou l’empreinte de cet appareil a changé. Connectez-vous autrement, puis activez-le de nouveau.",
        "outcome.store_unavailable":
            "Le stockage sécurisé de l’appareil n’est pas accessible pour le moment. Réessayez.",
        "outcome.store_unavailable.locked": "Déverrouillez votre appareil et réessayez.",
        "outcome.store_unavailable.full": "Il n’y a plus de place sur cet appareil. Libérez-en et réessayez.",
        "outcome.refused": "Cela n’a pas été possible. Recommencez.",
        "outcome.misconfigured":
            "L’application ne peut pas faire cela actuellement. Mettez-la à jour ou contactez l’assistance.",
    ]
}
