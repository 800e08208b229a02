package import WalletAuthWire

/// What an operator may do over HTTP. Each command says which roles run it (`CommandAccess`); owners run all that are offered.
///
/// This folder owns the roles and their rows. The commands that grant them are in `Operations/Operators`.
package enum OperatorRole: String, Sendable, Codable, CaseIterable {
    case owner
    /// Helps people: finds accounts, ends sessions, removes devices. It sees addresses in part, and erases and grants nothing.
    case support
    /// Reads, and changes nothing.
    case auditor
    /// Registers clients and webhooks, and changes the texts of brands.
    case developer
}

/// The role of an operator, and where it holds.
package struct OperatorGrant: Sendable, Hashable {
    package let role: OperatorRole
    /// The only brand that it reaches; `nil` for all brands.
    package let brand: String?

    package init(_ role: OperatorRole, brand: String?) {
        self.role = role
        self.brand = brand
    }

    /// Whether it may grant roles: only an owner of all brands may.
    package var mayGrant: Bool { role == .owner && brand == nil }

    package func reaches(brand other: String?) -> Bool { brand == nil || brand == other }
}

extension OperatorGrant {
    /// What operators, the audit log and the export say about it.
    package var json: JSONObject {
        var json = JSONObject()
        json.set("role", role.rawValue)
        json.set("brand", brand)
        json["allBrands"] = .bool(brand == nil)
        return json
    }

    /// Whether a change leaves the server without an owner who may grant roles.
    /// - Parameters:
    ///   - present: the operator's grant before the change.
    ///   - next: after it; `nil` if it is revoked.
    ///   - hasOtherOwner: whether another account has such a role, and can use it.
    package static func losesLastOwner(
        from present: OperatorGrant?, to next: OperatorGrant?, hasOtherOwner: Bool
    ) -> Bool {
        (present?.mayGrant ?? false) && !(next?.mayGrant ?? false) && !hasOtherOwner
    }
}

/// The events of roles, and of the calls that people with one make.
package enum OperatorEvent: String, SecurityEventKind, CaseIterable {
    case invited = "operator.invited"
    case granted = "operator.granted"
    case revoked = "operator.revoked"
    case called = "operator.called"
    /// A call that waits for a second operator.
    case requested = "operator.requested"
    case refused = "operator.refused"
}
