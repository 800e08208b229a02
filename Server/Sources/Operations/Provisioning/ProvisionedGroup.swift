internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire
internal import Web

/// What a client may say of a merchant, checked.
struct ProvisionedGroup: Sendable, Hashable {
    var displayName: String
    var externalID: String?
    /// Of the client's brand. That they are accounts of it is checked in the write.
    var members: Set<UniqueID>

    /// The most members that one request adds and removes: all or none, in one write, for which others wait.
    static let mostChanged = 200
    /// The most members that a request names. Bodies end at about as many.
    static let mostNamed = 1_000
    /// The most members of a group.
    static let mostMembers = 10_000

    static let noMember = SCIMFailure(.invalidValue, "A member is no account of the brand.")
}

extension ProvisionedGroup {
    /// - Parameter resource: with members that fit ``SCIMSchema/group``.
    init(_ resource: JSONObject) throws(SCIMFailure) {
        self.init(displayName: "", externalID: nil, members: [])
        guard resource["displayName"] != nil else {
            throw SCIMFailure(.invalidValue, "The attribute displayName is required.")
        }
        try apply(resource, removing: [])
    }

    /// Takes over what a request names; the rest stays.
    mutating func apply(_ resource: JSONObject, removing removed: [SCIMAttribute]) throws(SCIMFailure) {
        for attribute in removed { try set(attribute, to: nil) }
        for member in resource.members {
            guard let attribute = SCIMSchema.group.all.named(member.name) else { continue }
            try set(attribute, to: member.value)
        }
    }

    /// Either all changes succeed, or the caller drops the result.
    mutating func apply(_ patch: SCIMPatch) throws(SCIMFailure) {
        for change in patch.changes {
            let attribute = change.path.attribute
            if attribute.name == Self.membersName {
                try applyToMembers(change)
            } else {
                let value = try change.value.flatMap { value throws(SCIMFailure) in try attribute.checked(value) }
                try set(attribute, to: change.operation == .remove ? nil : value)
            }
        }
    }

    private static let membersName = "members"

    /// - Parameter value: checked; `nil` unassigns the attribute.
    private mutating func set(_ attribute: SCIMAttribute, to value: JSONValue?) throws(SCIMFailure) {
        switch attribute.name {
        case Self.membersName: members = try Self.accounts(value)
        case "externalId": externalID = try ProvisionedUser.externalID(value?.string)
        case "displayName":
            guard let name = try ProvisionedUser.name(value?.string, attribute.name) else { throw attribute.missing }
            displayName = name
        default: break
        }
    }

    private mutating func applyToMembers(_ change: SCIMPatch.Change) throws(SCIMFailure) {
        guard change.path.part == nil, change.filter == nil || change.operation == .remove else {
            throw SCIMFailure(.mutability, "A member is added or removed, and not changed.")
        }
        if let filter = change.filter {
            members.subtract(try Self.accounts(foundBy: filter))
            return
        }
        let attribute = change.path.attribute
        let given = try change.value.flatMap { value throws(SCIMFailure) in try attribute.checked(value) }
        switch change.operation {
        case .replace: members = try Self.accounts(given)
        case .add: members.formUnion(try Self.accounts(given))
        // Entra ID names the members to remove in the value. Without one, all are meant.
        case .remove:
            let removed = try Self.accounts(given)
            if (change.value ?? .null) == .null { members = [] } else { members.subtract(removed) }
        }
    }

    // MARK: - Members

    private static func accounts(_ value: JSONValue?) throws(SCIMFailure) -> Set<UniqueID> {
        var accounts: Set<UniqueID> = []
        for element in value?.array ?? [] { accounts.insert(try account(element.object ?? JSONObject())) }
        return accounts
    }

