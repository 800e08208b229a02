/// An OAuth error answer (RFC 6749 §4.1.2.1 and §5.2), with our own code and number if there is one.
public struct OAuthError: Error, Hashable, Sendable {
    /// An `error` value. A struct, because registries and other servers define more.
    public struct Code: WireValue {
        /// The form of its text.
        public static var form: TextForm { .own(1...128, pattern: "^[ !#-\\[\\]-~]*$", example: "invalid_request") }

        /// The value.
        public let rawValue: String

        /// Validates a value.
        /// - Parameter text: 1 to 128 characters of `%x20-21 / %x23-5B / %x5D-7E`.
        public init(_ text: String) throws(MalformedValue) {
            guard (1...128).contains(text.utf8.count), OAuthError.isErrorText(text) else {
                throw MalformedValue(field: "error", reason: "is malformed")
            }
            rawValue = text
        }

        private init(known: String) { rawValue = known }
    }

    /// `error`.
    public let code: Code

    /// `error_description`: for developers, in English, never with anything secret.
    public let detail: String?

    /// `error_uri`.
    public let uri: String?

    /// `error_code`: our own, if the error has one.
    public let errorCode: ErrorCode?

    /// `status_code`: the number that older wallet apps switch on.
    public let statusCode: Int?

    /// Creates an error.
    /// - Parameters:
    ///   - code: `error`.
    ///   - detail: `error_description`; characters that the RFC does not allow are replaced.
    ///   - uri: `error_uri`.
    ///   - errorCode: our own code.
    ///   - operation: the operation, which determines the number.
    public init(
        _ code: Code, _ detail: String? = nil, uri: String? = nil, errorCode: ErrorCode? = nil,
        during operation: ErrorCode.Operation = .other
    ) {
        self.code = code
        self.detail = detail.map(OAuthError.errorText)
        self.uri = uri
        self.errorCode = errorCode
        statusCode = errorCode?.statusCode(during: operation)
    }

    /// Creates `invalid_request` from a malformed value in a request.
    /// - Parameter fault: the value, and its fault.
    public init(_ fault: MalformedValue) { self.init(.invalidRequest, fault.description) }

    /// The HTTP status: our code's, or else 401 for `invalid_client`, `invalid_token` and `invalid_dpop_proof` at
    /// resources, 500 and 503 for server faults, and 400.
    public var httpStatus: Int {
        if let status = errorCode?.httpStatus { return status }
        switch code {
        case .invalidClient, .invalidToken: return 401
        case .insufficientScope: return 403
        case .serverError: return 500
        case .temporarilyUnavailable: return 503
        default: return 400
        }
    }

    /// RFC 6749 appendix A.7 and A.8.
    private static func isErrorText(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 <= 0x7E && $0 != 0x22 && $0 != 0x5C }
    }

    private static func errorText(_ text: String) -> String {
        isErrorText(text)
            ? text
            : String(
                decoding: text.unicodeScalars.map {
                    $0.value >= 0x20 && $0.value <= 0x7E && $0 != "\"" && $0 != "\\" ? UInt8($0.value) : 0x27
                }, as: UTF8.self)
    }
}

