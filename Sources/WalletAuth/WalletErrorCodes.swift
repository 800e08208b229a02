extension WalletError.Code {
    // MARK: Sessions

    /// Nobody is signed in; the outcome says why.
    public static let signedOut: Self = "signed_out"
    /// The key that the session is bound to is gone.
    public static let keyLost: Self = "key_lost"
    /// The answer to the code's redemption was lost; the code is not sent a second time. Sign in again.
    public static let signInInterrupted: Self = "sign_in_interrupted"

    /// Three renewals in a row were answered with something that is neither tokens nor a reason. The person is still signed in;
    /// where it stays like that, signing out and in again leads out of it.
    public static let renewalRefused: Self = "renewal_refused"

    // MARK: Surroundings

    /// No network.
    public static let offline: Self = "offline"
    /// The server did not answer, or answered that it cannot now.
    public static let temporarilyUnavailable: Self = "temporarily_unavailable"
    /// Something went wrong at the server; `traceID` names the lines of its log. Whoever is signed in still is.
    public static let serverError: Self = "server_error"
    /// The connection could not be trusted (certificate, protocol).
    public static let untrustedConnection: Self = "untrusted_connection"
    /// The secure store cannot be used.
    public static let storeUnavailable: Self = "store_unavailable"
    /// The device's keys cannot be used now.
    public static let keysUnavailable: Self = "keys_unavailable"
    /// No page could be shown.
    public static let userAgentUnavailable: Self = "user_agent_unavailable"
    /// The person closed the page.
    public static let cancelledByPerson: Self = "cancelled_by_person"

    // MARK: The callback and its code

    /// The callback's `state` belongs to no pending sign-in of this device: forged, used already, or too old.
    public static let unknownState: Self = "unknown_state"
    /// The callback's `iss` is not the configured issuer, or is missing where the server promises it (mix-up).
    public static let issuerMismatch: Self = "issuer_mismatch"
    /// The URL is not a callback of a sign-in: neither code nor error, or a parameter twice.
    public static let malformedCallback: Self = "malformed_callback"
    /// The callback went to another redirect URI than the one the sign-in named.
    public static let redirectMismatch: Self = "redirect_mismatch"
    /// The URL bears a token that nobody asked for: the implicit grant is refused (RFC 9700 §2.1.2), and with
    /// `signIn: .external` a token in a URL begins no session (session fixation). One that the app itself asked for goes to
    /// ``Wallet/authenticate(accessToken:expiresAt:)`` or ``Wallet/updateToken(_:expiresAt:)``.
    public static let tokenInCallback: Self = "token_in_callback"
    /// This code was sent already; a code is never sent twice.
    public static let codeAlreadyUsed: Self = "code_already_used"
    /// The ID token does not fit the sign-in.
    public static let invalidIDToken: Self = "invalid_id_token"

    // MARK: Tokens from outside

    /// The token is another person's.
    public static let anotherPerson: Self = "another_person"
    /// The token is another merchant's.
    public static let anotherMerchant: Self = "another_merchant"
    /// Whose the token is, or the session that it is to renew, cannot be told: it is no JWT, and the server has no
    /// userinfo endpoint or does not answer there. ``Wallet/authenticate(accessToken:expiresAt:)`` begins a session.
    public static let tokenOwnerUnknown: Self = "token_owner_unknown"
    /// The token is bound to a key that is not this device's.
    public static let tokenBoundElsewhere: Self = "token_bound_elsewhere"

    // MARK: Answers of the server (protocol, native sign-in)

    /// Wrong, unknown or spent credentials; never says which.
    public static let invalidCredentials: Self = "invalid_credentials"
    /// Too many consecutive failures, or by an operator.
    public static let walletDeactivated: Self = "wallet_deactivated"
    /// Too many failures on this device, which ``Wallet/recover(username:)`` on it opens again; or an operator's decision.
    public static let deviceDeactivated: Self = "device_deactivated"
    /// Suspended by an operator.
    public static let deviceSuspended: Self = "device_suspended"
    /// Locked by too many wrong PINs, or by a restore of the server (``WalletError/pinLockReason``): sign in with two factors and
    /// set another.
    public static let pinLocked: Self = "pin_locked"
    /// Thirty tries within thirty days were not right: no PIN is evaluated or set on this enrollment for the time that the outcome
    /// tells. Enroll the device again to set one before.
    public static let pinExhausted: Self = "pin_exhausted"
    /// No PIN is in use for the account on this device.
    public static let pinNotSet: Self = "pin_not_set"
    /// Another PIN is in use than this device believes.
    public static let pinEpochMismatch: Self = "pin_epoch_mismatch"
    /// The server proved another key than the one that was pinned when the PIN was set. Nothing was derived from the PIN.
    public static let pinServerKeyChanged: Self = "pin_server_key_changed"
    /// Sign-in by face or finger is not turned on for the account on this device.
    public static let biometricsNotEnabled: Self = "biometrics_not_enabled"
    /// Too many faces or fingers that were not the holder's: the device asks for its passcode first.
    public static let biometricsLockedOut: Self = "biometrics_locked_out"
    /// Nothing vouches that the key asks for its holder; in production the server takes no such key.
    public static let presenceNotAttested: Self = "presence_not_attested"
    /// The long-lived session is over: sign in with the password, and generate another.
    public static let deviceTokenExpired: Self = "device_token_expired"
    /// No long-lived session is kept on this device (status code 1003).
    public static let noDeviceToken: Self = "no_device_token"
    /// The app may keep no long-lived sessions, or the account signs in by another provider (status code 432).
    public static let deviceAuthenticationUnsupported: Self = "device_authentication_unsupported"
    /// The long-lived session was ended before (status code 403).
    public static let tokenAlreadyExpired: Self = "token_already_expired"
    /// The installation has to confirm the code that was sent.
    public static let appInstanceUnverified: Self = "app_instance_unverified"
    /// The session's sign-in is too old or of one factor only: sign in again, then repeat the call (RFC 9470).
    public static let insufficientUserAuthentication: Self = "insufficient_user_authentication"
    /// The account has nothing by which it could sign in as strongly as was asked for.
    public static let unmetAuthenticationRequirements: Self = "unmet_authentication_requirements"
    /// The account has no such device.
    public static let deviceNotFound: Self = "device_not_found"
    /// The account has as many devices as it may have.
    public static let tooManyDevices: Self = "too_many_devices"
    /// The identity at a provider belongs to another account.
    public static let identityTaken: Self = "identity_taken"
    /// The account has as many identities at providers as it may have.
    public static let tooManyIdentities: Self = "too_many_identities"
    /// The account has no such identity at a provider.
    public static let identityNotFound: Self = "identity_not_found"
    /// Nobody could sign in to the account any more.
    public static let lastWayIn: Self = "last_way_in"
    /// The code that was typed is wrong or too old.
    public static let invalidCode: Self = "invalid_code"
    /// What the call was given cannot be right; the reason says what is wrong with it.
    public static let badRequest: Self = "bad_request"
    /// A native sign-in took too long between two of its steps, or the server has forgotten it; begin again.
    public static let invalidSession: Self = "invalid_session"
    /// The account has more than its mailbox, and nothing of it could be shown: recover on an enrolled device, or ask the operator.
    public static let recoveryUnavailable: Self = "recovery_unavailable"
    /// The password was recovered lately by the mailbox alone: devices and factors cannot be changed yet.
    public static let recoveryCooling: Self = "recovery_cooling"
    /// The new account's user name is taken: ask for another.
    public static let usernameTaken: Self = "username_taken"
    /// The person works for several merchants that have the app, and the server did not say which. Where it does, a native
    /// sign-in is answered with ``LoginOutcome/merchantRequired(_:)``.
    public static let merchantRequired: Self = "merchant_required"
    /// The app is not installed on the merchant.
    public static let appNotInstalled: Self = "app_not_installed"
    /// The person is no employee of the merchant.
    public static let notAnEmployee: Self = "not_an_employee"
    /// There is no such brand.
    public static let brandNotFound: Self = "brand_not_found"
    /// The redirect URI, or where a forgotten password is reset, is not registered for the client; the reason names the field.
    public static let unregisteredURL: Self = "unregistered_url"
    /// The brand does not offer the sign-in page that was asked for.
    public static let loginStrategyUnavailable: Self = "login_strategy_unavailable"

    // MARK: Answers of the server to changes of the account, and to its tokens

    /// The app is not one of the operator's own, which alone may do this.
    public static let clientNotAllowed: Self = "client_not_allowed"
    /// The device's proof took too long: begin again.
    public static let invalidChallenge: Self = "invalid_challenge"
    /// The proof does not match this device's key.
    public static let invalidProof: Self = "invalid_proof"
    /// The key was enrolled before.
    public static let deviceKeyTaken: Self = "device_key_taken"
    /// The device is suspended or deactivated.
    public static let deviceNotActive: Self = "device_not_active"
    /// The device waits for no code.
    public static let nothingToVerify: Self = "nothing_to_verify"
    /// The account was changed meanwhile: sign in again.
    public static let accountChanged: Self = "account_changed"
    /// No second factor waits to be confirmed: begin again.
    public static let nothingToConfirm: Self = "nothing_to_confirm"
    /// The account has no such second factor.
    public static let factorNotFound: Self = "factor_not_found"
    /// The operator takes no secret questions.
    public static let secretQuestionsOff: Self = "secret_questions_off"
    /// The answers to secret questions are too few, too many, or the same.
    public static let unacceptableAnswers: Self = "unacceptable_answers"
    /// A new password has fewer than 8 characters.
    public static let passwordTooShort: Self = "password_too_short"
    /// A new password has more than 256 characters.
    public static let passwordTooLong: Self = "password_too_long"
    /// A new password is one of those that are tried first.
    public static let passwordTooCommon: Self = "password_too_common"
    /// A new password is in a list of stolen ones.
    public static let passwordBreached: Self = "password_breached"
    /// A new password is the present one.
    public static let passwordUnchanged: Self = "password_unchanged"
    /// The server, or the person on its page, refused the sign-in.
    public static let accessDenied: Self = "access_denied"
    /// The code of a sign-in is too old, used or another client's.
    public static let invalidGrant: Self = "invalid_grant"
    /// The access token is not taken here.
    public static let invalidToken: Self = "invalid_token"
    /// The access token lacks a scope.
    public static let insufficientScope: Self = "insufficient_scope"
    /// The call was made before with another content.
    public static let idempotencyMismatch: Self = "idempotency_mismatch"

    // MARK: Agreeing to an operation (protocol, SCA)

    /// The event is over: locked after five wrong values, expired, taken back by its backend, or used. Begin the operation
    /// anew.
    public static let dataError: Self = "data_error"
    /// The person has no such event in this session, or it is of another operation.
    public static let eventNotFound: Self = "event_not_found"
    /// The person cannot agree in this way, or it would bring nothing on. The operation's 403 names those that would.
    public static let verificationUnavailable: Self = "verification_unavailable"
    /// No further code is sent for this event. The last one counts until it is too old; another way remains.
    public static let noCodeLeft: Self = "no_code_left"
    /// The person has agreed already: repeat the operation.
    public static let alreadyVerified: Self = "already_verified"
    /// Where the page is to come back to is not registered for the client.
    public static let returnURLNotRegistered: Self = "return_url_not_registered"
    /// What the server wants to have agreed to is another operation, or another account's. Nothing was signed.
    public static let operationMismatch: Self = "operation_mismatch"
    /// None of the ways to agree can be used in this app on this device.
    public static let scaUnavailable: Self = "sca_unavailable"

    // MARK: Signing a transaction (protocol, transactions)

    /// The text is no transaction's QR code and no transaction's link. Nothing was sent.
    public static let invalidQRData: Self = "invalid_qr_data"
    /// The code is of another server, at which this wallet has no account. Nothing was sent.
    public static let noAccountForServer: Self = "no_account_for_server"
    /// Another flow of this wallet runs.
    public static let flowActive: Self = "flow_active"
    /// There is no such transaction, or it is for another account.
    public static let transactionNotFound: Self = "transaction_not_found"
    /// Another device scanned the code first.
    public static let alreadyClaimed: Self = "already_claimed"
    /// The transaction is over; ``WalletError/transactionStatus`` says how it ended.
    public static let transactionOver: Self = "transaction_over"
    /// The person has not confirmed the transaction.
    public static let transactionNotConfirmed: Self = "transaction_not_confirmed"
    /// The bytes that were confirmed or signed are not those of the transaction.
    public static let payloadMismatch: Self = "payload_mismatch"
    /// This app cannot show the transaction as it is: an unknown version, text that hides something, contradictions. Nothing was
    /// signed.
    public static let payloadRefused: Self = "payload_refused"
    /// The device has none of the second factors that the transaction allows.
    public static let secondFactorUnavailable: Self = "second_factor_unavailable"
    /// The app's transaction was signed before.
    public static let draftUsed: Self = "draft_used"
    /// The app's transaction took too long, or was changed: begin it again.
    public static let invalidDraft: Self = "invalid_draft"
    /// The device was enrolled lately and signs nothing yet; ``WalletError/coolingUntil`` says until when.
    public static let deviceCooling: Self = "device_cooling"
    /// This device began as many transactions as it may in a day.
    public static let tooManyTransactions: Self = "too_many_transactions"

    /// The server's answer does not follow the standards it names.
    public static let malformedAnswer: Self = "malformed_answer"

    // MARK: A new PIN, refused on the device

    /// It has something else than the digits 0 to 9 in it.
    public static let pinMalformed: Self = "pin_malformed"
    /// It is shorter than the app, or WPIN-1, lets it be.
    public static let pinTooShort: Self = "pin_too_short"
    /// It is longer than 12 digits.
    public static let pinTooLong: Self = "pin_too_long"
    /// It is one of those that are tried first.
    public static let pinTooCommon: Self = "pin_too_common"
    /// This device is not enrolled for the account: ``Wallet/Devices/enroll(name:username:)`` first.
    public static let deviceNotEnrolled: Self = "device_not_enrolled"

    // MARK: Mistakes in the app

    /// The configuration cannot work; the reason says why.
    public static let invalidConfiguration: Self = "invalid_configuration"
    /// ``Wallet/instance`` was asked for before ``Wallet/configure(_:)``.
    public static let notConfigured: Self = "not_configured"
    /// The call does not fit the configured `signIn` mode.
    public static let wrongSignInMode: Self = "wrong_sign_in_mode"
    /// The request cannot bear a token: no https, an origin outside the configured ones, or a bearer token and an origin
    /// that is neither the issuer's nor listed in ``Wallet/Configuration/resources``.
    public static let requestRefused: Self = "request_refused"
    /// The server offers nothing that this call needs.
    public static let unsupportedByServer: Self = "unsupported_by_server"
    /// The server has no identity provider of this name.
    public static let unknownProvider: Self = "unknown_provider"
}
