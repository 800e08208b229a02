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
        "perform.pin_locked":
            "Le PIN est bloqué après trop d’essais erronés. Confirmez autrement ou choisissez un nouveau PIN.",
        "no_matching_guest": "Vous n’avez pas encore de compte ici. Créez-en un pour continuer.",
        "username_taken": "Ce nom d’utilisateur est déjà pris. Choisissez-en un autre.",
        "merchant_required": "Vous travaillez pour plusieurs établissements. Choisissez-en un pour continuer.",
        "app_not_installed":
            "Cette application n’est pas installée pour l’établissement. Adressez-vous à son responsable.",
        "not_an_employee": "Vous n’êtes pas enregistré auprès de cet établissement. Adressez-vous à son responsable.",
        "sign_in_interrupted": "La connexion a été coupée pendant votre identification. Connectez-vous de nouveau.",
        "untrusted_connection": """
        La connexion n’est pas sûre, rien n’a donc été envoyé. Utilisez un autre réseau ou vérifiez la date et \
        l’heure de l’appareil.
        """,
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
        "outcome.store_unavailable":
            "Le stockage sécurisé de l’appareil n’est pas accessible pour le moment. Réessayez.",
        "outcome.store_unavailable.locked": "Déverrouillez votre appareil et réessayez.",
        "outcome.store_unavailable.full": "Il n’y a plus de place sur cet appareil. Libérez-en et réessayez.",
        "outcome.refused": "Cela n’a pas été possible. Recommencez.",
        "outcome.misconfigured":
            "L’application ne peut pas faire cela actuellement. Mettez-la à jour ou contactez l’assistance.",
    ]
}
