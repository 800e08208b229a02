package import WalletAuthWire
internal import Web

/// Links a guest's account with one at an identity provider, or unlinks it (`POST /enrollment/editExternalAccounts.json`): by an
/// integrator's backend, with the guest's access token.
package struct ExternalAccountsChange: Hashable, Sendable {
    /// What changes. One request changes one thing, so that it happens or does not.
    enum Change: Hashable, Sendable {
        /// Links this account.
        case add(ExternalAccount)
        /// Unlinks the account at this integration's provider; of several, the one with this subject.
        case remove(IntegrationID, subject: String?)
    }

    /// The guest's merchant.
    var merchantID: Int64
    /// The guest's access token.
    var accessToken: AccessToken
    /// What changes.
    var change: Change
}

extension ExternalAccountsChange {
    private static let added = "addExternalAccounts"
    private static let removed = "removeExternalAccounts"

    /// Reads a request's JSON. Unknown members are refused.
    /// - Parameter object: the body.
    /// - Throws: ``LoyaltyFailure`` to answer with.
    init(_ object: JSONObject) throws(LoyaltyFailure) {
        self = try LoyaltyFailure.reading { try Self(members: object) }
    }

    private init(members object: JSONObject) throws {
        // A backend alone must not give a guest's account to another person.
        try object.requireAuthentication("oauth")
        try object.refuseMembers(otherThan: [
            "authentication", "access_token", "merchantId", Self.added, Self.removed,
        ])
        merchantID = try object.required("merchantId", object.integer("merchantId"))
        accessToken = try object.required("access_token", object.secret("access_token"))
        let (added, removed) = (try Self.accounts(Self.added, in: object), try Self.accounts(Self.removed, in: object))
        guard added.count + removed.count == 1 else {
            throw LoyaltyFailure.field(removed.isEmpty ? Self.added : Self.removed, .exactlyOne)
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
}

/// The answer to a request of the loyalty API that returns nothing.
package enum LoyaltySuccess {
    /// The body in UTF-8.
    static var bytes: [UInt8] {
        var object = JSONObject()
        object.set("result", "success")
        return object.bytes
    }
}

extension ExternalAccountsChange: WireShaped {
    package static let shape = WireShape.request(
        ExternalAccountsChange.self,
        [
            .required("authentication", .choice(["oauth"])), .required("access_token", .of(AccessToken.self)),
            .required("merchantId", .integer()),
            .optional(added, .array(ExternalAccount.shape(.ofAccounts), maximum: 1)),
            .optional(
                removed,
                .array(
                    .object(
                        WireObject(
                            members: [
                                .required("integration", .of(IntegrationID.self)), .optional("accountCode", .text(nil)),
                            ], isOpen: false)), maximum: 1)),
        ])
}

extension LoyaltySuccess: WireShaped {
    package static let shape = WireShape.answer(LoyaltySuccess.self, [.required("result", .choice(["success"]))])
}
