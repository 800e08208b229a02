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

    /// Creates a value. Each parameter sets the property of the same name.
    public init(
        clientID: ClientID, codeChallenge: CodeChallenge, email: EmailAddress? = nil, phone: String? = nil,
        scope: Scope? = nil, merchantID: MerchantID? = nil, locale: LocaleTag? = nil
    ) {
        self.clientID = clientID
        self.codeChallenge = codeChallenge
        self.email = email
        self.phone = phone
        self.scope = scope
        self.merchantID = merchantID
        self.locale = locale
    }

    enum CodingKeys: String, CodingKey {
        case clientID = "clientId"
        case codeChallenge, email, phone, scope
        case merchantID = "merchantId"
        case locale
    }

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
    /// Seconds in which the registration can be finished.
    public var expiresIn: Int64

    /// Creates a value. Each parameter sets the property of the same name.
    public init(session: AuthSession, termsURL: String?, expiresIn: Int64) {
        self.session = session
        self.termsURL = termsURL
        self.expiresIn = expiresIn
    }

    enum CodingKeys: String, CodingKey {
        case session = "authSession"
        case termsURL = "termsUrl"
        case expiresIn
    }
}

/// Makes the account of a newcomer, and signs in (`POST /v1/registrations/finish`).
public struct RegistrationFinish: WireRequest {
    /// The app.
    public var clientID: ClientID
    /// The PKCE challenge of the registration.
    public var codeChallenge: CodeChallenge
    /// From the confirmation.
    public var session: AuthSession
    /// The new account's user name. One with an `@` has to be the confirmed address.
    public var username: Username
    /// The new account's password.
    public var password: Password
    /// The person's language.
    public var locale: LocaleTag?
    /// The version or address of the terms that the person accepted, recorded in the audit log.
    public var acceptedTerms: String?

    /// Creates a value. Each parameter sets the property of the same name.
    public init(
        clientID: ClientID, codeChallenge: CodeChallenge, session: AuthSession, username: Username, password: Password,
        locale: LocaleTag? = nil, acceptedTerms: String? = nil
    ) {
        self.clientID = clientID
        self.codeChallenge = codeChallenge
        self.session = session
        self.username = username
        self.password = password
        self.locale = locale
        self.acceptedTerms = acceptedTerms
    }

    enum CodingKeys: String, CodingKey {
        case clientID = "clientId"
        case codeChallenge
        case session = "authSession"
        case username, password, locale, acceptedTerms
    }

    /// Checks the terms.
    public func validate() throws(MalformedValue) {
        guard let acceptedTerms else { return }
        if let reason = TextForm.printable(1...2048).fault(in: acceptedTerms) {
            throw MalformedValue(field: "acceptedTerms", reason: reason)
        }
    }
}
