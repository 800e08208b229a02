internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire
internal import Web

/// What a client may say of an account, checked.
struct ProvisionedUser: Sendable, Hashable {
    var username: Username
    var externalID: String?
    var isActive: Bool
    var displayName: String?
    var givenName: String?
    var familyName: String?
    var language: String?
    var email: String?
    var phone: String?
}

extension ProvisionedUser {
    /// - Parameter resource: with members that fit ``SCIMSchema/user``.
    /// - Throws: ``SCIMFailure`` that names the attribute whose value is refused.
    init(_ resource: JSONObject) throws(SCIMFailure) {
        guard let name = resource["userName"]?.string else {
            throw SCIMFailure(.invalidValue, "The attribute userName is required.")
        }
        let parts = resource["name"]?.object ?? JSONObject()
        username = try Self.value("userName") { () throws(MalformedValue) in
            let username = try Username(name)
            if let reason = ShownText.fault(in: username.rawValue) {
                throw MalformedValue(field: "userName", reason: reason)
            }
            return username
        }
        externalID = try Self.externalID(resource["externalId"]?.string)
        isActive = resource["active"]?.bool ?? true
        displayName = try Self.name(resource["displayName"]?.string, "displayName")
        givenName = try Self.name(parts["givenName"]?.string, "name.givenName")
        familyName = try Self.name(parts["familyName"]?.string, "name.familyName")
        // The first of several, with which HTTP would state preferences.
        let language = resource["preferredLanguage"]?.string?.prefix { $0 != "," && $0 != ";" }
        self.language = try language.map { text throws(SCIMFailure) in
            try Self.value("preferredLanguage") { () throws(MalformedValue) in try LocaleTag(String(text)).rawValue }
        }
        email = try Self.first(of: resource["emails"]).map { text throws(SCIMFailure) in
            try Self.value("emails") { () throws(MalformedValue) in try EmailAddress(text).rawValue }
        }
        phone = try Self.first(of: resource["phoneNumbers"]).map { text throws(SCIMFailure) in
            // RFC 7643 §4.1.2 asks for a URI.
            let number = text.lowercased().hasPrefix("tel:") ? String(text.dropFirst(4)) : text
            do { return try ContactDetails.phone(number) } catch { throw Self.refused("phoneNumbers", error) }
        }
    }

    private static func first(of values: JSONValue?) -> String? {
        values?.array?.lazy.compactMap { $0.object?["value"]?.string }.first
    }

    static func name(_ text: String?, _ attribute: String) throws(SCIMFailure) -> String? {
        guard let text else { return nil }
        do { return try DisplayName.check(text, field: attribute) } catch { throw refused(attribute, error) }
    }

    static func externalID(_ text: String?) throws(SCIMFailure) -> String? {
        guard let text else { return nil }
        let isPlain = text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        guard text.unicodeScalars.count <= 255, isPlain else {
            throw SCIMFailure(.invalidValue, "The attribute externalId is too long or has control characters.")
        }
        return text
    }

    private static func value<Value>(
        _ attribute: String, _ body: () throws(MalformedValue) -> Value
    ) throws(SCIMFailure) -> Value {
        do { return try body() } catch { throw refused(attribute, error) }
    }

    private static func refused(_ attribute: String, _ error: any Error) -> SCIMFailure {
        let reason = (error as? MalformedValue)?.reason ?? "is not accepted"
        return SCIMFailure(.invalidValue, "The attribute \(attribute) \(reason).")
    }
}

// MARK: - Stored

/// An account of the brand, with what a client keeps of it.
struct StoredUser: Sendable, Hashable {
    var account: AccountRecord
    /// As typed. There is one.
    var names: [String]
    var record: ProvisionedRecord?
    /// Where the person works, if the client provisions groups. Those do not show operators.
    var merchants: [MerchantRecord]

    /// The most groups that a document lists.
    private static let mostGroups = 100

