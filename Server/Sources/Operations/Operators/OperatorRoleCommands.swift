internal import ArgumentParser
internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

/// The commands that grant roles.
///
/// This folder owns them, and the check that a call over HTTP is within the caller's role. The rows are in `Kernel/Operators`.
enum OperatorRoleCommands: CommandNoun {
    static let title = "operator"
    static let abstract = "Grant and revoke the roles of people who administer the server over HTTP."
    static let commands: [any AdminCommand.Type] = [
        OperatorGrantRole.self, OperatorRevoke.self, OperatorList.self, OperatorPending.self,
    ]
}

struct OperatorGrantRole: AdminCommand {
    static let title = "operator grant"
    static let abstract = "Give an account a role, in place of the one it has."
    static let discussion = """
        An owner runs every command that /admin/v1 offers; support helps people and sees addresses in part; an auditor \
        only reads; a developer registers clients and webhooks. A role holds for the account's own brand \
        unless you name another one, or all:

          walletauth operator grant ada --role owner --all-brands

        Operators sign in with two factors. For a person who has none, --link prints a one-time link instead: the role \
        waits until they have set a password and an authenticator app on its page, also in place of a role that they \
        cannot use. Over HTTP it is only for people who do not sign in yet.

        Only owners of all brands grant roles over HTTP, and none changes their own.
        """

    @OptionGroup var account: AccountOptions

    @Option(
        help: ArgumentHelp("The role: \(OperatorRole.listed).", valueName: "role"),
        completion: .list(OperatorRole.allCases.map(\.rawValue)))
    var role: String

    @OptionGroup var reach: RoleReachOptions

    @Flag(
        help: "Print a one-time link to a page that sets a new password and a second factor; the role waits for both.")
    var link = false

    var target: CommandTarget { get throws { .administration(try account.reference) } }

    var makesOperatorLink: Bool { link }

    func checkRequest() throws { try reach.check() }

    func execute(in operators: OperatorAdministration) async throws -> AdministrationAnswer {
        let role = try reach.named(role)
        return link
            ? try await operators.invite(account.reference, as: role)
            : try await operators.grant(role, to: account.reference)
    }
}

struct OperatorRevoke: AdminCommand {
    static let title = "operator revoke"
    static let abstract = "Take the role from an account, whose next call is refused, or withdraw its one-time link."

    @OptionGroup var account: AccountOptions

    var target: CommandTarget { get throws { .administration(try account.reference) } }

    func execute(in operators: OperatorAdministration) async throws -> AdministrationAnswer {
        try await operators.revoke(from: account.reference)
    }
}

struct OperatorList: AdminCommand {
    static let title = "operator list"
    static let access = CommandAccess.reading(.auditor)
    static let abstract = "List the accounts that have a role, and the one-time links that lead to one."
    static let discussion = """
        An account that needs a password or a second factor before it can use its role is in the state `no_password` or \
        `no_second_factor`: `walletauth operator grant … --link` prints a link to a page that sets both. The state of \
        an account with a link is `invited`, and `accepted` once its person has set a password there; the role then waits \
        for the authenticator app. `walletauth operator revoke` withdraws a link.
        """

    var effect: CommandEffect { .reads }

    func execute(in operators: OperatorAdministration) async throws -> AdministrationAnswer {
        let rows = try await operators.operatorRows() + operators.invitationRows()
        return .list(
            "operators", columns: ["USERNAME", "ACCOUNT", "ROLE", "BRAND", "STATE", "SINCE"], rows,
            empty: "No operators. Name one with `walletauth operator grant`.")
    }
}

/// What operators do to operators.
struct OperatorAdministration: Sendable {
    let database: any Database
    let clock: any Clock
    let auditLog: AuditLog
    let ability: OperatorAbility
    let links: OperatorLinks

    private enum Outcome: Sendable {
        case done
        case withdrawn
        case unchanged
        case inactive
        case hasRole
        case hasSecondFactor
        case inUse(having: [String])
        case unknownBrand(String)
        case lastOwner

        var isWithdrawal: Bool { if case .withdrawn = self { true } else { false } }
    }

    fileprivate func grant(
        _ role: NamedRole, to reference: AccountReference
    ) async throws -> AdministrationAnswer {
        let now = clock.now()
        let account = try await database.read { try reference.find(on: $0) }
        let grant = role.grant(ownBrand: account.brandID)
        let entry = try auditLog.administration(
            OperatorEvent.granted, account: account.id, details: grant.json, now: now)
        let outcome = try await database.write { connection -> Outcome in
            if let brand = try Self.unknownBrand(of: grant, on: connection) { return .unknownBrand(brand) }
            guard try Accounts.find(account.id, on: connection)?.state == .active else { return .inactive }
            guard try Operators.find(account.id, on: connection) != grant else { return .unchanged }
            guard try !ability.losesLastOwner(account.id, to: grant, on: connection) else { return .lastOwner }
            try Operators.set(OperatorRecord(account.id, grant, grantedAt: now), on: connection)
            try OperatorInvitations.remove(account.id, on: connection)
            try entry.write(on: connection)
            return .done
        }
        try require(outcome, of: account.id)
        let missing = try await database.read { try ability.shortcoming(of: account.id, on: $0) }
        var json = grant.json(of: account.id)
        json.set("warnings", [missing?.rawValue].compactMap(\.self))
        var answer = AdministrationAnswer.done("Account \(account.id.uuid) is now \(grant.words).", json)
        if missing == .noPassword {
            answer.lines.append(
                "It has no password and no other way to sign in, so no one can use the role yet. With --link, the person "
                    + "sets a password and an authenticator app, and then has the role.")
        } else if missing != nil {
            answer.lines.append(
                "It has no second factor. Anyone with its password can add an authenticator app at "
                    + "\(links.issuer.url(path: Endpoints.accountPage.path)) and then use the role; with --link, the role "
                    + "waits for a new password as well.")
        }
        return answer
    }

