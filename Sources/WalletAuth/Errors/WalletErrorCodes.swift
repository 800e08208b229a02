extension WalletError.Code {
    // MARK: Sessions

    /// No one is signed in; the outcome says why.
    public static let signedOut: Self = "signed_out"
    /// The key that the session is bound to is gone.
    public static let keyLost: Self = "key_lost"
    /// The answer to the code's redemption was lost, and the code is not sent again. Sign in again.
    public static let signInInterrupted: Self = "sign_in_interrupted"
    /// The server's answer to a renewal was lost, and the server is not a walletauth server. If it had replaced the refresh token
    /// already, the next renewal ends the session.
    public static let renewalInterrupted: Self = "renewal_interrupted"

    /// Three renewals in a row were answered with neither tokens nor a reason. The person is still signed in; if this
    /// continues, sign out and in again.
    public static let renewalRefused: Self = "renewal_refused"

    // MARK: Surroundings

    /// No network.
    public static let offline: Self = "offline"
    /// The server did not answer, or cannot right now.
    public static let temporarilyUnavailable: Self = "temporarily_unavailable"
    /// Something went wrong at the server; `traceID` identifies the call in its log. The session stays.
    public static let serverError: Self = "server_error"
    /// The connection is not trustworthy (certificate, protocol).
    public static let untrustedConnection: Self = "untrusted_connection"
    /// The secure store is unavailable.
    public static let storeUnavailable: Self = "store_unavailable"
    /// The device's keys are unavailable right now.
    public static let keysUnavailable: Self = "keys_unavailable"
    /// This platform has no passkeys, and the app passed no ``PasskeyAuthenticator``; or the server's host is an IP address, for which
    /// there are none.
    public static let passkeysUnavailable: Self = "passkeys_unavailable"
    /// No page could be shown.
    public static let userAgentUnavailable: Self = "user_agent_unavailable"
    /// The person closed the page.
    public static let cancelledByPerson: Self = "cancelled_by_person"

    // MARK: The callback and its code

    /// The callback's `state` belongs to no pending sign-in on this device: forged, used, or too old.
    public static let unknownState: Self = "unknown_state"
    /// The callback's `iss` is not the configured issuer, or is missing although the server promises it (mix-up).
    public static let issuerMismatch: Self = "issuer_mismatch"
    /// The URL is not a callback of a sign-in: neither code nor error, or a parameter twice.
    public static let malformedCallback: Self = "malformed_callback"
    /// The callback went to a redirect URI other than the sign-in's.
    public static let redirectMismatch: Self = "redirect_mismatch"
    /// The URL carries an unexpected token. The implicit grant is refused (RFC 9700 §2.1.2), and with
    /// `signIn: .external` a token in a URL begins no session (session fixation). Pass a token that the app itself
    /// asked for to ``Wallet/authenticate(accessToken:expiresAt:)`` or ``Wallet/updateToken(_:expiresAt:)``.
    public static let tokenInCallback: Self = "token_in_callback"
    /// This code was already sent; a code is never sent twice.
    public static let codeAlreadyUsed: Self = "code_already_used"
    /// The ID token does not match the sign-in.
    public static let invalidIDToken: Self = "invalid_id_token"

    // MARK: Tokens from outside

    /// The token belongs to another person.
    public static let anotherPerson: Self = "another_person"
    /// The token belongs to another merchant.
    public static let anotherMerchant: Self = "another_merchant"
    /// The owner of the token, or of the session it should renew, is unknown: it is not a JWT, and the server has no
    /// userinfo endpoint or does not answer there. ``Wallet/authenticate(accessToken:expiresAt:)`` begins a session.
    public static let tokenOwnerUnknown: Self = "token_owner_unknown"
    /// The token is bound to another device's key.
    public static let tokenBoundElsewhere: Self = "token_bound_elsewhere"

    // MARK: Answers of the server (protocol, native sign-in)

    /// Wrong, unknown or spent credentials; never says which.
    public static let invalidCredentials: Self = "invalid_credentials"
    /// Deactivated after too many consecutive failures, by an operator, or by its holder (``WalletError/eraseAt``).
    public static let walletDeactivated: Self = "wallet_deactivated"
    /// Deactivated after too many failures on this device, which ``Wallet/recover(username:)`` on it reverses; or by an
    /// operator.
    public static let deviceDeactivated: Self = "device_deactivated"
    /// Suspended by an operator.
    public static let deviceSuspended: Self = "device_suspended"
    /// Locked after too many wrong PINs, or by a restore of the server (``WalletError/pinLockReason``). Sign in with
    /// two factors and set a new PIN.
    public static let pinLocked: Self = "pin_locked"
    /// Thirty tries within thirty days were wrong: no PIN is evaluated or set on this enrollment for the time in the
    /// outcome. Enroll the device again to set one sooner.
    public static let pinExhausted: Self = "pin_exhausted"
    /// No PIN is in use for the account on this device.
    public static let pinNotSet: Self = "pin_not_set"
    /// The PIN in use differs from the one this device knows.
    public static let pinEpochMismatch: Self = "pin_epoch_mismatch"
    /// The server proved a key other than the one pinned when the PIN was set. Nothing was derived from the PIN.
    public static let pinServerKeyChanged: Self = "pin_server_key_changed"
    /// Face or fingerprint sign-in is not turned on for the account on this device.
    public static let biometricsNotEnabled: Self = "biometrics_not_enabled"
    /// The app's ``Wallet/BiometricPolicy`` requires the PIN before face or fingerprint is used again. Nothing was sent.
    public static let pinRequired: Self = "pin_required"
    /// Face or fingerprint failed too often: the device asks for its passcode first.
    public static let biometricsLockedOut: Self = "biometrics_locked_out"
    /// No attestation that counts at the server vouches for the biometric key; in production, it does not accept such a key.
    public static let presenceNotAttested: Self = "presence_not_attested"
    /// The server enrolls a device only if its platform says which app this is, and the platform said nothing: a simulator, or an
    /// app without the capability.
    public static let attestationRequired: Self = "attestation_required"
    /// What the platform said does not prove that this is the operator's app.
    public static let attestationInvalid: Self = "attestation_invalid"
    /// The server needs the platform's word, or the app's attester's, and there is no answer: try again.
    public static let attestationUnavailable: Self = "attestation_unavailable"
    /// The long-lived session has expired: sign in with the password, and generate another.
    public static let deviceTokenExpired: Self = "device_token_expired"
    /// This device has no long-lived session (status code 1003).
    public static let noDeviceToken: Self = "no_device_token"
    /// The app may not use long-lived sessions, or the account signs in with another provider (status code 432).
    public static let deviceAuthenticationUnsupported: Self = "device_authentication_unsupported"
    /// The long-lived session has already ended (status code 403).
    public static let tokenAlreadyExpired: Self = "token_already_expired"
    /// The installation must be confirmed with the code that was sent.
    public static let appInstanceUnverified: Self = "app_instance_unverified"
    /// The session's sign-in is too old or has only one factor: sign in again, then repeat the call (RFC 9470).
    public static let insufficientUserAuthentication: Self = "insufficient_user_authentication"
    /// The account has no factor that would meet the requirements.
    public static let unmetAuthenticationRequirements: Self = "unmet_authentication_requirements"
    /// The account has no such device.
    public static let deviceNotFound: Self = "device_not_found"
    /// The password must be changed, which a sign-in with the account PIN cannot do: sign in with the password. Any other sign-in
    /// returns ``LoginOutcome/passwordChangeRequired(_:)``.
    public static let passwordChangeRequired: Self = "password_change_required"
    /// The account has reached the limit of devices.
    public static let tooManyDevices: Self = "too_many_devices"
    /// The identity at a provider belongs to another account.
    public static let identityTaken: Self = "identity_taken"
    /// The account has reached the limit of linked identities.
    public static let tooManyIdentities: Self = "too_many_identities"
    /// The account has reached the limit of passkeys.
    public static let tooManyPasskeys: Self = "too_many_passkeys"
    /// The server did not accept the new passkey.
    public static let invalidPasskey: Self = "invalid_passkey"
    /// The account has no such identity.
    public static let identityNotFound: Self = "identity_not_found"
    /// The account would have no way to sign in.
    public static let lastWayIn: Self = "last_way_in"
    /// The code is wrong or has expired.
    public static let invalidCode: Self = "invalid_code"
    /// An input of the call is invalid; the reason says which.
    public static let badRequest: Self = "bad_request"
    /// A native sign-in took too long between two steps, or the server no longer knows it. Start again.
    public static let invalidSession: Self = "invalid_session"
    /// The account is protected by more than its mailbox, and no other factor was proved: recover on an enrolled
    /// device, or ask the operator.
    public static let recoveryUnavailable: Self = "recovery_unavailable"
    /// The password was recovered recently with the mailbox alone: devices and factors cannot be changed until
    /// ``WalletError/coolingUntil``.
    public static let recoveryCooling: Self = "recovery_cooling"
    /// The new account's user name is taken. Ask for another.
    public static let usernameTaken: Self = "username_taken"
    /// The newcomer's address has an account already: sign in to it, or recover it.
    public static let addressTaken: Self = "address_taken"
    /// The brand lets no one make an account by oneself.
    public static let registrationOff: Self = "registration_off"
    /// The server sends no text messages: ask for an e-mail address.
    public static let phoneNotTaken: Self = "phone_not_taken"
    /// No passkey takes the place of a password here: the brand or the client does not allow it. Ask for a password.
    public static let passkeyNotTaken: Self = "passkey_not_taken"
    /// The person works for several merchants that have the app, and the server did not name them. If it does, a native
    /// sign-in returns ``LoginOutcome/merchantRequired(_:)``.
    public static let merchantRequired: Self = "merchant_required"
    /// The merchant has not installed the app.
    public static let appNotInstalled: Self = "app_not_installed"
    /// The person is not an employee of the merchant.
    public static let notAnEmployee: Self = "not_an_employee"
    /// There is no such brand.
    public static let brandNotFound: Self = "brand_not_found"
    /// The redirect URI, or the password reset URL, is not registered for the client; the reason names the field.
    public static let unregisteredURL: Self = "unregistered_url"
    /// The brand does not offer this way to sign in, on its page or in the app, such as the account PIN.
    public static let loginStrategyUnavailable: Self = "login_strategy_unavailable"

    // MARK: Answers of the server to changes of the account, and to its tokens

    /// Only the operator's own apps may do this.
    public static let clientNotAllowed: Self = "client_not_allowed"
    /// The device's proof took too long. Start again.
    public static let invalidChallenge: Self = "invalid_challenge"
    /// The proof does not match this device's key.
    public static let invalidProof: Self = "invalid_proof"
    /// The key is already enrolled.
    public static let deviceKeyTaken: Self = "device_key_taken"
    /// The device is suspended or deactivated.
    public static let deviceNotActive: Self = "device_not_active"
    /// The device is not waiting for a code.
    public static let nothingToVerify: Self = "nothing_to_verify"
    /// The account was changed in the meantime. Sign in again.
    public static let accountChanged: Self = "account_changed"
    /// No second factor is waiting for confirmation. Start again.
    public static let nothingToConfirm: Self = "nothing_to_confirm"
    /// It is the account's confirmed e-mail address or phone number already.
    public static let contactUnchanged: Self = "contact_unchanged"
    /// The account has no confirmed e-mail address, or the server sends no e-mail, so it keeps its phone number.
    public static let lastContact: Self = "last_contact"
    /// The server sends no e-mail, or no SMS.
    public static let deliveryUnavailable: Self = "delivery_unavailable"
    /// The account has payments or transactions that are not finished: ``WalletError/openPayments``.
    public static let paymentsOpen: Self = "payments_open"
    /// The account is the last one that may grant roles on the server. Make another account an owner before closing it.
    public static let lastOwner: Self = "last_owner"
    /// The e-mail address or phone number was changed within the last day. Close the account after ``WalletError/coolingUntil``.
    public static let contactCooling: Self = "contact_cooling"
    /// The code belongs to no closed account, or the account has been erased.
    public static let closingNotFound: Self = "closing_not_found"
    /// The account has more data than one answer holds. Ask the operator.
    public static let exportTooLarge: Self = "export_too_large"
    /// The account has no such second factor.
    public static let factorNotFound: Self = "factor_not_found"
    /// The operator does not offer secret questions.
    public static let secretQuestionsOff: Self = "secret_questions_off"
    /// The answers to secret questions are too few, too many, or equal.
    public static let unacceptableAnswers: Self = "unacceptable_answers"
    /// A new password has fewer than 8 characters.
    public static let passwordTooShort: Self = "password_too_short"
    /// A new password has more than 256 characters.
    public static let passwordTooLong: Self = "password_too_long"
    /// A new password is among the most common ones.
    public static let passwordTooCommon: Self = "password_too_common"
    /// A new password contains the user name or the e-mail address.
    public static let passwordContainsName: Self = "password_contains_name"
    /// A new password is in a list of breached ones.
    public static let passwordBreached: Self = "password_breached"
    /// A new password equals the current one.
    public static let passwordUnchanged: Self = "password_unchanged"
    /// The server, or the person on its page, refused the sign-in.
    public static let accessDenied: Self = "access_denied"
    /// The code of a sign-in has expired, was used, or belongs to another client.
    public static let invalidGrant: Self = "invalid_grant"
    /// The access token is not accepted here.
    public static let invalidToken: Self = "invalid_token"
    /// The access token lacks a scope.
    public static let insufficientScope: Self = "insufficient_scope"
    /// The call was already made with different content.
    public static let idempotencyMismatch: Self = "idempotency_mismatch"

    // MARK: Agreeing to an operation (protocol, SCA)

    /// The event has ended. With ``WalletError/remainingAttempts`` 0, five wrong values locked it: nothing was carried out, and the
    /// operation can be started again. With ``WalletError/isRefusedByPerson``, the person refused it, and nothing was carried out:
    /// ``Wallet/perform(_:onSCA:choosing:)`` throws ``cancelledByPerson`` then. Otherwise it expired, was withdrawn by its backend, or was used: check first whether the
    /// operation was carried out.
    public static let dataError: Self = "data_error"
    /// The person has no such event in this session, or it belongs to another operation.
    public static let eventNotFound: Self = "event_not_found"
    /// The person cannot agree in this way, or it would not help. The operation's 403 names the ways that would.
    public static let verificationUnavailable: Self = "verification_unavailable"
    /// No push message reaches a device that could approve. The person can agree in another way.
    public static let pushUnavailable: Self = "push_unavailable"
    /// No more codes are sent for this event. The last one is valid until it expires; another way remains.
    public static let noCodeLeft: Self = "no_code_left"
    /// The person has already agreed: repeat the operation.
    public static let alreadyVerified: Self = "already_verified"
    /// The page's return URL is not registered for the client.
    public static let returnURLNotRegistered: Self = "return_url_not_registered"
    /// The server asked for consent to another operation, or for another account. Nothing was signed.
    public static let operationMismatch: Self = "operation_mismatch"
    /// No way to agree can be used in this app on this device.
    public static let scaUnavailable: Self = "sca_unavailable"

    // MARK: Signing a transaction (protocol, transactions)

    /// The text is not a transaction's QR code or link. Nothing was sent.
    public static let invalidQRData: Self = "invalid_qr_data"
    /// The code belongs to another server, at which this wallet has no account. Nothing was sent.
    public static let noAccountForServer: Self = "no_account_for_server"
    /// Another flow of this wallet is running.
    public static let flowActive: Self = "flow_active"
    /// There is no such transaction, or it is for another account.
    public static let transactionNotFound: Self = "transaction_not_found"
    /// Another device scanned the code first.
    public static let alreadyClaimed: Self = "already_claimed"
    /// The transaction has ended; ``WalletError/transactionStatus`` says how.
    public static let transactionOver: Self = "transaction_over"
    /// The person has not confirmed the transaction.
    public static let transactionNotConfirmed: Self = "transaction_not_confirmed"
    /// The confirmed or signed bytes are not the transaction's.
    public static let payloadMismatch: Self = "payload_mismatch"
    /// This app cannot show the transaction faithfully: an unknown version, hidden text, contradictions. Nothing was
    /// signed.
    public static let payloadRefused: Self = "payload_refused"
    /// The device has no second factor that the transaction allows.
    public static let secondFactorUnavailable: Self = "second_factor_unavailable"
    /// The app's transaction was already signed.
    public static let draftUsed: Self = "draft_used"
    /// The app's transaction took too long, or was changed. Start it again.
    public static let invalidDraft: Self = "invalid_draft"
    /// The device was enrolled recently and cannot sign yet; ``WalletError/coolingUntil`` says until when.
    public static let deviceCooling: Self = "device_cooling"
    /// This device has begun the maximum number of transactions in a day.
    public static let tooManyTransactions: Self = "too_many_transactions"

    /// The number that the person chose is not the one on the sign-in page. The attempt has ended.
    public static let numberMismatch: Self = "number_mismatch"
    /// The scanned code has expired, or the sign-in was not approved in time.
    public static let scanExpired: Self = "scan_expired"

    /// The server's answer does not follow the standards it names.
    public static let malformedAnswer: Self = "malformed_answer"

    // MARK: A new PIN, refused on the device

    /// It contains characters other than the digits 0 to 9.
    public static let pinMalformed: Self = "pin_malformed"
    /// It is shorter than the app, or WPIN-1, allows.
    public static let pinTooShort: Self = "pin_too_short"
    /// It is longer than 12 digits.
    public static let pinTooLong: Self = "pin_too_long"
    /// It is among the most common ones.
    public static let pinTooCommon: Self = "pin_too_common"
    /// This device is not enrolled for the account; call ``Wallet/Devices/enroll(name:username:)`` first.
    public static let deviceNotEnrolled: Self = "device_not_enrolled"

    // MARK: Mistakes in the app

    /// The configuration cannot work; the reason says why.
    public static let invalidConfiguration: Self = "invalid_configuration"
    /// ``Wallet/instance`` was used before ``Wallet/configure(_:)``.
    public static let notConfigured: Self = "not_configured"
    /// The call does not suit the configured `signIn` mode.
    public static let wrongSignInMode: Self = "wrong_sign_in_mode"
    /// The request may not carry a token: not https, an origin outside the configured ones, or a bearer token for an
    /// origin that is neither the issuer's nor listed in ``Wallet/Configuration/resources``.
    public static let requestRefused: Self = "request_refused"
    /// The server does not support this call.
    public static let unsupportedByServer: Self = "unsupported_by_server"
    /// The server has no identity provider of this name.
    public static let unknownProvider: Self = "unknown_provider"
}
