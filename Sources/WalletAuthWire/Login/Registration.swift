/// A newcomer's request for a code that proves an address (`POST /v1/registrations`). Nothing exists before the code is entered.
///
/// The answer, and the number of messages sent, are the same for an address that has an account.
public struct RegistrationRequest: WireRequest {
    /// The app.
    public var clientID: ClientID
    /// The PKCE challenge of the sign-in that follows.
    public var codeChallenge: CodeChallenge
    /// The address that gets the code; nil if it is a phone.
    public var email: EmailAddress?
    /// The phone that gets the code, as in `+35921234567`; nil if it is an e-mail address.
    public var phone: String?
    /// The scope of the session that follows; nil for the client's.
    public var scope: Scope?
    /// The merchant of that session.
    public var merchantID: MerchantID?
    /// The language of the message.
    public var locale: LocaleTag?
    /// Whether the newcomer wants a passkey in place of a password. Where that is not possible, no code is sent.
    public var wantsPasskey: Bool

    /// Creates a value. Each parameter sets the property of the same name.
    public init(
        clientID: ClientID, codeChallenge: CodeChallenge, email: EmailAddress? = nil, phone: String? = nil,
        scope: Scope? = nil, merchantID: MerchantID? = nil, locale: LocaleTag? = nil, wantsPasskey: Bool = false
    ) {
        self.clientID = clientID
        self.codeChallenge = codeChallenge
        self.email = email
        self.phone = phone
        self.scope = scope
        self.merchantID = merchantID
        self.locale = locale
        self.wantsPasskey = wantsPasskey
    }

    enum CodingKeys: String, CodingKey {
        case clientID = "clientId"
        case codeChallenge, email, phone, scope
        case merchantID = "merchantId"
        case locale, wantsPasskey
    }

    /// A password, or what the newcomer decides later.
    public static var defaults: [String: JSONValue] { ["wantsPasskey": false] }

    /// Checks that there is one address.
    public func validate() throws(MalformedValue) {
        guard (email == nil) != (phone == nil) else {
            throw MalformedValue(field: "email", reason: "or phone is needed, and only one of them")
        }
    }
}

/// A code was sent, if the address can be reached and has no account yet; its holder gets a message in any case.
public struct RegistrationPrompt: WireMessage {
    /// Continues the registration.
    public var session: AuthSession
    /// The number of digits of the code.
    public var digits: Int64
    /// Whether this step sent a message. If not, one was sent a moment ago.
    public var sent: Bool
    /// Seconds until another message can be sent.
    public var resendAfter: Int64
    /// The validity of a code in seconds.
    public var expiresIn: Int64

    /// Creates a value. Each parameter sets the property of the same name.
    public init(session: AuthSession, digits: Int64, sent: Bool, resendAfter: Int64, expiresIn: Int64) {
        self.session = session
        self.digits = digits
        self.sent = sent
        self.resendAfter = resendAfter
        self.expiresIn = expiresIn
    }

    enum CodingKeys: String, CodingKey {
        case session = "authSession"
        case digits, sent, resendAfter, expiresIn
    }
}

/// The code of a registration (`POST /v1/registrations/confirm`).
public struct RegistrationConfirmation: WireRequest {
    /// The app.
    public var clientID: ClientID
    /// The PKCE challenge of the registration.
    public var codeChallenge: CodeChallenge
    /// From the beginning of the registration.
    public var session: AuthSession
    /// The code as typed.
    public var code: OneTimeCode

    /// Creates a value. Each parameter sets the property of the same name.
    public init(clientID: ClientID, codeChallenge: CodeChallenge, session: AuthSession, code: OneTimeCode) {
        self.clientID = clientID
        self.codeChallenge = codeChallenge
        self.session = session
        self.code = code
    }

    enum CodingKeys: String, CodingKey {
        case clientID = "clientId"
        case codeChallenge
        case session = "authSession"
        case code
    }
}

/// The code was right: the account can be made.
public struct ConfirmedRegistration: WireMessage {
    /// Finishes the registration.
    public var session: AuthSession
    /// The brand's terms, which the person accepts with the account; nil if the brand has none.
    public var termsURL: String?
    /// Whether this app may have a passkey created in place of a password.
    public var takesPasskey: Bool
    /// Seconds in which the registration can be finished.
    public var expiresIn: Int64

    /// Creates a value. Each parameter sets the property of the same name.
    public init(session: AuthSession, termsURL: String?, takesPasskey: Bool, expiresIn: Int64) {
        self.session = session
        self.termsURL = termsURL
        self.takesPasskey = takesPasskey
        self.expiresIn = expiresIn
    }