extension OAuthError.Code {
    /// Something is missing, duplicate or malformed.
    public static let invalidRequest = Self(known: "invalid_request")
    /// The client is unknown or did not authenticate.
    public static let invalidClient = Self(known: "invalid_client")
    /// The code, refresh token or verifier is wrong, spent or belongs to another client.
    public static let invalidGrant = Self(known: "invalid_grant")
    /// The client may not do this.
    public static let unauthorizedClient = Self(known: "unauthorized_client")
    /// The grant type is unknown.
    public static let unsupportedGrantType = Self(known: "unsupported_grant_type")
    /// The scope is unknown or exceeds what is allowed.
    public static let invalidScope = Self(known: "invalid_scope")
    /// The hint names a person who cannot sign in on a phone here (OpenID CIBA Core 1.0 §13).
    public static let unknownUserID = Self(known: "unknown_user_id")
    /// The text that the person is to compare cannot be shown (OpenID CIBA Core 1.0 §13).
    public static let invalidBindingMessage = Self(known: "invalid_binding_message")
    /// The person or the policy refused.
    public static let accessDenied = Self(known: "access_denied")
    /// The response type is not `code`.
    public static let unsupportedResponseType = Self(known: "unsupported_response_type")
    /// A fault of the server.
    public static let serverError = Self(known: "server_error")
    /// The server is overloaded.
    public static let temporarilyUnavailable = Self(known: "temporarily_unavailable")
    /// The token is unknown, expired or revoked (RFC 6750).
    public static let invalidToken = Self(known: "invalid_token")
    /// The token's scope is too narrow (RFC 6750).
    public static let insufficientScope = Self(known: "insufficient_scope")
    /// The resource is unknown (RFC 8707).
    public static let invalidTarget = Self(known: "invalid_target")
    /// The authorization details are malformed, or of a type that the client may not ask for (RFC 9396).
    public static let invalidAuthorizationDetails = Self(known: "invalid_authorization_details")
    /// Revocation does not know the kind of token (RFC 7009).
    public static let unsupportedTokenType = Self(known: "unsupported_token_type")
    /// The DPoP proof is missing or wrong (RFC 9449).
    public static let invalidDPoPProof = Self(known: "invalid_dpop_proof")
    /// The DPoP proof lacks the nonce in the answer's header (RFC 9449).
    public static let useDPoPNonce = Self(known: "use_dpop_nonce")
    /// The client's attestation is wrong, or of another key (draft-ietf-oauth-attestation-based-client-auth-11).
    public static let invalidClientAttestation = Self(known: "invalid_client_attestation")
    /// The client's attestation has expired: another one is needed (the same draft).
    public static let useFreshAttestation = Self(known: "use_fresh_attestation")
    /// `prompt=none`, and the person must sign in (OpenID Connect Core).
    public static let loginRequired = Self(known: "login_required")
    /// `prompt=none`, and a page must be shown (OpenID Connect Core).
    public static let interactionRequired = Self(known: "interaction_required")
    /// `prompt=none`, and consent is needed (OpenID Connect Core).
    public static let consentRequired = Self(known: "consent_required")
    /// `prompt=none`, and an account must be chosen (OpenID Connect Core).
    public static let accountSelectionRequired = Self(known: "account_selection_required")
    /// `request` is not supported (OpenID Connect Core).
    public static let requestNotSupported = Self(known: "request_not_supported")
    /// `request_uri` is not supported (OpenID Connect Core).
    public static let requestURINotSupported = Self(known: "request_uri_not_supported")
    /// The request object is not signed by the client, or not acceptable (RFC 9101).
    public static let invalidRequestObject = Self(known: "invalid_request_object")
    /// The `request_uri` is unknown, expired, used or another client's (RFC 9101).
    public static let invalidRequestURI = Self(known: "invalid_request_uri")
    /// The requested authentication cannot be met (OpenID Connect Unmet Authentication Requirements).
    public static let unmetAuthenticationRequirements = Self(known: "unmet_authentication_requirements")
    /// Native sign-in needs another step (OAuth 2.0 for First-Party Applications).
    public static let insufficientAuthorization = Self(known: "insufficient_authorization")
    /// Native sign-in continues in a browser (OAuth 2.0 for First-Party Applications).
    public static let redirectToWeb = Self(known: "redirect_to_web")
    /// The auth session has expired or belongs to another client (OAuth 2.0 for First-Party Applications).
    public static let invalidSession = Self(known: "invalid_session")
}

extension OAuthError {
    /// The answer's members.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("error", code)
        object.set("error_description", detail)
        object.set("error_uri", uri)
        object.set("error_code", errorCode?.rawValue)
        object.set("status_code", statusCode.map(Int64.init))
        return object
    }

    /// Reads an answer. Our own members are used if they make sense; other servers send none.
    /// - Parameter object: the answer's members.
    /// - Throws: ``MalformedValue`` if there is no `error`.
    public init(_ object: JSONObject) throws(MalformedValue) {
        code = try object.required("error", try object.value("error"))
        // A malformed description must not hide the error itself.
        detail = object["error_description"]?.string.map(OAuthError.errorText)
        uri = object["error_uri"]?.string
        errorCode = object["error_code"]?.string.flatMap(ErrorCode.init(rawValue:))
        statusCode = object["status_code"]?.integer.flatMap(Int.init(exactly:))
    }
}

extension OAuthError: WireShaped {
    /// Its members.
    public static let shape = WireShape.answer(
        OAuthError.self,
        [
            .required("error", .of(Code.self)), .optional("error_description", .text(nil)),
            .optional("error_uri", .text(nil)), .optional("error_code", .text(nil)),
            .optional("status_code", .integer(100...9999)),
        ])
}
