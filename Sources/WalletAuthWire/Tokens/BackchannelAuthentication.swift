/// A client's request to have a person sign in on their phone (OpenID CIBA Core 1.0 §7.1).
public struct BackchannelAuthenticationRequest: Hashable, Sendable {
    /// What names the person.
    public enum Hint: Hashable, Sendable {
        /// `login_hint`: the user name, or the confirmed e-mail address, as the person would type it to sign in.
        case login(String)
        /// `id_token_hint`: an ID token of the client. It may have expired.
        case idToken(IDToken)
    }

    /// The client.
    public var client: ClientAuthentication
    /// The person.
    public var hint: Hint
    /// The requested scopes, of which `openid` is one.
    public var scope: Scope
    /// The text that the phone shows, and the client as well, so that the person can compare the two.
    public var bindingMessage: String?
    /// The authentication context classes that the client wishes.
    public var acrValues: [String]
    /// How many seconds the client wishes the person to have.
    public var requestedExpiry: Int64?
    /// The bearer token of the server's notification to the client.
    public var notificationToken: ClientNotificationToken?
    /// The resources that the tokens are for (RFC 8707).
    public var resources: [String]
    /// What the client asks for besides scopes (RFC 9396).
    public var authorizationDetails: AuthorizationDetails?

    /// Creates a request. Each parameter sets the property of the same name.
    public init(
        client: ClientAuthentication, hint: Hint, scope: Scope, bindingMessage: String? = nil, acrValues: [String] = [],
        requestedExpiry: Int64? = nil, notificationToken: ClientNotificationToken? = nil, resources: [String] = [],
        authorizationDetails: AuthorizationDetails? = nil
    ) {
        self.client = client
        self.hint = hint
        self.scope = scope
        self.bindingMessage = bindingMessage
        self.acrValues = acrValues
        self.requestedExpiry = requestedExpiry
        self.notificationToken = notificationToken
        self.resources = resources
        self.authorizationDetails = authorizationDetails
    }

    /// Reads a request.
    /// - Parameters:
    ///   - form: the body's parameters.
    ///   - authorization: the Authorization header, or nil.
    /// - Throws: ``OAuthError`` to answer with (§13).
    public init(form: FormParameters, authorization: String?) throws(OAuthError) {
        client = try ClientAuthentication(form: form, authorization: authorization)
        guard form["request"] == nil else { throw OAuthError(.invalidRequest, "signed requests are not supported") }
        hint = try Self.hint(form)
        guard let scope = try form.scope() else { throw FormParameters.missing("scope") }
        guard scope.contains("openid") else { throw OAuthError(.invalidScope, "scope has no openid") }
        self.scope = scope
        bindingMessage = try Self.bindingMessage(form)
        acrValues = try form.words("acr_values", maximum: 8)
        requestedExpiry = try Self.expiry(form)
        notificationToken = try form.secret()
        resources = try ResourceIndicators.read(form)
        guard let details = form[AuthorizationDetails.field] else { return }
        do { authorizationDetails = try AuthorizationDetails(details) } catch {
            throw OAuthError(.invalidAuthorizationDetails, error.description)
        }
    }

    private static func hint(_ form: FormParameters) throws(OAuthError) -> Hint {
        guard form["login_hint_token"] == nil else {
            throw OAuthError(.invalidRequest, "login_hint_token is not supported: send login_hint or id_token_hint")
        }
        let name = try form.typedText("login_hint", maximumBytes: 256)
        let token: IDToken? = try form.secret("id_token_hint")
        switch (name, token) {
        case (let name?, nil): return .login(name)
        case (nil, let token?): return .idToken(token)
        case (nil, nil), (_?, _?):
            throw OAuthError(.invalidRequest, "exactly one of login_hint and id_token_hint is required")
        }
    }

    /// In characters: it has to be compared at a glance.
    private static let longestMessage = 64

    private static func bindingMessage(_ form: FormParameters) throws(OAuthError) -> String? {
        guard let text = form["binding_message"] else { return nil }
        let fault = TextRule.shown(text, 1...256) ?? TextRule.illegible(text) ?? TextRule.gapped(text)
        if let fault { throw OAuthError(.invalidBindingMessage, "binding_message \(fault)") }
        guard text.count <= longestMessage else {
            throw OAuthError(.invalidBindingMessage, "binding_message is longer than \(longestMessage) characters")
        }
        return text
    }

    private static func expiry(_ form: FormParameters) throws(OAuthError) -> Int64? {
        guard let text = form["requested_expiry"] else { return nil }
        guard let seconds = Int64(text), seconds > 0 else {
            throw OAuthError(.invalidRequest, "requested_expiry is not a positive number of seconds")
        }
        return seconds
    }

    /// The body's parameters.
    public var form: FormParameters {
        var form = FormParameters()
        form.append("scope", scope)
        switch hint {
        case .login(let name): form.append("login_hint", name)
        case .idToken(let token): form.append("id_token_hint", token.reveal())
        }
        form.append("binding_message", bindingMessage)
        form.append("acr_values", words: acrValues)
        form.append("requested_expiry", requestedExpiry.map { String($0) })
        form.append(secret: notificationToken)
        for resource in resources { form.append("resource", resource) }
        form.append(AuthorizationDetails.field, authorizationDetails)
        client.add(to: &form)
        return form
    }
}

/// The answer to a request that the person can decide on now (OpenID CIBA Core 1.0 §7.3).
public struct BackchannelAuthenticationResponse: Hashable, Sendable {
    /// What the client asks for tokens with.
    public var requestID: AuthenticationRequestID
    /// How long it works, in seconds.
    public var expiresIn: Int64
    /// The least time between two polls, in seconds.
    public var interval: Int64

    /// Creates an answer. Each parameter sets the property of the same name.
    public init(requestID: AuthenticationRequestID, expiresIn: Int64, interval: Int64) {
        self.requestID = requestID
        self.expiresIn = expiresIn
        self.interval = interval
    }

    /// The body.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("auth_req_id", requestID.reveal())
        object.set("expires_in", expiresIn)
        object.set("interval", interval)
        return object
    }
}

extension BackchannelAuthenticationRequest: WireShaped {
    /// The parameters.
    public static let shape = WireShape.answer(
        BackchannelAuthenticationRequest.self,
        [
            .required("scope", .of(Scope.self)), .optional("login_hint", .text(nil)),
            .optional("id_token_hint", .of(IDToken.self)), .optional("binding_message", .text(nil)),
            .optional("acr_values", .text(nil)), .optional("requested_expiry", .integer(nil)),
            .optional("client_notification_token", .of(ClientNotificationToken.self)),
            .optional("resource", .array(.text(nil))),
            .optional(AuthorizationDetails.field, .of(AuthorizationDetails.self)),
        ] + ClientAuthentication.members)
}

extension BackchannelAuthenticationResponse: WireShaped {
    /// Its members.
    public static let shape = WireShape.answer(
        BackchannelAuthenticationResponse.self,
        [
            .required("auth_req_id", .of(AuthenticationRequestID.self)), .required("expires_in", .integer(nil)),
            .required("interval", .integer(nil)),
        ])
}
