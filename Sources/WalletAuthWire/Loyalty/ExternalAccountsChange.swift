/// Links a guest's account with one at an identity provider, or unlinks it (`POST /enrollment/editExternalAccounts.json`): by an
/// integrator's backend, with the guest's access token.
public struct ExternalAccountsChange: Hashable, Sendable {
    /// What changes. One request changes one thing, so that it happens or does not.
    public enum Change: Hashable, Sendable {
        /// Links this account.
        case add(ExternalAccount)
        /// Unlinks the account at this integration's provider; of several, the one with this subject.
        case remove(IntegrationID, subject: String?)
    }

    /// The guest's merchant.
    public var merchantID: Int64
    /// The guest's access token.
    public var accessToken: AccessToken
    /// What changes.
    public var change: Change

    /// Creates a value. Each parameter sets the property of the same name.
    public init(merchantID: Int64, accessToken: AccessToken, change: Change) {
        self.merchantID = merchantID
        self.accessToken = accessToken
        self.change = change
    }

    private static let added = "addExternalAccounts"
    private static let removed = "removeExternalAccounts"

    /// Reads a request's JSON. Unknown members are refused.
    /// - Parameter object: the body.
    /// - Throws: ``LoyaltyFailure`` to answer with.
    public init(_ object: JSONObject) throws(LoyaltyFailure) {
        // A backend alone must not give a guest's account to another person.
        try object.requireAuthentication("oauth")
        try object.reading { (object) throws(MalformedValue) in
            try object.refuseMembers(otherThan: [
                "authentication", "access_token", "merchantId", Self.added, Self.removed,
            ])
        }
        merchantID = try object.merchantID()
        accessToken = try object.reading { (object) throws(MalformedValue) in
            try object.required("access_token", object.secret("access_token"))
        }
        let (added, removed) = (try Self.accounts(Self.added, in: object), try Self.accounts(Self.removed, in: object))
        guard added.count + removed.count == 1 else {
            throw .field(removed.isEmpty ? Self.added : Self.removed, .exactlyOne)
        }
        if let account = added.first {
            change = .add(try ExternalAccount(account, .ofAccounts))
        } else {
            change = try Self.removal(removed[0])
        }
    }

    private static func accounts(_ name: String, in object: JSONObject) throws(LoyaltyFailure) -> [JSONObject] {
        guard let listed = object[name], listed != .null else { return [] }
        guard let accounts = listed.array?.map(\.object), !accounts.contains(nil) else { throw .field(name, .invalid) }
        return accounts.compactMap(\.self)
    }

    private static func removal(_ object: JSONObject) throws(LoyaltyFailure) -> Change {
        try object.refuseFields(otherThan: ["integration", "accountCode"])
        guard let integration = try? IntegrationID(object.text(ofField: "integration")) else {
            throw .field("integration", .invalid)
        }
        guard object["accountCode"] != nil else { return .remove(integration, subject: nil) }
        guard case .subject(let subject)? = try? ExternalAccountCode(object.text(ofField: "accountCode")) else {
            throw .field("accountCode", .invalid)
        }
        return .remove(integration, subject: subject)
    }

    /// The request's JSON.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("authentication", "oauth")
        object.set("access_token", accessToken.reveal())
        object.set("merchantId", merchantID)
        switch change {
        case .add(let account): object[Self.added] = .array([.object(account.json(.ofAccounts))])
        case .remove(let integration, let subject):
            var account = JSONObject()
            account.set("integration", integration)
            account.set("accountCode", subject)
            object[Self.removed] = .array([.object(account)])
        }
        return object
    }
}

/// The answer to a request of the loyalty API that returns nothing.
public enum LoyaltySuccess {
    /// The body in UTF-8.
    public static var bytes: [UInt8] {
        var object = JSONObject()
        object.set("result", GuestTokenResponse.result)
        return object.bytes
    }
}
