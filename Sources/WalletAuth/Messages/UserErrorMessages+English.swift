extension UserErrorMessages {
    static let english: [Key: String] = [
        "invalid_credentials": "That did not match. Check what you entered and try again.",
        "login_by_username_password.invalid_credentials": """
        The details you entered are not right. Check them and try again. If you tried several times, wait a little \
        first.
        """,
        "login_by_pin.invalid_credentials": "The PIN is not right. After five wrong PINs it is locked.",
        "login_by_nonce.invalid_credentials": "This sign-in is no longer valid. Start again where you came from.",
        "login_by_federated_identity.invalid_credentials":
            "Signing in with this provider did not work. Try again, or choose another way to sign in.",
        "login_by_apple.invalid_credentials":
            "Signing in with Apple did not work. Try again, or choose another way to sign in.",
        "change_password.invalid_credentials": "The present password is not right.",
        "recovery_code_required":
            "We have sent a code, if we know this name and can reach its owner. Enter it.",
        "recovery_unavailable":
            "This cannot be recovered here. Try on a device that is linked to your account, or contact support.",
        "recovery_cooling":
            "For your safety this cannot be changed yet, since the password was recovered. Try again in a day.",
        "recover.invalid_credentials":
            "The code is not right, or too old. Check it, or start again.",
        "mfa_required": "Confirm that it is you with a second step.",
        "wallet_deactivated": "Your wallet is deactivated. Contact support to have it opened again.",
        "device_deactivated":
            "This device is deactivated after too many failed tries. Choose “Forgot your password?” here, or contact support.",
        "device_suspended": "This device is suspended. Contact support.",
        "pin_locked.restore": """
        For your safety your PIN was locked when the service was restored from a backup. Sign in with your password and set a \
        new PIN.
        """,
        "pin_exhausted": """
        There were too many wrong tries on this device in the last weeks, so PINs are off here for now. Sign in with your password. To \
        use a PIN here again, link this device again.
        """,
        "pin_locked": "The PIN is locked after too many wrong tries. Sign in with your password and set a new PIN.",
        "email_unverified": "Confirm your e-mail address first. We have sent you a message with a code.",
        "password_change_required": "Your password has expired. Choose a new one.",
        "app_instance_unverified": "Confirm this installation of the app with the code that we have sent you.",
        "device_authentication_unsupported": "Staying signed in is not available for this app or account.",
        "device_token_expired": "Staying signed in has run out. Sign in with your password to turn it on again.",
        "token_already_expired": "Staying signed in was turned off already.",
        "no_device_token": "Staying signed in is not turned on. Sign in with your password.",
        "not_signed_in": "You are not signed in.",
        "bad_request": "Something in what you entered cannot be right. Check it and try again.",
        "server_error": "Something went wrong on our side. Try again in a moment.",
        "server_error.trace":
            "Something went wrong on our side. Try again in a moment. If this keeps happening, give support this number: {trace}",
        "invalid_code": "The code is wrong or too old. Check it, or ask for a new one.",
        "invalid_session": "That took too long. Start again.",
        "insufficient_user_authentication": "Sign in again with a second step, then repeat this.",
        "device_not_found": "This device is not in your list any more.",
        "too_many_devices": "You have as many devices as an account may have. Remove one first.",
        "identity_taken": "This sign-in belongs to another account already.",
        "too_many_identities": "You have joined as many sign-ins as an account may have. Remove one first.",
        "identity_not_found": "This sign-in is not joined to your account.",
        "last_way_in": "You could not sign in any more. Set a password first.",
        "data_error": "This payment can no longer be confirmed. Start it again.",
        "event_not_found": "There is nothing to confirm any more. Start again.",
        "verification_unavailable": "You cannot confirm in this way now. Choose another one.",
        "no_code_left": "No further code can be sent. Use the last one, or another way.",
        "already_verified": "You have confirmed this already.",
        "operation_mismatch": "What you were to confirm is not what you asked for, so it was stopped. Contact support.",
        "sca_unavailable":
            "You cannot confirm this on this device yet. Set it up for confirmations first, or contact support.",
        "submit_sca_attempt.bad_request": "That cannot be a code or PIN. Check it and try again.",
        "perform.pin_locked.restore": """
        For your safety your PIN was locked when the service was restored from a backup. Confirm in another way, or set a new \
        PIN.
        """,
        "perform.pin_exhausted": """
        There were too many wrong tries on this device in the last weeks, so PINs are off here for now. Confirm in another way.
        """,
        "perform.pin_locked": "The PIN is locked after too many wrong tries. Confirm in another way, or set a new PIN.",
        "no_matching_guest": "You have no account here yet. Create one to go on.",
        "username_taken": "This user name is taken. Choose another.",
        "merchant_required": "You work for several businesses. Choose one to go on.",
        "app_not_installed": "This app is not set up for the business. Ask its owner.",
        "not_an_employee": "You are not registered with this business. Ask its owner.",
        "sign_in_interrupted": "Your sign-in was interrupted. Sign in again.",
        "renewal_refused":
            "We couldn’t keep you signed in just now. Try again later. If it stays like this, sign out and sign in again.",
        "untrusted_connection": """
        The connection is not safe, so nothing was sent. Use another network, or check your device's date and \
        time.
        """,
        "unknown_state": "This sign-in did not begin in this app, or it took too long. Start again.",
        "issuer_mismatch":
            "The answer came from somewhere else than where you signed in, so it was not used. Start again.",
        "malformed_callback": "The browser came back without an answer. Start again.",
        "redirect_mismatch":
            "The browser came back to another place than expected, so you were not signed in. Start again.",
        "token_in_callback": "This link can’t sign you in. Sign in from the app.",
        "code_already_used": "This sign-in was used already. Sign in again.",
        "invalid_id_token": "The answer to your sign-in can’t be trusted, so it was not used. Sign in again.",
        "another_person":
            "This is another person’s account. Sign in with the account you were using, or sign out first.",
        "another_merchant": "This is for another business. Sign out first, then sign in for that one.",
        "token_owner_unknown": "We can’t tell whose sign-in this is. Sign in again.",
        "token_bound_elsewhere": "This sign-in belongs to another device. Sign in on this one.",
        "pin_not_set": "You have no PIN on this device yet. Sign in another way, then set one.",
        "pin_epoch_mismatch": "Your PIN has been changed. Sign in another way, then set it again.",
        "pin_server_key_changed":
            "Your PIN can’t be used safely right now, so nothing was sent. Sign in another way and set a new PIN.",
        "biometrics_not_enabled": "Face or fingerprint isn’t turned on here. Sign in another way, then turn it on.",
        "biometrics_locked_out":
            "Face or fingerprint was not recognized too often. Unlock your device with its passcode, then try again.",
        "presence_not_attested": "Face or fingerprint can’t be used on this device. Use your PIN or password.",
        "unmet_authentication_requirements":
            "This needs a second step that your account does not have yet. Set one up first.",
        "return_url_not_registered": "You can’t confirm in this way in this app. Choose another one.",
        "pin_malformed": "A PIN consists of digits only. Choose another one.",
        "pin_too_short": "This PIN is too short. Choose a longer one.",
        "pin_too_long": "This PIN is too long. It may have at most 12 digits.",
        "pin_too_common": "This PIN is easy to guess. Choose another one.",
        "device_not_enrolled": "This device isn’t linked to your account yet. Sign in with a second step and link it.",
        "unsupported_by_server": "This isn’t available here.",
        "client_not_allowed": "This app may not do that. Use the wallet’s own app, or contact support.",
        "invalid_challenge": "That took too long. Try again.",
        "invalid_proof": "This device could not prove itself. Try again.",
        "device_key_taken": "This device could not be linked. Try again.",
        "device_not_active": "This device is suspended or deactivated. Contact support.",
        "nothing_to_verify": "This device does not have to be confirmed any more.",
        "account_changed": "Your account was changed meanwhile. Sign in again, then repeat this.",
        "nothing_to_confirm": "There is nothing to confirm any more. Start again.",
        "factor_not_found": "Your account does not have this second step any more.",
        "secret_questions_off": "Security questions aren’t available here. Choose another second step.",
        "unacceptable_answers": "Choose different questions, and give each of them its own answer.",
        "password_too_short": "This password is too short. Use at least 8 characters.",
        "password_too_long": "This password is too long. Use at most 256 characters.",
        "password_too_common": "This password is easy to guess. Choose another one.",
        "password_breached": "This password has appeared in a data leak. Choose another one.",
        "password_unchanged": "This is your present password. Choose a new one.",
        "access_denied": "This sign-in was refused. If you don’t know why, contact support.",
        "invalid_grant": "This sign-in is no longer valid. Sign in again.",
        "invalid_token": "You have to sign in again to do this.",
        "insufficient_scope": "You have not allowed this app to do that. Sign in again and allow it.",
        "idempotency_mismatch": "This was begun differently before. Start again.",
        "outcome.signed_out": "Sign in to go on.",
        "outcome.signed_out.session_ended": "Your session has ended. Sign in again.",
        "outcome.signed_out.token_expired": "Your session has ended. Sign in again.",
        "outcome.signed_out.replaced_by_another_sign_in":
            "Somebody signed in meanwhile, so this was not done. Check who is signed in and try again.",
        "outcome.signed_out.apple_credential_revoked":
            "You stopped using your Apple Account with this app. Sign in again.",
        "outcome.temporarily_unavailable": "This cannot be done right now. Try again in a moment.",
        "outcome.temporarily_unavailable.minutes": "This cannot be done right now. Try again in {minutes} minutes.",
        "outcome.offline": "There is no connection. Check your network and try again.",
        "outcome.key_lost": "This device has to be set up again. Sign in again.",
        "outcome.key_lost.enroll_again": "This device has to be set up again. Sign in, then add the device anew.",
        "outcome.key_lost.set_pin_again":
            "Your PIN has to be set again on this device. Sign in with a second step first.",
        "outcome.key_lost.enable_biometrics_again":
            "Face or fingerprint on this device has changed. Sign in another way, then turn it on again.",
        "outcome.store_unavailable": "The device's secure storage cannot be used right now. Try again.",
        "outcome.store_unavailable.locked": "Unlock your device and try again.",
        "outcome.store_unavailable.full": "There is no room left on this device. Free some and try again.",
        "outcome.refused": "This was not possible. Start again.",
        "outcome.misconfigured": "The app cannot do this at present. Update the app, or contact support.",
    ]
}
