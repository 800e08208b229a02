/// The fields of `login_method=federated_identity`.
public struct FederatedLogin: Hashable, Sendable {
    /// The credential from the provider.
    public enum Credential: Hashable, Sendable {
        /// A code of the provider's authorization endpoint, which the server redeems there. A vendor's service, such as
        /// Apple's, adds an identity token, which says for which of the operator's clients the code was issued.
        case authorizationCode(
            AuthorizationCode, redirectURI: String?, verifier: CodeVerifier?, challenge: ChallengeID,
            idToken: IDToken? = nil)
        /// An ID token that the app received from the provider.
        case idToken(IDToken, challenge: ChallengeID)
        /// The user name and password in the issuer's own user repository.
        case password(username: String, Password)
    }

    /// The operator's name for the provider.
    public var provider: ProviderID
    /// The credential.
    public var credential: Credential

    /// Creates the fields.
    /// - Parameters:
    ///   - provider: the operator's name for the provider.
    ///   - credential: the credential.
    public init(provider: ProviderID, credential: Credential) {
        self.provider = provider
        self.credential = credential
    }

    /// The maximum length of a user name passed to another repository, in bytes.
    public static let longestUsername = 256

    init(form: FormParameters) throws(OAuthError) {
        provider = try form.required("provider")
        let code: AuthorizationCode? = try form.secret("authorization_code")
        let token: IDToken? = try form.secret()
        let username = try form.typedText("username", maximumBytes: Self.longestUsername)
        switch (code, token, username) {
        case (let code?, let token, nil):
            credential = .authorizationCode(
                code, redirectURI: try form.text("redirect_uri", maximumBytes: 2048),
                verifier: try form.secret(), challenge: try form.required("challenge_id"), idToken: token)
        case (nil, let token?, nil): credential = .idToken(token, challenge: try form.required("challenge_id"))
        case (nil, nil, let username?): credential = .password(username: username, try form.requiredSecret())
        default:
            throw OAuthError(
                .invalidRequest,
                "exactly one of authorization_code (with or without id_token), id_token and username is required")
        }
    }

    func add(to form: inout FormParameters) {
        form.append("provider", provider)
        switch credential {
        case .authorizationCode(let code, let redirectURI, let verifier, let challenge, let token):
            form.append("authorization_code", secret: code)
            if let token { form.append(secret: token) }
            form.append("redirect_uri", redirectURI)
            form.append("code_verifier", verifier?.reveal())
            form.append("challenge_id", challenge)
        case .idToken(let token, let challenge):
            form.append(secret: token)
            form.append("challenge_id", challenge)
        case .password(let username, let password):
            form.append("username", username)
            form.append(secret: password)
        }
    }
}

/// The operator's name for an identity provider: 1 to 64 letters, digits, `-`, `.`, `_`, `~`.
public struct ProviderID: WireValue {
    /// The form of its text.
    public static var form: TextForm { .identifier(1...64) }

    /// The identifier.
    public let rawValue: String

    /// Validates an identifier.
    /// - Parameter text: the received text.
    public init(_ text: String) throws(MalformedValue) { rawValue = try Self.checked(text, "provider") }
}
