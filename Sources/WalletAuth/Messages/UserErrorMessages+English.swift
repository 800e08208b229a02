extension UserErrorMessages {
    static let english: [Key: String] = [
        "invalid_credentials": "That doesn’t match. Check what you entered and try again.",
        "invalid_credentials.answer": "That is not correct or has expired. Check it, or request a new code.",
        "login_by_username_password.invalid_credentials": """
        The user name or password is incorrect. Check both and try again. If you have tried several times, wait a \
        few minutes first.
        """,
        "login_by_pin.invalid_credentials": "That PIN is incorrect. After five wrong attempts, it is locked.",
        "login_by_account_pin.invalid_credentials": """
        The user name or PIN is incorrect. Check both and try again. After five wrong attempts, the PIN is locked and \
        you need your password.
        """,
        "login_by_account_pin.password_change_required":
            "Your password has expired. Sign in with it and choose a new one.",
        "login_by_nonce.invalid_credentials":
            "This sign-in is no longer valid. Go back to where you came from and start again.",
        "login_by_federated_identity.invalid_credentials":
            "We couldn’t sign you in with this provider. Try again, or sign in another way.",
        "login_by_apple.invalid_credentials": "We couldn’t sign you in with Apple. Try again, or sign in another way.",
        "change_password.invalid_credentials": "Your current password is incorrect.",
        "recovery_code_required": "If the account exists and we can reach its owner, we’ve sent a code. Enter it here.",
        "recovery_unavailable":
            "This account can’t be recovered here. Use a device linked to your account, or contact support.",
        "recovery_cooling":
            "The password was recovered recently. For your security, you can’t change this yet. Try again in a day.",
        "recover.invalid_credentials": "The code is incorrect or has expired. Check it, or start again.",
        "mfa_required": "Confirm it’s you with a second step.",
        "wallet_deactivated": "Your wallet has been deactivated. Contact support to have it reactivated.",
        "device_deactivated": """
        This device has been deactivated after too many failed attempts. Choose “Forgot your password?” here, or \
        contact support.
        """,
        "device_suspended": "This device is suspended. Contact support.",
        "pin_locked.restore": """
        For your security, we locked your PIN when the service was restored from a backup. Sign in with your \
        password and set a new PIN.
        """,
        "pin_exhausted": """
        There were too many wrong attempts on this device in recent weeks, so you can’t use a PIN here for now. Sign \
        in with your password. To use a PIN here sooner, link this device again.
        """,
        "pin_locked": "Your PIN is locked after too many wrong attempts. Sign in with your password and set a new PIN.",
        "email_unverified": "Confirm your e-mail address first. We sent you a code.",
        "password_change_required": "Your password has expired. Choose a new one.",
        "app_instance_unverified": "Confirm this installation of the app with the code we sent you.",
        "login_strategy_unavailable": "You can’t sign in this way here. Sign in with your password.",
        "device_authentication_unsupported": "You can’t stay signed in with this app or account.",
        "device_token_expired": "Your session has expired. Sign in with your password to stay signed in again.",
        "token_already_expired": "“Stay signed in” is already turned off.",
        "no_device_token": "“Stay signed in” is not turned on. Sign in with your password.",
        "not_signed_in": "You are not signed in.",
        "bad_request": "Something you entered isn’t valid. Check it and try again.",
        "server_error": "Something went wrong on our side. Try again in a moment.",
        "server_error.trace": """
        Something went wrong on our side. Try again in a moment. If this keeps happening, contact support and quote \
        this reference: {trace}
        """,
        "invalid_code": "The code is incorrect or has expired. Check it, or request a new one.",
        "invalid_session": "That took too long. Start again.",
        "insufficient_user_authentication": "Sign in again with a second step, then try again.",
        "device_not_found": "This device is no longer in your list.",
        "too_many_devices": "You’ve reached the limit of linked devices. Remove one first.",
        "identity_taken": "This sign-in is already linked to another account.",
        "too_many_identities": "You’ve reached the limit of linked sign-ins. Remove one first.",
        "identity_not_found": "This sign-in is not linked to your account.",
        "last_way_in": "This is your only way to sign in. Set a password first.",
        "data_error": "This payment can no longer be confirmed. Start it again.",
        "event_not_found": "There is nothing left to confirm. Start again.",
        "verification_unavailable": "You can’t confirm this way right now. Choose another.",
        "no_code_left": "We can’t send another code. Use the last one, or confirm another way.",
        "already_verified": "You’ve already confirmed this.",
        "operation_mismatch":
            "The request to confirm doesn’t match what you asked for, so we stopped it. Contact support.",
        "sca_unavailable":
            "You can’t confirm this on this device yet. Link the device to your account first, or contact support.",
        "submit_sca_attempt.bad_request": "That isn’t a valid code or PIN. Check it and try again.",
        "perform.pin_locked.restore": """
        For your security, we locked your PIN when the service was restored from a backup. Confirm another way, or \
        set a new PIN.
        """,
        "perform.pin_exhausted": """
        There were too many wrong attempts on this device in recent weeks, so you can’t use a PIN here for now. \
        Confirm another way.
        """,
        "perform.pin_locked":
            "Your PIN is locked after too many wrong attempts. Confirm another way, or set a new PIN.",
        "no_matching_guest": "You don’t have an account here yet. Create one to continue.",
        "username_taken": "This user name is taken. Choose another.",
        "merchant_required": "You work for several businesses. Choose one to continue.",
        "app_not_installed": "This app isn’t set up for the business. Ask its owner.",
        "not_an_employee": "You aren’t registered with this business. Ask its owner.",
        "renewal_interrupted": "The connection was lost while your session was being renewed. Try again.",
        "sign_in_interrupted": "Your sign-in was interrupted. Sign in again.",
        "renewal_refused":
            "We couldn’t renew your session. Try again later. If this keeps happening, sign out and sign in again.",
        "untrusted_connection": """
        The connection isn’t secure, so nothing was sent. Use another network, or check the date and time on your \
        device.
        """,
        "unknown_state": "This sign-in wasn’t started in this app, or it took too long. Start again.",
        "issuer_mismatch":
            "The response came from a different service than the one you signed in to, so we ignored it. Start again.",
        "malformed_callback": "The browser returned without a response. Start again.",
        "redirect_mismatch": "The browser returned to an unexpected address, so you weren’t signed in. Start again.",
        "token_in_callback": "You can’t sign in with this link. Sign in from the app.",
        "code_already_used": "This sign-in has already been used. Sign in again.",
        "invalid_id_token": "The response to your sign-in can’t be trusted, so we ignored it. Sign in again.",
        "another_person": "This is someone else’s account. Sign in with the account you were using, or sign out first.",
        "another_merchant": "This belongs to another business. Sign out first, then sign in for that business.",
        "token_owner_unknown": "We can’t tell which account this sign-in belongs to. Sign in again.",
        "token_bound_elsewhere": "This sign-in belongs to another device. Sign in on this one.",
        "pin_not_set": "You haven’t set a PIN on this device yet. Sign in another way, then set one.",
        "pin_epoch_mismatch": "Your PIN was changed. Sign in another way, then set it again.",
        "pin_server_key_changed":
            "Your PIN can’t be used safely right now, so nothing was sent. Sign in another way and set a new PIN.",
        "pin_required":
            "Enter your PIN first. Then you can use your face or fingerprint again.",
        "biometrics_not_enabled":
            "Face or fingerprint sign-in isn’t turned on here. Sign in another way, then turn it on.",
        "biometrics_locked_out": """
        Your device failed to recognize your face or fingerprint too many times. Unlock it with its passcode and \
        try again.
        """,
        "presence_not_attested": "You can’t use your face or fingerprint on this device. Use your PIN or password.",
        "unmet_authentication_requirements":
            "This needs a second step that your account doesn’t have yet. Set one up first.",
        "return_url_not_registered": "This app can’t confirm this way. Choose another.",
        "pin_malformed": "A PIN can have only digits. Choose another one.",
        "pin_too_short": "That PIN is too short. Choose a longer one.",
        "pin_too_long": "That PIN is too long. Use at most 12 digits.",
        "pin_too_common": "That PIN is too easy to guess. Choose another one.",
        "device_not_enrolled": "This device isn’t linked to your account yet. Sign in with a second step and link it.",
        "unsupported_by_server": "This isn’t available here.",
        "client_not_allowed": "This app isn’t allowed to do that. Use your wallet’s own app, or contact support.",
        "invalid_challenge": "That took too long. Try again.",
        "invalid_proof": "We couldn’t verify this device. Try again.",
        "device_key_taken": "We couldn’t link this device. Try again.",
        "device_not_active": "This device is suspended or deactivated. Contact support.",
        "nothing_to_verify": "This device no longer needs to be confirmed.",
        "account_changed": "Your account was changed. Sign in again, then try again.",
        "nothing_to_confirm": "There is nothing left to confirm. Start again.",
        "factor_not_found": "Your account no longer has this second step.",
        "secret_questions_off": "Secret questions aren’t available here. Choose another second step.",
        "unacceptable_answers": "Choose different questions and give each one its own answer.",
        "password_too_short": "That password is too short. Use at least 8 characters.",
        "password_too_long": "That password is too long. Use at most 256 characters.",
        "password_too_common": "That password is too easy to guess. Choose another one.",
        "password_breached": "That password has appeared in a data breach, so others may know it. Choose another one.",
        "password_unchanged": "That is your current password. Choose another one.",
        "access_denied": "This sign-in was refused. If you don’t know why, contact support.",
        "invalid_grant": "This sign-in is no longer valid. Sign in again.",
        "invalid_token": "You need to sign in again to do this.",
        "insufficient_scope": "You haven’t allowed this app to do that. Sign in again and allow it.",
        "idempotency_mismatch": "This was already started with different details. Start again.",
        "outcome.signed_out": "Sign in to continue.",
        "outcome.signed_out.session_ended": "Your session has ended. Sign in again.",
        "outcome.signed_out.token_expired": "Your session has expired. Sign in again.",
        "outcome.signed_out.replaced_by_another_sign_in": """
        Someone signed in while this was in progress, so we didn’t complete it. Check which account is signed in \
        and try again.
        """,
        "outcome.signed_out.apple_credential_revoked":
            "You stopped using your Apple Account with this app. Sign in again.",
        "outcome.temporarily_unavailable": "This isn’t possible right now. Try again in a moment.",
        "outcome.temporarily_unavailable.minutes": "This isn’t possible right now. Try again in {minutes} minutes.",
        "outcome.offline": "You’re offline. Check your connection and try again.",
        "outcome.key_lost": "This device needs to be set up again. Sign in again.",
        "outcome.key_lost.enroll_again": "This device needs to be set up again. Sign in, then link it again.",
        "outcome.key_lost.set_pin_again":
            "You need to set your PIN again on this device. Sign in with a second step first.",
        "outcome.key_lost.enable_biometrics_again":
            "The faces or fingerprints on this device have changed. Sign in another way, then turn this on again.",
        "outcome.store_unavailable": "The secure storage on this device isn’t available right now. Try again.",
        "outcome.store_unavailable.locked": "Unlock your device and try again.",
        "outcome.store_unavailable.full": "This device is out of storage. Free up some space and try again.",
        "outcome.refused": "That didn’t work. Start again.",
        "outcome.misconfigured": "The app can’t do this right now. Update the app, or contact support.",
    ]
}
