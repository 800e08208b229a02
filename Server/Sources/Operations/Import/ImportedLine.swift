internal import Kernel
package import WalletAuthWire

/// One of our lines, checked: an account, or what belongs to accounts of earlier lines.
package enum ImportedLine: Sendable {
    case account(ImportedPerson)
    case merchant(ImportedMerchant)
    case employee(ImportedEmployee)
    case consent(ImportedConsent)

    /// The kinds as lines and reports spell them.
    package enum Kind: String, Sendable, CaseIterable {
        case account, merchant, employee, consent
    }

    static let kind = "kind"

    /// - Throws: ``MalformedValue`` that names the member.
    package init(_ line: JSONObject) throws {
        var members = line
        members[Self.kind] = nil
        guard let kind = try line.string(Self.kind).map(Kind.init(rawValue:)) ?? .account else {
            let kinds = Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw MalformedValue(field: Self.kind, reason: "must be one of \(kinds)")
        }
        switch kind {
        case .account: self = .account(try ImportedPerson(members))
        case .merchant: self = .merchant(try ImportedMerchant(members))
        case .employee: self = .employee(try ImportedEmployee(members))
        case .consent: self = .consent(try ImportedConsent(members))
        }
    }

    /// Whether an object has the members of one of our lines.
    static func isLine(_ object: JSONObject) -> Bool {
        guard object[kind] == nil else { return object[kind]?.string.flatMap(Kind.init(rawValue:)) != nil }
        return Set(object.names).isSubset(of: ImportedPerson.members)
    }

    /// What no other line of the file may have, with the members' names.
    package var marks: [(field: String, value: String)] {
        switch self {
        case .account(let person): person.marks
        case .merchant(let merchant): [("id", "merchant \(merchant.id)")]
        case .employee(let employee): [("merchant", "employee \(employee.merchant)\0\(employee.account.mark)")]
        case .consent(let consent): [("client", "consent \(consent.client)\0\(consent.account.mark)")]
        }
    }

    /// The marks of the lines that this one needs.
    package var needs: [String] {
        switch self {
        case .account, .merchant: []
        case .employee(let employee): [employee.account.mark, "merchant \(employee.merchant)"]
        case .consent(let consent): [consent.account.mark]
        }
    }
}

extension ImportedAccountKey {
    static let members = ["externalId", "username"]

    /// - Throws: ``MalformedValue`` if the line has neither.
    init(_ line: JSONObject) throws {
        if let id = try Self.externalID(line) {
            self = .id(id)
        } else if let name = try line.string("username") {
            self = .name(try Username(name))
        } else {
            throw MalformedValue(
                field: "externalId", reason: "is missing, and so is the username of a line that has no externalId")
        }
    }

    static func externalID(_ line: JSONObject) throws -> String? {
        let id = try line.string("externalId")
        guard (1...256).contains(id?.utf8.count ?? 1) else {
            throw MalformedValue(field: "externalId", reason: "must have 1 to 256 bytes")
        }
        return id
    }

    /// As people read it.
    var words: String {
        switch self {
        case .id(let id): "externalId \(id)"
        case .name(let name): "username \(name.rawValue) and no externalId"
        }
    }

    var mark: String {
        switch self {
        case .id(let id): "id \(id)"
        case .name(let name): "name without id \(name.rawValue)"
        }
    }
}

/// A merchant, with the clients installed there.
package struct ImportedMerchant: Sendable {
    let id: String
    let name: String
    let clients: [String]

    private static let mostClients = 100

    init(_ line: JSONObject) throws {
        try line.requireMembers(["id", "name", "clients"])
        id = try MerchantID(line.required("id")).rawValue
        name = try DisplayName.check(line.required("name"))
        guard let value = line["clients"], value != .null else {
            clients = []
            return
        }
        guard let elements = value.array, elements.count <= Self.mostClients else {
            throw MalformedValue(field: "clients", reason: "is not an array of at most \(Self.mostClients) client ids")
        }
        clients = try elements.map { element in
            guard let id = element.string else { throw MalformedValue(field: "clients", reason: "has no client id") }
            return try ClientID(id).rawValue
        }
    }
}

/// An account's employment at a merchant.
package struct ImportedEmployee: Sendable {
    let merchant: String
    let account: ImportedAccountKey

    init(_ line: JSONObject) throws {
        try line.requireMembers(["merchant"] + ImportedAccountKey.members)
        merchant = try MerchantID(line.required("merchant")).rawValue
        account = try ImportedAccountKey(line)
    }
}

/// An account's consent to an app.
package struct ImportedConsent: Sendable {
    let client: String
    let scope: Scope
    let account: ImportedAccountKey

    init(_ line: JSONObject) throws {
        try line.requireMembers(["client", "scope"] + ImportedAccountKey.members)
        client = try ClientID(line.required("client")).rawValue
        scope = try Scope(line.required("scope"))
        account = try ImportedAccountKey(line)
    }
}

extension JSONObject {
    /// - Throws: ``MalformedValue`` that names a member that is none of these.
    func requireMembers(_ known: [String]) throws(MalformedValue) {
        guard let unknown = names.first(where: { !known.contains($0) }) else { return }
        throw MalformedValue(field: unknown, reason: "is unknown: the members are \(known.joined(separator: ", "))")
    }

    fileprivate func required(_ name: String) throws -> String {
        guard let text = try string(name) else { throw MalformedValue(field: name, reason: "is missing") }
        return text
    }
}
