internal import ArgumentParser
internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// The commands that grant roles.
///
/// This folder owns them, and the check that a call over HTTP is within the caller's role. The rows are in `Kernel/Operators`.
enum OperatorRoleCommands: CommandNoun {
    static let title = "operator"
    static let abstract = "Grant and revoke the roles of people who administer the server over HTTP."
    static let commands: [any AdminCommand.Type] = [OperatorGrantRole.self, OperatorRevoke.self, OperatorList.self]
}

/// The events of roles, and of the calls that people with one make.
package enum OperatorEvent: String, SecurityEventKind, CaseIterable {
    case granted = "operator.granted"
    case revoked = "operator.revoked"
    case called = "operator.called"
    case refused = "operator.refused"
}

struct OperatorGrantRole: AdminCommand {
    static let title = "operator grant"
    static let abstract = "Give an account a role, in place of the one it has."
    static let discussion = """
        An owner runs every command that /admin/v1 offers; support helps people and sees addresses in part; an auditor \
        only reads; a developer registers clients, providers and webhooks. A role holds for the account's own brand \
        unless you name another one, or all:

          walletauth operator grant ada --role owner --all-brands

        Only owners of all brands grant roles over HTTP, and none changes their own.
        """

    @OptionGroup var account: AccountOptions

    @Option(
        help: ArgumentHelp("The role: \(OperatorRole.listed).", valueName: "role"),
        completion: .list(OperatorRole.allCases.map(\.rawValue)))
    var role: String

    @Option(help: ArgumentHelp("The brand that the role reaches; the account's own if omitted.", valueName: "brand"))
    var forBrand: String?

    @Flag(help: "The role reaches every brand.")
    var allBrands = false

    var target: CommandTarget { get throws { .administration(try account.reference) } }

    func checkRequest() throws {
        guard forBrand == nil || !allBrands else { throw ValidationError("use either --for-brand or --all-brands") }
    }

    func execute(in operators: OperatorAdministration) async throws -> AdministrationAnswer {
        guard let role = OperatorRole(rawValue: role) else {
            throw MalformedValue(field: "role", reason: "is not one of \(OperatorRole.listed)")
        }
        let brand = try forBrand.map { try BrandID($0).rawValue }
        return try await operators.grant(
            role, to: account.reference, reaching: allBrands ? .allBrands : brand.map { .brand($0) } ?? .ownBrand)
    }
}

struct OperatorRevoke: AdminCommand {
    static let title = "operator revoke"
    static let abstract = "Take the role from an account; its next call is refused."

    @OptionGroup var account: AccountOptions

    var target: CommandTarget { get throws { .administration(try account.reference) } }

    func execute(in operators: OperatorAdministration) async throws -> AdministrationAnswer {
        try await operators.revoke(from: account.reference)
    }
}

struct OperatorList: AdminCommand {
    static let title = "operator list"
    static let access = CommandAccess.reading(.auditor)
    static let abstract = "List the accounts that have a role."

    var effect: CommandEffect { .reads }

    func execute(in operators: OperatorAdministration) async throws -> AdministrationAnswer {
        let records = try await operators.database.everyPage { after, limit, connection in
            try Operators.list(after: after?.accountID, limit: limit, on: connection)
        }
        var rows: [AdministrationAnswer.Row] = []
        for record in records {
            let (account, names) = try await operators.database.read { connection in
                (
                    try Accounts.find(record.accountID, on: connection),
                    try Accounts.names(of: record.accountID, on: connection)
                )
            }
            let state = account?.state ?? .erased
            var json = JSONObject()
            json.set("accountId", record.accountID.uuid)
            json.set("usernames", names)
            for member in record.grant.json.members { json[member.name] = member.value }
            json.set("state", state.rawValue)
            json.set("grantedAt", record.grantedAt.text)
            rows.append(
                (
                    [
                        names.first ?? "", record.accountID.uuid, record.grant.role.rawValue,
                        record.grant.brand ?? "all brands", state.rawValue, record.grantedAt.text,
                    ], json
                ))
        }
        return .list(
            "operators", columns: ["USERNAME", "ACCOUNT", "ROLE", "BRAND", "STATE", "GRANTED"], rows,
            empty: "No operators. Name one with `walletauth operator grant`.")
    }
}

/// What operators do to operators.
struct OperatorAdministration: Sendable {
    let database: any Database
    let clock: any Clock
    let auditLog: AuditLog