    private static func account(_ member: JSONObject) throws(SCIMFailure) -> UniqueID {
        if let type = member["type"]?.string, type.lowercased() != SCIMSchema.user.name.lowercased() {
            throw SCIMFailure(.invalidValue, "Only users are members of a group.")
        }
        let (value, reference) = (member["value"]?.string, member["$ref"]?.string)
        let referenced = reference.map { String($0[($0.lastIndex(of: "/").map($0.index(after:)) ?? $0.startIndex)...]) }
        guard let id = value ?? referenced else {
            throw SCIMFailure(.invalidValue, "A member has no value.")
        }
        guard referenced == nil || referenced == id else {
            throw SCIMFailure(.invalidValue, "The value and $ref of a member name two resources.")
        }
        guard let account = UniqueID(uuid: id) else { throw noMember }
        return account
    }

    /// The members that a removal names: `value eq "…"`, and several of these with `or`.
    private static func accounts(foundBy filter: SCIMFilter) throws(SCIMFailure) -> Set<UniqueID> {
        switch filter {
        case .or(let left, let right): return try accounts(foundBy: left).union(accounts(foundBy: right))
        case .compare(let path, .eq, .string(let id)) where path.attribute.name == "value":
            return UniqueID(uuid: id).map { [$0] } ?? []
        case .compare, .present, .element, .and, .not:
            throw SCIMFailure(.invalidFilter, "Members are removed by value eq, and several of these with or.")
        }
    }
}

// MARK: - Stored

/// A merchant at which a client is installed, with what the client keeps of it.
struct StoredGroup: Sendable, Hashable {
    let merchant: MerchantRecord
    let record: ProvisionedRecord?
    /// Those of the client's brand who are no operators, in order; `nil` if they were not read.
    var members: [UniqueID]?
}

extension StoredGroup {
    /// The merchant of an id; `nil` if the client is not installed there.
    static func find(
        _ id: String, for provisioner: Provisioner, on connection: any SQLConnection
    ) throws -> StoredGroup? {
        guard var group = try outline(id, for: provisioner, on: connection) else { return nil }
        try group.readMembers(for: provisioner, on: connection)
        return group
    }

    /// The same without its members.
    static func outline(
        _ id: String, for provisioner: Provisioner, on connection: any SQLConnection
    ) throws -> StoredGroup? {
        guard let id = try? MerchantID(id).rawValue,
            let merchant = try Merchants.find(id, installedWith: provisioner.id, on: connection)
        else { return nil }
        return try StoredGroup(merchant, for: provisioner, on: connection)
    }

    init(_ merchant: MerchantRecord, for provisioner: Provisioner, on connection: any SQLConnection) throws {
        let record = try ProvisionedTable.merchants.find(merchant.id, by: provisioner.id, on: connection)
        self.init(merchant: merchant, record: record)
    }

    /// - Throws: ``SCIMFailure`` if there are too many.
    mutating func readMembers(for provisioner: Provisioner, on connection: any SQLConnection) throws {
        let most = ProvisionedGroup.mostMembers
        let found = try Merchants.employees(
            of: merchant.id, brand: provisioner.brand, now: provisioner.now, limit: most + 1, on: connection)
        guard found.count <= most else { throw Self.tooLarge }
        members = found
    }

    static let tooLarge = SCIMFailure(
        .tooMany, "A group has at most \(ProvisionedGroup.mostMembers) members. Only an operator changes a larger one.")

    var asProvisioned: ProvisionedGroup {
        ProvisionedGroup(displayName: merchant.name, externalID: record?.externalID, members: Set(members ?? []))
    }
}

/// Writes merchants as SCIM shows them.
struct GroupDocuments: Sendable {
    let issuer: Issuer

    func document(of group: StoredGroup) -> JSONObject {
        var json = JSONObject()
        json.set("schemas", [SCIMSchema.group.id])
        json.set("id", group.merchant.id)
        json.set("externalId", group.record?.externalID)
        json.set("displayName", group.merchant.name)
        let members = (group.members ?? []).map { account -> JSONValue in
            [
                "value": .string(account.uuid), "$ref": .string(issuer.location(of: account.uuid, .user)),
                "type": .string(SCIMSchema.user.name),
            ]
        }
        if !members.isEmpty { json["members"] = .array(members) }
        json.describe(group.merchant.id, .group, created: group.merchant.createdAt, at: issuer)
        return json
    }
}
