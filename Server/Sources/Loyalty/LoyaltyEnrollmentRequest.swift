package import WalletAuthWire
internal import Web

/// Creates a loyalty account for a guest whom an identity provider knows (`POST /enrollment/createAndRegister.json`).
package struct LoyaltyEnrollmentRequest: Hashable, Sendable {
    /// The guest's merchant.
    var merchantID: Int64
    /// The integration's card template; nil if the request names none.
    var cardTemplateCode: Int64?
    /// The integration's activation store; nil if the request names none.
    var activationStoreCode: String?
    /// The fields that must be unique; the user name always is.
    var enforceUniqueFields: [String] = []
    /// The new account's user name.
    var username: Username
    /// The new account's password.
    var password: Password
    /// The rest of the enrollment form.
    var profile = GuestProfile()
    /// The guest's account at the provider.
    var externalAccount: ExternalAccount
}

extension LoyaltyEnrollmentRequest {
    /// Reads a request's JSON. Unknown members are refused, including those of the account: a client cannot claim
    /// whether an address is verified, or whose account it is.
    /// - Parameter object: the body.
    /// - Throws: ``LoyaltyFailure`` to answer with.
    init(_ object: JSONObject) throws(LoyaltyFailure) {
        self = try LoyaltyFailure.reading { try Self(members: object) }
    }

    private init(members object: JSONObject) throws {
        try object.requireAuthentication("b2b")
        try object.refuseMembers(otherThan: [
            "authentication", "merchantId", "cardTemplateCode", "activationStoreCode", "enforceUniqueFields",
            "setUserFields", "setAccountFields",
        ])
        merchantID = try object.required("merchantId", object.integer("merchantId"))
        cardTemplateCode = try object.integer("cardTemplateCode")
        activationStoreCode = try object.string("activationStoreCode")
        if let reason = activationStoreCode.flatMap({ TextRule.printable($0, 0...255) }) {
            throw MalformedValue(field: "activationStoreCode", reason: reason)
        }
        enforceUniqueFields = try object.strings("enforceUniqueFields") ?? []
        // No other field can be compared: they are sealed.
        guard enforceUniqueFields.allSatisfy({ $0 == "username" }) else {
            throw LoyaltyFailure.field("enforceUniqueFields", .notAccepted)
        }
        let user = try object.required("setUserFields", object.object("setUserFields"))
        let account = try object.required("setAccountFields", object.object("setAccountFields"))
        try user.refuseFields(otherThan: Set(GuestProfile.names).union(["style", "username", "password"]))
        try account.refuseFields(otherThan: ["style", "externalAccounts"])
        let style = try user.fieldStyle()
        // Its one field is a list of objects in either style.
        _ = try account.fieldStyle()
        username = try Self.username(in: user, style)
        password = try user.field("password", style) { try Password($0) }
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

    /// The request's JSON in one form, whatever the form that it came in.
    var json: JSONObject {
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
        account["externalAccounts"] = .array([.object(externalAccount.json)])
        object["setAccountFields"] = .object(account)
        return object
    }
}

/// The answer to a ``LoyaltyEnrollmentRequest``.
package struct LoyaltyEnrollmentResponse: Hashable, Sendable {
    /// The integrators' number for the account.
    var accountID: Int64
    /// The guest's tokens.
    var tokens: GuestTokens

    /// The body in UTF-8.
    var bytes: [UInt8] {
        var writer = JSONWriter(reserving: 1024)
        writer.beginObject()
        // Clients of this endpoint expect this word, though there are no cards here.
        writer.member("result", "cardCreatedSuccess")
        writer.member("accountId", accountID)
        writer.name("oauthTokens")
        writer.beginObject()
        tokens.write(to: &writer)
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }
}

extension LoyaltyEnrollmentRequest: WireShaped {
    package static let shape = WireShape.request(
        LoyaltyEnrollmentRequest.self,
        [
            .required("authentication", .choice(["b2b"])), .required("merchantId", .integer()),
            .optional("cardTemplateCode", .integer()), .optional("activationStoreCode", .text(.printable(0...255))),
            .optional("enforceUniqueFields", .array(.choice(["username"]))),
            .required(
                "setUserFields",
                fields(
                    [.required("username", .of(Username.self)), .required("password", .of(Password.self))]
                        + GuestProfile.names.sorted().map { .optional($0, .text(nil)) })),
            .required(
                "setAccountFields",
                fields([.required("externalAccounts", .array(ExternalAccount.shape(.ofAccounts), maximum: 1))])),
        ])

    private static func fields(_ members: [WireObject.Member]) -> WireShape {
        .object(WireObject(members: [.required("style", .choice(["typed", "string"]))] + members, isOpen: false))
    }
}

extension LoyaltyEnrollmentResponse: WireShaped {
    package static let shape = WireShape.answer(
        LoyaltyEnrollmentResponse.self,
        [
            .required("result", .choice(["cardCreatedSuccess"])), .required("accountId", .integer()),
            .required("oauthTokens", .object(WireObject(members: GuestTokens.members, isOpen: true))),
        ])
}
