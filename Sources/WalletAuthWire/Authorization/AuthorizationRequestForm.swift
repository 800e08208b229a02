extension AuthorizationRequest {
    /// Reads a request from a query or a form body.
    /// - Parameter form: the parameters.
    /// - Throws: ``Refusal``, which says whether to report it to the client.
    public init(form: FormParameters) throws(Refusal) {
        let target = try Target(form: form)
        do {
            try self.init(target, form: form)
        } catch { throw .redirect(target, error) }
    }

    private init(_ target: Target, form: FormParameters) throws(OAuthError) {
        if form["request"] != nil { throw OAuthError(.requestNotSupported, "request objects are not supported") }
        if form["request_uri"] != nil { throw OAuthError(.requestURINotSupported, "request_uri is not supported") }
        guard let responseType = form["response_type"] else { throw FormParameters.missing("response_type") }
        guard responseType == "code" else {
            throw OAuthError(.unsupportedResponseType, "response_type is not code")
        }
        if let mode = form["response_mode"], ResponseMode(rawValue: mode) == nil {
            throw OAuthError(
                .invalidRequest, MalformedValue(field: "response_mode", notOneOf: ResponseMode.self).description)
        }
        self.init(
            clientID: target.clientID, redirectURI: target.redirectURI, codeChallenge: try form.optionalCodeChallenge(),
            scope: try form.scope() ?? .none, state: target.state)
        responseMode = target.responseMode
        // A malformed state cannot be part of the redirect, but it is an error nevertheless.
        if let text = form["state"], target.state == nil {
            do { _ = try OAuthState(text) } catch { throw OAuthError(.invalidRequest, error.description) }
        }
        nonce = try form.value("nonce")
        try readPresentation(form)
        try readBinding(form)
    }

    private mutating func readPresentation(_ form: FormParameters) throws(OAuthError) {
        prompt = try form.words("prompt").compactMap(Prompt.init(rawValue:))
        guard !prompt.contains(.none) || prompt.count == 1 else {
            throw OAuthError(.invalidRequest, "prompt combines none with another value")
        }
        if let text = form["max_age"] {
            guard text.utf8.count <= 10, text.utf8.allSatisfy(ASCII.isDigit), let seconds = Int64(text) else {
                throw OAuthError(.invalidRequest, "max_age is not a whole number of seconds")
            }
            maxAge = seconds
        }
        acrValues = try form.words("acr_values")
        let hint = try form.typedText("login_hint", maximumBytes: 256)
        loginHint = hint?.isEmpty == false ? hint : nil
        uiLocales = try form.words("ui_locales").compactMap { try? LocaleTag($0) }
        brand = try form.value("brand")
        loginStrategy = try form.named("login_strategy")
        resetCredentialsURL = try form.value("reset_credentials_url")
        if let text = form["expires_at"] {
            guard text.utf8.count <= 12, text.utf8.allSatisfy(ASCII.isDigit),
                let date = Int64(text).flatMap(NumericDate.init(exactly:))
            else { throw OAuthError(.invalidRequest, "expires_at is not a time in seconds") }
            expiresAt = date
        }
    }

    private mutating func readBinding(_ form: FormParameters) throws(OAuthError) {
        idTokenHint = try form.secret("id_token_hint")
        dpopKeyThumbprint = try form.value("dpop_jkt")
        resources = try ResourceIndicators.read(form)
        if let text = form[ClaimsRequest.field] {
            do { claims = try ClaimsRequest(text) } catch { throw OAuthError(error) }
        }
        if let required = claims?.requiredACR, !required.isEmpty { acrValues = required }
        if let text = form[AuthorizationDetails.field] {
            do { authorizationDetails = try AuthorizationDetails(text) } catch {
                throw OAuthError(.invalidAuthorizationDetails, error.description)
            }
        }
        merchantID = try form.value("merchant_id")
    }

    /// The request as parameters of a query or a form body. A pushed request is its reference, a signed one its object.
    public var form: FormParameters {
        var form = FormParameters()
        if requestURI != nil || requestObject != nil {
            form.append("client_id", clientID)
            form.append("request_uri", requestURI)
            if requestURI == nil { form.append("request", requestObject) }
            return form
        }
        form.append("response_type", "code")
        form.append("client_id", clientID)
        form.append("redirect_uri", redirectURI)
        form.append("code_challenge", codeChallenge)
        form.append("code_challenge_method", codeChallenge.map { _ in CodeChallenge.method })
        if !scope.isEmpty { form.append("scope", scope) }
        form.append("state", state)
        form.append("nonce", nonce)
        if responseMode != .query { form.append("response_mode", responseMode.rawValue) }
        form.append("prompt", words: prompt.map(\.rawValue))
        form.append("max_age", maxAge.map(String.init))
        form.append("acr_values", words: acrValues)
        form.append("login_hint", loginHint)
        form.append("ui_locales", words: uiLocales.map(\.rawValue))
        form.append("id_token_hint", secret: idTokenHint)
        form.append("dpop_jkt", dpopKeyThumbprint)
        for resource in resources { form.append("resource", resource) }
        form.append(ClaimsRequest.field, claims)
        form.append(AuthorizationDetails.field, authorizationDetails)
        form.append("merchant_id", merchantID)
        form.append("brand", brand)
        form.append("login_strategy", loginStrategy?.rawValue)
        form.append("reset_credentials_url", resetCredentialsURL)
        form.append("expires_at", expiresAt.map { String($0.secondsSince1970) })
        return form
    }
}

extension AuthorizationRequest.Target {
    /// Reads client and redirect URI, without which no error can be reported to the client.
    /// - Parameter form: the parameters.
    init(form: FormParameters) throws(AuthorizationRequest.Refusal) {
        do {
            clientID = try form.required("client_id")
            redirectURI = try form.required("redirect_uri")
        } catch { throw .showPage(error) }
        state = form["state"].flatMap { try? OAuthState($0) }
        responseMode = form["response_mode"].flatMap(AuthorizationRequest.ResponseMode.init(rawValue:)) ?? .query
    }
}

/// The `resource` parameters of a request (RFC 8707 §2): absolute URIs without a fragment.
enum ResourceIndicators {
    static let maximumCount = 8

    static func read(_ form: FormParameters) throws(OAuthError) -> [String] {
        let resources = form.values("resource")
        guard resources.count <= maximumCount else {
            throw OAuthError(.invalidTarget, "more than \(maximumCount) resources")
        }
        for resource in resources {
            guard let parts = try? URIParts(resource, field: "resource"), parts.fragment == nil else {
                throw OAuthError(.invalidTarget, "resource is not an absolute URI without fragment")
            }
        }
        return resources
    }
}