    /// Makes a link for an account without a second factor. A role that its person cannot use gives way to the one that waits.
    fileprivate func invite(
        _ reference: AccountReference, as role: NamedRole
    ) async throws -> AdministrationAnswer {
        let now = clock.now()
        let (account, names) = try await database.read { connection in
            let account = try reference.find(on: connection)
            return (account, try Accounts.names(of: account.id, on: connection))
        }
        let grant = role.grant(ownBrand: account.brandID)
        let link = try links.make(for: account.id, securityVersion: account.securityVersion, grant, now: now)
        let revocation = try auditLog.administration(OperatorEvent.revoked, account: account.id, now: now)
        let outcome = try await database.write { connection -> Outcome in
            if let brand = try Self.unknownBrand(of: grant, on: connection) { return .unknownBrand(brand) }
            guard let present = try Accounts.find(account.id, on: connection), present.state == .active,
                present.securityVersion == account.securityVersion
            else { return .inactive }
            let hasRole = try Operators.find(account.id, on: connection) != nil
            guard try !hasRole || !ability.canUseRole(account.id, on: connection) else { return .hasRole }
            guard try TOTPSecrets.active(of: account.id, on: connection) == nil else { return .hasSecondFactor }
            let hindrances = try links.hindrances(of: present, on: connection)
            guard hindrances.isEmpty else { return .inUse(having: hindrances) }
            if hasRole {
                try Operators.remove(account.id, on: connection)
                try revocation.write(on: connection)
            }
            try link.write(on: connection)
            return .done
        }
        try require(outcome, of: account.id)
        var json = grant.json(of: account.id)
        link.add(to: &json)
        return .done(link.lines(for: names.first ?? account.id.uuid), json)
    }

    /// The brand that a role is to reach, if there is no such brand.
    private static func unknownBrand(of grant: OperatorGrant, on connection: any SQLConnection) throws -> String? {
        try grant.brand.flatMap { try Brands.find($0, on: connection) == nil ? $0 : nil }
    }

    fileprivate func revoke(from reference: AccountReference) async throws -> AdministrationAnswer {
        let now = clock.now()
        let account = try await database.read { try reference.find(on: $0) }
        let entry = try auditLog.administration(OperatorEvent.revoked, account: account.id, now: now)
        let outcome = try await database.write { connection -> Outcome in
            let present = try Operators.find(account.id, on: connection)
            let wasInvited = try OperatorInvitations.remove(account.id, on: connection)
            guard present != nil || wasInvited else { return .unchanged }
            guard try !ability.losesLastOwner(account.id, to: nil, on: connection) else { return .lastOwner }
            try Operators.remove(account.id, on: connection)
            try entry.write(on: connection)
            return present == nil ? .withdrawn : .done
        }
        try require(outcome, of: account.id)
        return .done(
            "Account \(account.id.uuid) "
                + (outcome.isWithdrawal ? "gets no role: its link no longer works." : "no longer has a role."),
            JSONObject(strings: ["accountId": account.id.uuid]))
    }

    private func require(_ outcome: Outcome, of account: UniqueID) throws(AdministrationRefusal) {
        switch outcome {
        case .done, .withdrawn: return
        case .unchanged:
            throw AdministrationRefusal(
                "Account \(account.uuid) was not changed: its role is as requested.", hint: Self.list,
                code: "no_change")
        case .inactive:
            throw AdministrationRefusal(
                "Account \(account.uuid) was not changed. It is not active, or it was changed meanwhile.",
                code: "no_change")
        case .hasRole:
            throw AdministrationRefusal(
                "Account \(account.uuid) has a role already and can use it, so it gets no link.",
                hint: "Take the role away with `walletauth operator revoke`, and then make the link.", code: "no_change"
            )
        case .hasSecondFactor:
            throw AdministrationRefusal(
                "Account \(account.uuid) has an authenticator app, so it needs no link.",
                hint: "Grant the role without --link.", code: "no_change")
        case .inUse(let ways):
            throw AdministrationRefusal(
                "Account \(account.uuid) gets no link over HTTP, which would reset the password of a person who signs in "
                    + "already: it has \(ways.joined(separator: ", ")).",
                hint: "Grant the role without --link, and let the person add an authenticator app at "
                    + "\(links.issuer.url(path: Endpoints.accountPage.path)); or make the link on the server's machine.",
                code: "no_change")
        case .unknownBrand(let id): throw .notFound("brand", id)
        case .lastOwner: throw AdministrationRefusal.lastOwner(account)
        }
    }

    private static let list = "See `walletauth operator list`."
}

extension AdministrationRefusal {
    static func lastOwner(_ account: UniqueID) -> AdministrationRefusal {
        AdministrationRefusal(
            "Account \(account.uuid) was not changed: it is the last owner of all brands who can sign in.",
            hint:
                "Make another account an owner first: `walletauth operator grant USERNAME --role owner --all-brands`.",
            code: "last_owner")
    }
}

extension OperatorGrant {
    func json(of account: UniqueID) -> JSONObject {
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
