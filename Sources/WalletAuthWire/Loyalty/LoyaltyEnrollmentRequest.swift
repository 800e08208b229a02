/// Creates a loyalty account for a guest whom an identity provider knows (`POST /enrollment/createAndRegister.json`).
public struct LoyaltyEnrollmentRequest: Hashable, Sendable {
    /// The guest's merchant.
    public var merchantID: Int64
    /// The integration's card template; nil if the request names none.
    public var cardTemplateCode: Int64?
    /// The integration's activation store; nil if the request names none.
    public var activationStoreCode: String?
    /// The fields that must be unique; the user name always is.
    public var enforceUniqueFields: [String]
    /// The new account's user name.
    public var username: Username
    /// The new account's password.
    public var password: Password
    /// The rest of the enrollment form.
    public var profile: GuestProfile
    /// The guest's account at the provider.
    public var externalAccount: ExternalAccount

    /// Creates a value. Each parameter sets the property of the same name.
    public init(
        merchantID: Int64, cardTemplateCode: Int64?, activationStoreCode: String?, enforceUniqueFields: [String] = [],
        username: Username, password: Password, profile: GuestProfile = GuestProfile(),
        externalAccount: ExternalAccount
    ) {
        self.merchantID = merchantID
        self.cardTemplateCode = cardTemplateCode
        self.activationStoreCode = activationStoreCode
        self.enforceUniqueFields = enforceUniqueFields
        self.username = username
        self.password = password
        self.profile = profile
        self.externalAccount = externalAccount
    }

    /// Reads a request's JSON. Unknown members are refused, including those of the account: a client cannot claim
    /// whether an address is verified, or whose account it is.
    /// - Parameter object: the body.
    /// - Throws: ``LoyaltyFailure`` to answer with.
    public init(_ object: JSONObject) throws(LoyaltyFailure) {
        try object.requireB2B()
        try object.reading { (object) throws(MalformedValue) in
            try object.refuseMembers(otherThan: [
                "authentication", "merchantId", "cardTemplateCode", "activationStoreCode", "enforceUniqueFields",
                "setUserFields", "setAccountFields",
            ])
        }
        merchantID = try object.merchantID()
        cardTemplateCode = try object.reading { (object) throws(MalformedValue) in
            try object.integer("cardTemplateCode")
        }
        activationStoreCode = try object.reading { (object) throws(MalformedValue) -> String? in
            guard let code = try object.string("activationStoreCode") else { return nil }
            if let reason = TextRule.printable(code, 0...255) {
                throw MalformedValue(field: "activationStoreCode", reason: reason)
            }
            return code
        }
        enforceUniqueFields =
            try object.reading { (object) throws(MalformedValue) in try object.strings("enforceUniqueFields") } ?? []
        // No other field can be compared: they are sealed.
        guard enforceUniqueFields.allSatisfy({ $0 == "username" }) else {
            throw .field("enforceUniqueFields", .notAccepted)
        }
        let user = try object.reading { (object) throws(MalformedValue) in
            try object.required("setUserFields", object.object("setUserFields"))
        }
        let account = try object.reading { (object) throws(MalformedValue) in
            try object.required("setAccountFields", object.object("setAccountFields"))
        }
        try user.refuseFields(otherThan: Set(GuestProfile.names).union(["style", "username", "password"]))
        try account.refuseFields(otherThan: ["style", "externalAccounts"])
        let style = try user.fieldStyle()
        // Its one field is a list of objects in either style.
        _ = try account.fieldStyle()
        username = try Self.username(in: user, style)
        let typed = try user.text(ofField: "password", style)
        do { password = try Password(typed) } catch { throw .field("password", .invalid) }
        profile = try GuestProfile(user, style)
        externalAccount = try Self.externalAccount(in: account)
    }

    private static func username(in fields: JSONObject, _ style: FieldStyle) throws(LoyaltyFailure) -> Username {
        let typed = try fields.text(ofField: "username", style)
        guard let name = try? Username(typed), ShownText.fault(in: name.rawValue) == nil else {
            throw .field("username", .invalid)
        }
        return name
    }

    private static func externalAccount(in fields: JSONObject) throws(LoyaltyFailure) -> ExternalAccount {
        guard let listed = fields["externalAccounts"], listed != .null else {
            throw .field("externalAccounts", .required)
        }
        guard let accounts = listed.array, accounts.count == 1, let only = accounts[0].object else {
            throw .field("externalAccounts", .exactlyOne)
        }
        return try ExternalAccount(only, .ofAccounts)
    }

    /// The request's JSON.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("authentication", "b2b")
        object.set("merchantId", merchantID)
        object.set("cardTemplateCode", cardTemplateCode)
        object.set("activationStoreCode", activationStoreCode)
        object["enforceUniqueFields"] = .strings(enforceUniqueFields)
        var user = JSONObject()
        user.set("style", "typed")
        user.set("username", username.typed)
        user.set("password", password.reveal())
        profile.write(to: &user)
        object["setUserFields"] = .object(user)
        var account = JSONObject()
        account.set("style", "typed")
        account["externalAccounts"] = .array([.object(externalAccount.json(.ofAccounts))])
        object["setAccountFields"] = .object(account)
        return object
    }
}

/// The answer to a ``LoyaltyEnrollmentRequest``.
public struct LoyaltyEnrollmentResponse: Hashable, Sendable {
    /// The integrators' number for the account.
    public var accountID: Int64
    /// The guest's tokens.
    public var tokens: GuestTokens

    /// Creates a value. Each parameter sets the property of the same name.
    public init(accountID: Int64, tokens: GuestTokens) {
        self.accountID = accountID
        self.tokens = tokens
    }

    /// `result` of the answer. Clients of this endpoint expect this word, though there are no cards here.
    public static let result = "cardCreatedSuccess"

    /// Reads an answer.
    /// - Parameter object: the body.
    /// - Throws: ``MalformedValue`` if it is anything else.
    public init(_ object: JSONObject) throws(MalformedValue) {
        guard object["result"]?.string == Self.result else {
            throw MalformedValue(field: "result", reason: "is not \(Self.result)")
        }
        accountID = try object.required("accountId", object.integer("accountId"))
        tokens = try GuestTokens(object.required("oauthTokens", object.object("oauthTokens")))
    }

    /// The body in UTF-8.
    public var bytes: [UInt8] {
        var writer = JSONWriter(reserving: 1024)
        writer.beginObject()
        writer.member("result", Self.result)
        writer.member("accountId", accountID)
        writer.name("oauthTokens")
        writer.beginObject()
        tokens.write(to: &writer)
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }
}
