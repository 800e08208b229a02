/// The kind of a message to an account's holder. The raw value is stored in its row.
enum MessageKind: String, Sendable, CaseIterable {
    case refreshReuse = "session_ended_reuse"
    case codeReuse = "session_ended_code_reuse"
    case deactivated = "wallet_deactivated"
    case passwordChanged = "password_changed"
    case passwordExpired = "password_expired"
    case emailCode = "email_code"
    case instanceCode = "instance_code"
    case secondFactorCode = "second_factor_code"
    case passwordRecoveryCode = "password_recovery_code"
    case recovered = "password_recovered"
    case recoveredOnDevice = "password_recovered_device_opened"
    case recoveryStopped = "recovery_stopped"
    case newDevice = "new_device"
    case recoveryCodeUsed = "recovery_code_used"
    case secondFactorFailed = "second_factor_failed"
    case totpAdded = "totp_added"
    case totpRemoved = "totp_removed"
    case recoveryCodesMade = "recovery_codes_made"
    case recoveryCodesVoided = "recovery_codes_voided"
    case secretQuestionsSet = "secret_questions_set"
    case passkeyAdded = "passkey_added"
    case passkeyRemoved = "passkey_removed"
    case passkeyCopied = "passkey_copied"
    case identityJoined = "identity_joined"
    case identityLeft = "identity_left"
    case identitySuspended = "identity_suspended"
    case identityRemoved = "identity_removed"
    case deviceEnrolled = "device_enrolled"
    case deviceDeactivated = "device_deactivated"
    case deviceClosed = "device_closed"
    case deviceRemoved = "device_removed"
    case deviceTokenIssued = "device_token_issued"
    case pinSet = "pin_set"
    case pinLocked = "pin_locked"
    case pinForgotten = "pin_forgotten"
    case accountPINSet = "account_pin_set"
    case accountPINLocked = "account_pin_locked"
    case accountPINRemoved = "account_pin_removed"
    case biometricKeyAdded = "biometric_key_added"
    case biometricKeyRemoved = "biometric_key_removed"
    case consentCode = "consent_code"
    case consentLocked = "consent_locked"
    case consentRefused = "consent_refused"

    /// The advice at the end of a message.
    enum Advice: Sendable {
        /// For a code: do not share it.
        case code
        /// For a code that anyone can request: those who did not request it can ignore it.
        case recoveryCode
        /// For something done in the holder's name: what to do if it was not them.
        case protect
        /// For something that was done to the account: whom to ask.
        case ask
        /// For a refused operation: what to do depends on who started it, not on who refused it.
        case refusal
    }

    var advice: Advice {
        switch self {
        case .emailCode, .instanceCode, .secondFactorCode, .consentCode: .code
        case .passwordRecoveryCode: .recoveryCode
        case .consentRefused: .refusal
        case .deactivated, .deviceDeactivated, .deviceClosed, .passwordExpired, .recoveryStopped,
            .recoveryCodesVoided, .identitySuspended, .identityRemoved:
            .ask
        case .refreshReuse, .codeReuse, .passwordChanged, .recovered, .recoveredOnDevice, .newDevice, .recoveryCodeUsed,
            .secondFactorFailed,
            .totpAdded,
            .totpRemoved, .recoveryCodesMade, .secretQuestionsSet, .passkeyAdded, .passkeyRemoved, .passkeyCopied,
            .deviceEnrolled, .deviceRemoved, .pinSet, .pinLocked,
            .identityJoined, .identityLeft, .pinForgotten, .biometricKeyAdded, .biometricKeyRemoved, .deviceTokenIssued,
            .consentLocked, .accountPINSet, .accountPINLocked, .accountPINRemoved:
            .protect
        }
    }
}
