/// Our own error codes, in addition to OAuth's `error`, with the HTTP status and the number that older wallet apps
/// switch on.
///
/// This is the only place with the numbers of protocol section 3.
public enum ErrorCode: String, Hashable, Sendable, Codable, CaseIterable {
    /// Any wrong, unknown or spent credential; the same answer for all.
    case invalidCredentials = "invalid_credentials"
    /// The device is not linked to the account, so a second factor is required.
    case mfaRequired = "mfa_required"
    /// A code was sent, if the account exists and can be reached; the recovery continues with it.
    case recoveryCodeRequired = "recovery_code_required"
    /// The account is protected by more than its mailbox, and no other factor can be proved here: use an enrolled
    /// device, or ask the operator.
    case recoveryUnavailable = "recovery_unavailable"
    /// The server cannot send the code of the account's second factor, and the account has nothing else.
    case deliveryUnavailable = "delivery_unavailable"
    /// Too many consecutive failures on known devices, or an operator's decision.
    case walletDeactivated = "wallet_deactivated"
    /// Too many failures on this device.
    case deviceDeactivated = "device_deactivated"
    /// An operator suspended the device.
    case deviceSuspended = "device_suspended"
    /// Too many wrong PINs on this device; reported only after a proof of its key.
    case pinLocked = "pin_locked"
    /// The e-mail address is not verified.
    case emailUnverified = "email_unverified"
    /// The password has expired by policy, or was found in a breach.
    case passwordChangeRequired = "password_change_required"
    /// The installation has not confirmed its code.
    case appInstanceUnverified = "app_instance_unverified"
    /// The brand does not offer this way to sign in, such as the account PIN.
    case loginStrategyUnavailable = "login_strategy_unavailable"
    /// The client may not use long-lived sessions.
    case deviceAuthenticationUnsupported = "device_authentication_unsupported"
    /// The device authentication token has expired; a new one starts a new long-lived session.
    case deviceTokenExpired = "device_token_expired"
    /// Malformed.
    case badRequest = "bad_request"
    /// The device authentication token had already expired.
    case tokenAlreadyExpired = "token_already_expired"
    /// Sign-out without a session.
    case notSignedIn = "not_signed_in"
    /// A fault of the server, with only a correlation id.
    case serverError = "server_error"
    /// Used by the SDK only: nothing is stored on this device. No server sends it.
    case noDeviceToken = "no_device_token"
    /// A provider knows the person, but no account is linked to that identity.
    case noMatchingGuest = "no_matching_guest"
    /// The new account's user name is taken.
    case usernameTaken = "username_taken"
    /// The person's address has an account already.
    case addressTaken = "address_taken"
    /// The brand lets no one make an account by oneself.
    case registrationOff = "registration_off"
    /// The person works for several merchants that have the client: the sign-in continues with one of them.
    case merchantRequired = "merchant_required"
    /// The merchant has not installed the client.
    case appNotInstalled = "app_not_installed"
    /// The person is not an employee of the merchant.
    case notAnEmployee = "not_an_employee"

    /// The operation of an error: two codes have another number with device tokens.
    public enum Operation: Hashable, Sendable {
        /// Any other sign-in or call.
        case other
        /// A device authentication token is being generated.
        case generatingDeviceToken
        /// A device authentication token is used to sign in.
        case usingDeviceToken
    }

    private var row: (http: Int?, status: Int) {
        switch self {
        case .invalidCredentials: (401, 401)
        case .mfaRequired: (400, 412)
        case .recoveryCodeRequired: (400, 412)
        case .recoveryUnavailable: (403, 403)
        case .deliveryUnavailable: (403, 403)
        case .walletDeactivated: (403, 421)
        case .deviceDeactivated: (423, 423)
        case .deviceSuspended: (403, 503)
        case .pinLocked: (423, 423)
        case .emailUnverified: (403, 418)
        case .passwordChangeRequired: (403, 508)
        case .appInstanceUnverified: (403, 511)
        case .loginStrategyUnavailable: (400, 400)
        case .deviceAuthenticationUnsupported: (400, 432)
        case .deviceTokenExpired: (401, 401)
        case .badRequest: (400, 400)
        case .tokenAlreadyExpired: (403, 403)
        case .notSignedIn: (403, 403)
        case .serverError: (500, 500)
        case .noDeviceToken: (nil, 1003)
        case .noMatchingGuest: (403, 404)
        case .usernameTaken: (409, 409)
        case .addressTaken: (409, 409)
        case .registrationOff: (403, 403)
        case .merchantRequired: (403, 403)
        case .appNotInstalled: (403, 403)
        case .notAnEmployee: (403, 403)
        }
    }

    /// The HTTP status, or nil for a code that no server sends.
    public var httpStatus: Int? { row.http }

    /// The number that older wallet apps switch on.
    /// - Parameter operation: the operation of the error.
    public func statusCode(during operation: Operation = .other) -> Int {
        switch (self, operation) {
        case (.invalidCredentials, .generatingDeviceToken): 419
        case (.walletDeactivated, .generatingDeviceToken), (.walletDeactivated, .usingDeviceToken): 412
        default: row.status
        }
    }
}