    enum CodingKeys: String, CodingKey {
        case session = "authSession"
        case termsURL = "termsUrl"
        case takesPasskey, expiresIn
    }
}

/// Asks what the newcomer's device has to create as a passkey in place of a password (`POST /v1/registrations/passkey`). The answer is
/// ``PasskeyCreationOptions``.
public struct RegistrationPasskeyRequest: WireRequest {
    /// The app.
    public var clientID: ClientID
    /// The PKCE challenge of the registration.
    public var codeChallenge: CodeChallenge
    /// From the confirmation.
    public var session: AuthSession
    /// The new account's user name, which the authenticator shows. One with an `@` has to be the confirmed address.
    public var username: Username

    /// Creates a value. Each parameter sets the property of the same name.
    public init(clientID: ClientID, codeChallenge: CodeChallenge, session: AuthSession, username: Username) {
        self.clientID = clientID
        self.codeChallenge = codeChallenge
        self.session = session
        self.username = username
    }

    enum CodingKeys: String, CodingKey {
        case clientID = "clientId"
        case codeChallenge
        case session = "authSession"
        case username
    }
}

/// Makes the account of a newcomer, and signs in (`POST /v1/registrations/finish`).
public struct RegistrationFinish: Hashable, Sendable {
    /// What signs in to the new account.
    public enum Credential: Hashable, Sendable {
        /// A password.
        case password(Password)
        /// What the device created for ``RegistrationPasskeyRequest``.
        case passkey(PasskeyRegistrationResponse)
    }

    /// The app.
    public var clientID: ClientID
    /// The PKCE challenge of the registration.
    public var codeChallenge: CodeChallenge
    /// From the confirmation.
    public var session: AuthSession
    /// The new account's user name. One with an `@` has to be the confirmed address.
    public var username: Username
    /// What signs in to the new account.
    public var credential: Credential
    /// The person's language.
    public var locale: LocaleTag?
    /// The version or address of the terms that the person accepted, recorded in the audit log.
    public var acceptedTerms: String?

    /// Creates a value. Each parameter sets the property of the same name.
    public init(
        clientID: ClientID, codeChallenge: CodeChallenge, session: AuthSession, username: Username,
        credential: Credential, locale: LocaleTag? = nil, acceptedTerms: String? = nil
    ) {
        self.clientID = clientID
        self.codeChallenge = codeChallenge
        self.session = session
        self.username = username
        self.credential = credential
        self.locale = locale
        self.acceptedTerms = acceptedTerms
    }

    /// Reads a request.
    /// - Parameter object: the body. Unknown members of the passkey are ignored, because platforms add some.
    public init(_ object: JSONObject) throws(MalformedValue) {
        try object.refuseMembers(otherThan: Self.shape)
        clientID = try object.required("clientId", object.value("clientId"))
        codeChallenge = try object.required("codeChallenge", object.value("codeChallenge"))
        session = try object.required("authSession", object.secret("authSession"))
        username = try object.required("username", object.value("username"))
        let password: Password? = try object.secret("password")
        switch (password, object["passkey"]) {
        case (let password?, nil): credential = .password(password)
        case (nil, let passkey?):
            credential = .passkey(try PasskeyRegistrationResponse(object.required("passkey", passkey.object)))
        default: throw MalformedValue(field: "password", reason: "or passkey is needed, and only one of them")
        }
        locale = try object.value("locale")
        acceptedTerms = try object.string("acceptedTerms")
        if let acceptedTerms, let reason = Self.terms.fault(in: acceptedTerms) {
            throw MalformedValue(field: "acceptedTerms", reason: reason)
        }
    }

    /// The request's JSON.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("clientId", clientID)
        object.set("codeChallenge", codeChallenge)
        object.set("authSession", session.reveal())
        object.set("username", username.typed)
        switch credential {
        case .password(let password): object.set("password", password.reveal())
        case .passkey(let passkey): object["passkey"] = .object(passkey.json)
        }
        object.set("locale", locale)
        object.set("acceptedTerms", acceptedTerms)
        return object
    }
}

extension RegistrationFinish: WireShaped {
    private static let terms = TextForm.printable(1...2048)

    /// Its members.
    public static let shape = WireShape.request(
        RegistrationFinish.self,
        [
            .required("clientId", .of(ClientID.self)), .required("codeChallenge", .of(CodeChallenge.self)),
            .required("authSession", .of(AuthSession.self)), .required("username", .of(Username.self)),
            .optional("password", .of(Password.self)), .optional("passkey", .names(.anything)),
            .optional("locale", .of(LocaleTag.self)), .optional("acceptedTerms", .text(terms)),
        ], note: "Either `password` or `passkey`.")
}
