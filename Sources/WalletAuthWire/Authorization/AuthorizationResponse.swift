/// An authorization response (RFC 6749 §4.1.2): a code or an error, the request's state, and the issuer (RFC 9207).
public struct AuthorizationResponse: Hashable, Sendable {
    /// The result.
    public enum Outcome: Hashable, Sendable {
        /// A code to be redeemed once.
        case code(AuthorizationCode)
        /// A refusal.
        case error(OAuthError)
    }

    /// The result.
    public let outcome: Outcome

    /// The state of the request.
    public let state: OAuthState?

    /// The issuer. Missing only from servers that do not support RFC 9207.
    public let issuer: Issuer?

    /// Creates a response.
    /// - Parameters:
    ///   - outcome: a code or an error.
    ///   - state: the request's state.
    ///   - issuer: the issuer.
    public init(_ outcome: Outcome, state: OAuthState?, issuer: Issuer?) {
        self.outcome = outcome
        self.state = state
        self.issuer = issuer
    }

    /// The response's parameters, for the redirect's query or a form that is posted.
    public var form: FormParameters {
        var form = FormParameters()
        switch outcome {
        case .code(let code): form.append("code", secret: code)
        case .error(let error):
            form.append("error", error.code)
            form.append("error_description", error.detail)
            form.append("error_uri", error.uri)
            form.append("error_code", error.errorCode?.rawValue)
            form.append("status_code", error.statusCode.map(String.init))
        }
        form.append("state", state)
        form.append("iss", issuer)
        return form
    }

    /// Reads a response's parameters.
    /// - Parameter form: the parameters; unknown ones are ignored.
    /// - Throws: ``MalformedValue`` if there is neither code nor error, or both, or something is malformed.
    public init(form: FormParameters) throws(MalformedValue) {
        switch (form["code"], form["error"]) {
        case (let code?, nil): outcome = .code(try AuthorizationCode(code))
        case (nil, _?):
            var object = JSONObject()
            for name in ["error", "error_description", "error_uri", "error_code"] { object.set(name, form[name]) }
            object.set("status_code", form["status_code"].flatMap { Int64($0) })
            outcome = .error(try OAuthError(object))
        case (_?, _?): throw MalformedValue(field: "callback", reason: "has both a code and an error")
        case (nil, nil): throw MalformedValue(field: "callback", reason: "has neither a code nor an error")
        }
        state = try form["state"].map { text throws(MalformedValue) in try OAuthState(text) }
        issuer = try form["iss"].map { text throws(MalformedValue) in try Issuer(text) }
    }

    /// Reads the URL with which the user agent returned.
    /// - Parameters:
    ///   - url: the whole URL. Its fragment is ignored: a code flow never responds there.
    ///   - redirectURI: the redirect URI, with the actual port; the URL must match it.
    /// - Throws: ``MalformedValue``: of the field `redirect_uri` if the URL does not match, of another if it contains
    ///   no response.
    public init(callback url: String, redirectURI: RedirectURI) throws(MalformedValue) {
        let parts = try URIParts(url, field: "callback", maximumBytes: 16_384)
        let expected = try URIParts(redirectURI.rawValue, field: "redirect_uri")
        // Browsers write the empty path of an https URL as "/", and schemes and hosts in lower case.
        func isSamePlace(_ left: URIParts, _ right: URIParts) -> Bool {
            ASCII.equalIgnoringCase(left.scheme, right.scheme)
                && ASCII.equalIgnoringCase(left.authority?.text ?? "", right.authority?.text ?? "")
                && (left.path == right.path || Set([left.path, right.path]) == ["", "/"])
        }
        guard isSamePlace(parts, expected) else {
            throw MalformedValue(field: "redirect_uri", reason: "does not match the callback")
        }
        try self.init(form: FormParameters(parsing: parts.query ?? ""))
    }
}
