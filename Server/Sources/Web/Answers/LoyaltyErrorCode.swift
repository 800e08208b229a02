/// The reason a request of the loyalty API fails: the `errorCode` of its answers.
package enum LoyaltyErrorCode: String, Error, Hashable, Sendable, CaseIterable {
    /// The body is not a JSON object, or a member is missing, duplicate, unknown or of the wrong type.
    case invalidRequest = "authentication.invalid_request"
    /// Client id and secret in the `Authorization` header are missing or wrong.
    case invalidClient = "authentication.invalid_client"
    /// The client may not request guest tokens, or not in this way.
    case clientNotAllowed = "authentication.client_not_allowed"
    /// `authentication` is not the one of the endpoint: `b2b`, or `oauth` with the guest's access token.
    case unsupportedAuthentication = "authentication.unsupported_authentication"
    /// `grant_type` is unknown.
    case unsupportedGrantType = "authentication.unsupported_grant_type"
    /// The scope is malformed, or wider than the client's.
    case invalidScope = "authentication.invalid_scope"
    /// The client's brand has no integration of this merchant.
    case unknownMerchant = "authentication.unknown_merchant"
    /// The merchant has no integration of this name.
    case unknownIntegration = "authentication.unknown_integration"
    /// The integration has another card template.
    case unknownCardTemplate = "authentication.unknown_card_template"
    /// The integration has another activation store.
    case unknownStore = "authentication.unknown_store"
    /// No account is linked to the person's account at the provider: enroll the guest.
    case noMatchingGuest = "authentication.no_matching_guest"
    /// The identity token is not valid: wrong signature, client or nonce, expired, or older than five minutes.
    case invalidExternalAccount = "authentication.invalid_external_account"
    /// The provider refuses the authorization code: wrong, expired, used before, or another client's.
    case externalCodeRefused = "authentication.external_code_refused"
    /// The authorization code belongs to another person than the account code, or did not come with the identity token.
    case externalAccountMismatch = "authentication.external_account_mismatch"
    /// The person's account at the provider is already linked to an account.
    case externalAccountLinked = "authentication.external_account_linked"
    /// The guest's account is not linked with this external account.
    case externalAccountNotLinked = "authentication.external_account_not_linked"
    /// The guest's account is linked with as many external accounts as it may be.
    case tooManyExternalAccounts = "authentication.too_many_external_accounts"
    /// The external account is the guest's last way to sign in, so it stays.
    case lastSignInMethod = "authentication.last_sign_in_method"
    /// The guest's access token is wrong, expired, another client's, or its session has ended.
    case invalidAccessToken = "authentication.invalid_access_token"
    /// The guest's sign-in is too old for this: sign the guest in again.
    case loginRequired = "authentication.login_required"
    /// Another account has the user name.
    case usernameTaken = "authentication.username_taken"
    /// A field is not accepted; `errorsByField` says which, and why.
    case invalidFields = "authentication.invalid_fields"
    /// User name and password do not match, or there were too many wrong attempts.
    case invalidCredentials = "authentication.invalid_credentials"
    /// The hosted page's code is wrong, expired, spent or another client's, or it does not match the verifier or the redirect URI.
    case invalidAuthorizationCode = "authentication.invalid_authorization_code"
    /// The refresh token is wrong, spent, expired or revoked. Sign in again.
    case invalidRefreshToken = "authentication.invalid_refresh_token"
    /// The account requires a second factor, which the app asks for in its own sign-in.
    case secondFactorRequired = "authentication.second_factor_required"
    /// There were too many wrong codes for the guest; `Retry-After` says how long to wait.
    case locked = "authentication.locked"
    /// The account is deactivated.
    case deactivated = "authentication.deactivated"
    /// The e-mail address must be confirmed first, in the app's own sign-in.
    case emailUnverified = "authentication.email_unverified"
    /// A new password must be set first, in the app's own sign-in.
    case passwordExpired = "authentication.password_expired"
    /// The account was changed while the guest signed in. Try again.
    case accountChanged = "authentication.account_changed"
    /// This API cannot sign in to the account, whatever the proof.
    case notAdmitted = "authentication.not_admitted"
    /// The provider cannot be reached; `Retry-After` says when to try again. No attempt was counted.
    case providerUnavailable = "authentication.provider_unavailable"
    /// The server is too busy for the request; `Retry-After` says when to try again. No attempt was counted.
    case busy = "authentication.busy"
    /// The server failed.
    case systemError = "authentication.system_error"
    /// The server cannot send messages to phones, or the client may not pass on what a guest knows.
    case oneTimePasswordDisabled = "one_time_password.feature_disabled"
    /// The server failed to send a one-time password.
    case oneTimePasswordSystemError = "one_time_password.system_error"

    /// The HTTP status. Results that a guest or an app acts on have status 200, because clients of this API read the
    /// body of no other.
    package var httpStatus: Int {
        switch self {
        case .invalidRequest: 400
        case .invalidClient: 401
        case .clientNotAllowed: 403
        case .providerUnavailable, .busy: 503
        case .systemError, .oneTimePasswordSystemError: 500
        default: 200
        }
    }

    /// One sentence for developers, in English.
    package var explanation: String {
        switch self {
        case .invalidRequest: "The request is malformed."
        case .invalidClient: "The client id and secret are needed in the Authorization header (HTTP Basic)."
        case .clientNotAllowed: "The client may not request guest tokens in this way."
        case .unsupportedAuthentication: "This authentication is not supported here."
        case .unsupportedGrantType: "The grant type is not supported."
        case .invalidScope: "The client may not ask for this scope."
        case .unknownMerchant: "The merchant is unknown."
        case .unknownIntegration: "The merchant has no such integration."
        case .unknownCardTemplate: "The integration has no such card template."
        case .unknownStore: "The integration has no such activation store."
        case .noMatchingGuest: "No account is linked to this external account."
        case .invalidExternalAccount: "The identity token is not valid."
        case .externalCodeRefused: "The authorization code was refused."
        case .externalAccountMismatch: "The authorization code belongs to another person."
        case .externalAccountLinked: "The external account is already linked to an account."
        case .externalAccountNotLinked: "The guest's account is not linked with this external account."
        case .tooManyExternalAccounts: "The guest's account is linked with too many external accounts."
        case .lastSignInMethod:
            "The guest could no longer sign in: the account has neither a password nor another link."
        case .invalidAccessToken: "The guest's access token is not valid."
        case .loginRequired: "The guest's sign-in is too old: sign the guest in again."
        case .usernameTaken: "The user name is taken."
        case .invalidFields: "A field is not accepted."
        case .invalidCredentials: "The user name and password do not match."
        case .invalidAuthorizationCode: "The authorization code is not valid."
        case .invalidRefreshToken: "The refresh token is not valid."
        case .secondFactorRequired: "The account needs a second factor: sign in with the app."
        case .locked: "Too many attempts for this guest."
        case .deactivated: "The account is deactivated."
        case .emailUnverified: "The e-mail address must be confirmed first: sign in with the app."
        case .passwordExpired: "A new password must be set first: sign in with the app."
        case .accountChanged: "The account has just been changed: try again."
        case .notAdmitted: "This API cannot sign in to the account."
        case .providerUnavailable: "The identity provider cannot be reached right now."
        case .busy: "The server is busy."
        case .systemError, .oneTimePasswordSystemError: "The server failed."
        case .oneTimePasswordDisabled: "One-time passwords by SMS are not turned on."
        }
    }
}
