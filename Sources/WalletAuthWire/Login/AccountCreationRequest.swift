/// Creates an account for a person whom a provider knows and this server does not (`POST /v1/accounts`), and signs in.
public struct AccountCreationRequest: Hashable, Sendable {
    /// The app.
    public var clientID: ClientID
    /// The PKCE challenge of the sign-in.
    public var codeChallenge: CodeChallenge
    /// The session from the sign-in's `no_matching_guest`.
    public var session: AuthSession
    /// The new account's user name.
    public var username: Username
    /// The e-mail address; nil for the provider's, if it sent one.
    public var email: EmailAddress?
    /// The person's language.
    public var locale: LocaleTag?
    /// The version of the terms that the person accepted, recorded in the audit log.
    public var acceptedTerms: String?

    /// Creates a request.
    /// - Parameters:
    ///   - clientID: the app.
    ///   - codeChallenge: the PKCE challenge of the sign-in.
    ///   - session: from the sign-in.
    ///   - username: the new account's user name.
    ///   - email: the e-mail address.
    ///   - locale: the person's language.
    ///   - acceptedTerms: the version of the terms that the person accepted.
    public init(
        clientID: ClientID, codeChallenge: CodeChallenge, session: AuthSession, username: Username,
        email: EmailAddress? = nil, locale: LocaleTag? = nil, acceptedTerms: String? = nil
    ) {
        self.clientID = clientID
        self.codeChallenge = codeChallenge
        self.session = session
        self.username = username
        self.email = email
        self.locale = locale
        self.acceptedTerms = acceptedTerms
    }

    /// Reads a request's JSON. Unknown members are refused: a client cannot claim that an address is verified. A phone
    /// number is refused too: codes would go there at the operator's cost, and nothing here confirms that it is the
    /// person's.
    /// - Parameter object: the body.
    public init(_ object: JSONObject) throws(MalformedValue) {
        if object["phone"] != nil {
            throw MalformedValue(field: "phone", reason: "is not accepted here, because nothing confirms it")
        }
        try object.refuseMembers(otherThan: Self.shape)
        clientID = try object.required("clientId", object.value("clientId"))
        codeChallenge = try object.required("codeChallenge", object.value("codeChallenge"))
        session = try object.required("authSession", object.secret("authSession"))
        username = try object.required("username", object.value("username"))
        if let reason = ShownText.fault(in: username.rawValue) {
            throw MalformedValue(field: "username", reason: reason)
        }
        email = try object.value("email")
        locale = try object.value("locale")
        acceptedTerms = try object.text("acceptedTerms", Self.termsForm)
    }

    /// The request's JSON.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("clientId", clientID)
        object.set("codeChallenge", codeChallenge)
        object.set("authSession", session.reveal())
        object.set("username", username.typed)
        object.set("email", email)
        object.set("locale", locale)
        object.set("acceptedTerms", acceptedTerms)
        return object
    }
}

extension JSONObject {
    /// A text of limited length without control characters, or nil if the member is absent.
    fileprivate func text(_ name: String, _ form: TextForm) throws(MalformedValue) -> String? {
        guard let text = try string(name) else { return nil }
        if let reason = form.fault(in: text) { throw MalformedValue(field: name, reason: reason) }
        return text
    }
}

extension AccountCreationRequest: WireShaped {
    private static let termsForm = TextForm.printable(1...64)

    /// Its members.
    public static let shape = WireShape.request(
        AccountCreationRequest.self,
        [
            .required("clientId", .of(ClientID.self)), .required("codeChallenge", .of(CodeChallenge.self)),
            .required("authSession", .of(AuthSession.self)), .required("username", .of(Username.self)),
            .optional("email", .of(EmailAddress.self)), .optional("locale", .of(LocaleTag.self)),
            .optional("acceptedTerms", .text(termsForm)),
        ])
}
