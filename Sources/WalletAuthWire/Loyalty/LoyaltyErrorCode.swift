/// Why a request of the loyalty API fails: the `errorCode` of its answers.
public enum LoyaltyErrorCode: String, Error, Hashable, Sendable, CaseIterable {
    /// The body is no JSON object, or a member is missing, doubled, unknown or of the wrong type.
    case invalidRequest = "authentication.invalid_request"
    /// Client id and secret in the `Authorization` header are missing or wrong.
    case invalidClient = "authentication.invalid_client"
    /// The client may not request guest tokens, or not in this way.
    case clientNotAllowed = "authentication.client_not_allowed"
    /// `authentication` is something else than `b2b`.
    case unsupportedAuthentication = "authentication.unsupported_authentication"
    /// `grant_type` is not known here.
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
    /// The identity token does not hold: wrong signature, client or nonce, expired, or older than five minutes.
    case invalidExternalAccount = "authentication.invalid_external_account"
    /// The provider refuses the authorization code: wrong, expired, used before, or another client's.
    case externalCodeRefused = "authentication.external_code_refused"
    /// The authorization code belongs to another person than the account code.
    case externalAccountMismatch = "authentication.external_account_mismatch"
    /// The person's account at the provider is linked to an account already.
    case externalAccountLinked = "authentication.external_account_linked"
    /// Another account has the user name.
    case usernameTaken = "authentication.username_taken"
    /// A field is not accepted; `errorsByField` says which, and why.
    case invalidFields = "authentication.invalid_fields"
    /// User name and password do not match, or too many wrong ones were tried.
    case invalidCredentials = "authentication.invalid_credentials"
    /// The refresh token is wrong, spent, expired or revoked: sign in again.
    case invalidRefreshToken = "authentication.invalid_refresh_token"
    /// The account is signed in to with a second factor, which the app asks for in its own sign-in.
    case secondFactorRequired = "authentication.second_factor_required"
    /// Too many wrong codes were brought for the guest; `Retry-After` says for how long.
    case locked = "authentication.locked"
    /// The account is deactivated.
    case deactivated = "authentication.deactivated"
    /// The e-mail address has to be confirmed first, in the app's own sign-in.
    case emailUnverified = "authentication.email_unverified"
    /// A new password has to be set first, in the app's own sign-in.
    case passwordExpired = "authentication.password_expired"
    /// The account was changed while the guest signed in: try again.
    case accountChanged = "authentication.account_changed"
    /// The account cannot be signed in to by this API, whatever is proved.
    case notAdmitted = "authentication.not_admitted"
    /// The provider cannot be asked; `Retry-After` says when to try again. No attempt was counted.
    case providerUnavailable = "authentication.provider_unavailable"
    /// The server has no room for the request; `Retry-After` says when to try again. No attempt was counted.
    case busy = "authentication.busy"
    /// The server failed.
    case systemError = "authentication.system_error"

    /// The HTTP status. What a guest or an app decides about comes with 200, since the clients of this API read the body of
    /// nothing else.
    public var httpStatus: Int {
        switch self {
        case .invalidRequest: 400
        case .invalidClient: 401
        case .clientNotAllowed: 403
        case .providerUnavailable, .busy: 503
        case .systemError: 500
        default: 200
        }
    }

    /// One sentence for developers, in English.
    public var explanation: String {
        switch self {
        case .invalidRequest: "The request is malformed."
        case .invalidClient: "Client id and secret are needed in the Authorization header (HTTP Basic)."
        case .clientNotAllowed: "The client may not request guest tokens in this way."
        case .unsupportedAuthentication: "The only authentication here is b2b."
        case .unsupportedGrantType: "The grant type is not known here."
        case .invalidScope: "The client may not ask for this scope."
        case .unknownMerchant: "The merchant is not known here."
        case .unknownIntegration: "The merchant has no such integration."
        case .unknownCardTemplate: "The integration has no such card template."
        case .unknownStore: "The integration has no such activation store."
        case .noMatchingGuest: "No account is linked to this external account."
        case .invalidExternalAccount: "The identity token is not valid."
        case .externalCodeRefused: "The authorization code was refused."
        case .externalAccountMismatch: "The authorization code belongs to another person."
        case .externalAccountLinked: "The external account is linked to an account already."
        case .usernameTaken: "The user name is taken."
        case .invalidFields: "A field is not accepted."
        case .invalidCredentials: "User name and password do not match."
        case .invalidRefreshToken: "The refresh token is not valid."
        case .secondFactorRequired: "The account needs a second factor: sign in with the app."
        case .locked: "Too many attempts for this guest."
        case .deactivated: "The account is deactivated."
        case .emailUnverified: "The e-mail address has to be confirmed first: sign in with the app."
        case .passwordExpired: "A new password has to be set first: sign in with the app."
        case .accountChanged: "The account has just been changed: try again."
        case .notAdmitted: "The account cannot be signed in to here."
        case .providerUnavailable: "The identity provider cannot be asked just now."
        case .busy: "The server is busy."
        case .systemError: "The server failed."
        }
    }
}