    /// Where a role is to hold.
    enum Reach: Sendable {
        case ownBrand
        case brand(String)
        case allBrands
    }

    private enum Outcome: Sendable {
        case done
        case unchanged
        case inactive
        case unknownBrand(String)
        case lastOwner
    }

    fileprivate func grant(
        _ role: OperatorRole, to reference: AccountReference, reaching reach: Reach
    ) async throws -> AdministrationAnswer {
        let now = clock.now()
        let account = try await database.read { try reference.find(on: $0) }
        let brand: String? =
            switch reach {
            case .ownBrand: account.brandID
            case .brand(let id): id
            case .allBrands: nil
            }
        let grant = OperatorGrant(role, brand: brand)
        let entry = try auditLog.administration(
            OperatorEvent.granted, account: account.id, details: grant.json, now: now)
        let outcome = try await database.write { connection -> Outcome in
            if let brand, try Brands.find(brand, on: connection) == nil { return .unknownBrand(brand) }
            guard try Accounts.find(account.id, on: connection)?.state == .active else { return .inactive }
            let present = try Operators.find(account.id, on: connection)
            guard present != grant else { return .unchanged }
            guard try !Self.losesLastOwner(account.id, from: present, to: grant, on: connection) else {
                return .lastOwner
            }
            try Operators.set(OperatorRecord(account.id, grant, grantedAt: now), on: connection)
            try entry.write(on: connection)
            return .done
        }
        try require(outcome, of: account.id)
        return .done(
            "Account \(account.id.uuid) is now \(grant.words).", grant.json(of: account.id))
    }

    fileprivate func revoke(from reference: AccountReference) async throws -> AdministrationAnswer {
        let now = clock.now()
        let account = try await database.read { try reference.find(on: $0) }
        let entry = try auditLog.administration(OperatorEvent.revoked, account: account.id, now: now)
        let outcome = try await database.write { connection -> Outcome in
            let present = try Operators.find(account.id, on: connection)
            guard present != nil else { return .unchanged }
            guard try !Self.losesLastOwner(account.id, from: present, to: nil, on: connection) else {
                return .lastOwner
            }
            try Operators.remove(account.id, on: connection)
            try entry.write(on: connection)
            return .done
        }
        try require(outcome, of: account.id)
        return .done(
            "Account \(account.id.uuid) no longer has a role.", JSONObject(strings: ["accountId": account.id.uuid]))
    }

    /// A role of an account that is deactivated keeps no one in office.
    private static func losesLastOwner(
        _ account: UniqueID, from present: OperatorGrant?, to next: OperatorGrant?, on connection: any SQLConnection
    ) throws -> Bool {
        OperatorGrant.losesLastOwner(
            from: present, to: next, hasOtherOwner: try Operators.hasOtherOwner(than: account, on: connection))
    }

    private func require(_ outcome: Outcome, of account: UniqueID) throws(AdministrationRefusal) {
        switch outcome {
        case .done: return
        case .unchanged:
            throw AdministrationRefusal(
                "Account \(account.uuid) was not changed: its role is as requested.", hint: Self.list,
                code: "no_change")
        case .inactive:
            throw AdministrationRefusal(
                "Account \(account.uuid) was not changed. It is not active.", code: "no_change")
        case .unknownBrand(let id): throw .notFound("brand", id)
        case .lastOwner:
            throw AdministrationRefusal(
                "Account \(account.uuid) was not changed: it is the last owner of all brands.",
                hint: "Make another account an owner first: "
                    + "`walletauth operator grant USERNAME --role owner --all-brands`.",
                code: "last_owner")
        }
    }

    private static let list = "See `walletauth operator list`."
}

extension OperatorGrant {
    /// What operators, the audit log and the export say about it.
    var json: JSONObject {
        var json = JSONObject()
        json.set("role", role.rawValue)
        json.set("brand", brand)
        json["allBrands"] = .bool(brand == nil)
        return json
    }

    fileprivate func json(of account: UniqueID) -> JSONObject {
        var json = JSONObject(strings: ["accountId": account.uuid])
        for member in self.json.members { json[member.name] = member.value }
        return json
    }

    /// For people.
    var words: String {
        let article = role == .support ? "" : role == .owner || role == .auditor ? "an " : "a "
        return article + role.rawValue + (brand.map { " of the brand \($0)" } ?? " of all brands")
    }
}

extension OperatorRole {
    static let listed = allCases.map(\.rawValue).joined(separator: ", ")
}
