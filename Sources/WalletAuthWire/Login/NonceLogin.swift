/// The fields of `login_method=nonce`.
public struct NonceLogin: Hashable, Sendable {
    /// The one-time token that a backend had issued for this app.
    public var nonce: LoginNonce
    /// What it was issued for.
    public var purpose: LoginPurpose

    /// Makes the fields.
    /// - Parameters:
    ///   - nonce: the one-time token.
    ///   - purpose: what it was issued for.
    public init(nonce: LoginNonce, purpose: LoginPurpose = .login) {
        self.nonce = nonce
        self.purpose = purpose
    }

    init(form: FormParameters) throws(OAuthError) {
        nonce = try form.requiredSecret()
        purpose = try form.value("login_purpose") ?? .login
    }

    func add(to form: inout FormParameters) {
        form.append(secret: nonce)
        form.append("login_purpose", purpose == .login ? nil : purpose.rawValue)
    }
}
