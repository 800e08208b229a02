/// An authorization response (RFC 6749 section 4.1.2): a code or an error, the request's state, and who answers (RFC 9207).
public struct AuthorizationResponse: Hashable, Sendable {
    /// What was decided.
    public enum Outcome: Hashable, Sendable {
        /// A code to be redeemed once.
        case code(AuthorizationCode)
        /// A refusal.
        case error(OAuthError)
    }

    /// What was decided.
    public let outcome: Outcome

    /// The state of the request.
    public let state: OAuthState?

    /// Who answers. Absent only from servers that do not know RFC 9207.
    public let issuer: Issuer?

    /// Makes a response.
    /// - Parameters:
    ///   - outcome: a code or an error.
    ///   - state: the request's state.
    ///   - issuer: who answers.
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
    /// - Parameter form: the parameters; others than the response's are ignored.
    /// - Throws: ``MalformedValue`` where there is neither code nor error, or both, or something is malformed.
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

    /// Reads the URL that the user agent came back with.
    /// - Parameters:
    ///   - url: the whole URL. What stands in its fragment is ignored: no response of a code flow lies there.
    ///   - redirectURI: where the answer was to go, with the port that was in use; the URL must lead there.
    /// - Throws: ``MalformedValue``: of the field `redirect_uri` where the URL leads elsewhere, of another where it holds no
    ///   response.
    public init(callback url: String, redirectURI: RedirectURI) throws(MalformedValue) {
        let parts = try URIParts(url, field: "callback", maximumBytes: 16_384)
        let expected = try URIParts(redirectURI.rawValue, field: "redirect_uri")
        // Browsers write an empty path of an https URL as "/", and schemes and hosts in lower case.
        func isSamePlace(_ left: URIParts, _ right: URIParts) -> Bool {
            ASCII.equalIgnoringCase(left.scheme, right.scheme)
                && ASCII.equalIgnoringCase(left.authority?.text ?? "", right.authority?.text ?? "")
                && (left.path == right.path || Set([left.path, right.path]) == ["", "/"])
        }
        guard isSamePlace(parts, expected) else {
            throw MalformedValue(field: "redirect_uri", reason: "is not where the callback leads")
        }
        try self.init(form: FormParameters(parsing: parts.query ?? ""))
    }
}