    /// The account of an id; `nil` if there is none in the client's brand, and for an erased one.
    static func find(
        _ id: String, for provisioner: Provisioner, on connection: any SQLConnection
    ) throws -> StoredUser? {
        guard let id = UniqueID(uuid: id), let account = try Accounts.find(id, on: connection) else { return nil }
        return try StoredUser(account, for: provisioner, on: connection)
    }

    init?(_ account: AccountRecord, for provisioner: Provisioner, on connection: any SQLConnection) throws {
        guard account.brandID == provisioner.brand, account.state != .erased else { return nil }
        self.account = account
        names = try Accounts.names(of: account.id, on: connection)
        record = try ProvisionedTable.accounts.find(account.id, by: provisioner.id, on: connection)
        merchants =
            try provisioner.hasGroups && !provisioner.isOperator(account.id, on: connection)
            ? Merchants.choices(
                of: account.id, client: provisioner.id, limit: Self.mostGroups, on: connection) : []
        if names.isEmpty { return nil }
    }

    /// A lock after wrong passwords is no decision about the person: a directory does not see it, and cannot end it.
    var isActive: Bool { account.state == .active || account.deactivatedBy == .failures }
}

/// Writes accounts as SCIM shows them.
struct UserDocuments: Sendable {
    let vault: AccountVault
    let issuer: Issuer

    static let base = "/scim/v2"

    func document(of user: StoredUser) -> JSONObject {
        let account = user.account
        let profile = vault.profile(of: account)
        var json = JSONObject()
        json.set("schemas", [SCIMSchema.user.id])
        json.set("id", account.id.uuid)
        json.set("externalId", user.record?.externalID)
        json.set("userName", user.names.first)
        var name = JSONObject()
        name.set("givenName", profile.givenName)
        name.set("familyName", profile.familyName)
        if !name.isEmpty { json["name"] = .object(name) }
        json.set("displayName", profile.name)
        json.set("preferredLanguage", account.locale)
        json["active"] = .bool(user.isActive)
        json["emails"] = contact(vault.email(of: account), SCIMSchema.emailType)
        json["phoneNumbers"] = contact(vault.shownPhone(of: account), SCIMSchema.phoneType)
        let groups = user.merchants.map { merchant -> JSONValue in
            [
                "value": .string(merchant.id), "$ref": .string(issuer.location(of: merchant.id, .group)),
                "display": .string(merchant.name), "type": "direct",
            ]
        }
        if !groups.isEmpty { json["groups"] = .array(groups) }
        json.describe(account.id.uuid, .user, created: account.createdAt, at: issuer)
        return json
    }

    private func contact(_ value: String?, _ type: String) -> JSONValue? {
        value.map { [["value": .string($0), "type": .string(type)]] }
    }
}

extension AccountVault {
    /// The number that a directory sees: the account's, otherwise one that no one has confirmed.
    func shownPhone(of account: AccountRecord) -> String? {
        account.phone == nil ? profile(of: account).entered.phone : open(account.phone, .phone, of: account.id)
    }
}

extension Issuer {
    /// The URL of a resource.
    func location(of id: String, _ schema: SCIMSchema) -> String {
        rawValue + UserDocuments.base + schema.endpoint + "/" + id
    }
}

extension JSONObject {
    /// Adds the metadata of a resource.
    mutating func describe(_ id: String, _ schema: SCIMSchema, created: Timestamp, at issuer: Issuer) {
        var meta = JSONObject()
        meta.set("resourceType", schema.name)
        meta.set("created", created.text)
        meta.set("location", issuer.location(of: id, schema))
        self["meta"] = .object(meta)
        // Of what the client sees, so that a change which it does not see is none to it.
        meta.set("version", "W/\"\(Base64URL.encode(Array(Digests.of("scim-version", bytes).prefix(15))))\"")
        self["meta"] = .object(meta)
    }

    /// The ETag of a resource.
    var version: String { self["meta"]?.object?["version"]?.string ?? "" }
}
