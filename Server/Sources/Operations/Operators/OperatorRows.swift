internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

/// The rows of `operator list`.
extension OperatorAdministration {
    /// Those who have a role.
    func operatorRows() async throws -> [AdministrationAnswer.Row] {
        let records = try await database.everyPage { after, limit, connection in
            try Operators.list(after: after?.accountID, limit: limit, on: connection)
        }
        var rows: [AdministrationAnswer.Row] = []
        for record in records {
            let id = record.accountID
            let state = try await database.read { connection in
                let state = try Accounts.find(id, on: connection)?.state ?? .erased
                let missing = try state == .active ? ability.shortcoming(of: id, on: connection) : nil
                return missing?.rawValue ?? state.rawValue
            }
            let facts = JSONObject(strings: ["grantedAt": record.grantedAt.text])
            rows.append(try await row(of: id, record.grant, state: state, since: record.grantedAt.text, facts))
        }
        return rows
    }

    /// Those who have a one-time link, without its secret.
    func invitationRows() async throws -> [AdministrationAnswer.Row] {
        let now = clock.now()
        let invitations = try await database.everyPage { after, limit, connection in
            try OperatorInvitations.list(after: after?.account, now: now, limit: limit, on: connection)
        }
        var rows: [AdministrationAnswer.Row] = []
        for invitation in invitations {
            var maker: String?
            if let id = invitation.madeBy { maker = try await names(of: id).first ?? id.uuid }
            var facts = JSONObject()
            facts.set("invitedBy", invitation.madeBy?.uuid)
            facts.set("expiresAt", invitation.expiresAt.text)
            rows.append(
                try await row(
                    of: invitation.account, invitation.grant,
                    state: invitation.acceptedBy == nil ? "invited" : "accepted",
                    since: "until \(invitation.expiresAt.text)" + (maker.map { ", by \($0)" } ?? ""), facts))
        }
        return rows
    }

    private func row(
        of id: UniqueID, _ grant: OperatorGrant, state: String, since: String, _ facts: JSONObject
    ) async throws -> AdministrationAnswer.Row {
        let names = try await names(of: id)
        var json = JSONObject()
        json.set("accountId", id.uuid)
        json.set("usernames", names)
        for member in grant.json.members { json[member.name] = member.value }
        json.set("state", state)
        for member in facts.members { json[member.name] = member.value }
        let said =
            switch Hindrance.Code(rawValue: state) {
            case .noPassword: "needs a password"
            case .noSecondFactor: "needs a second factor"
            default: state
            }
        return ([names.first ?? "", id.uuid, grant.role.rawValue, grant.brand ?? "all brands", said, since], json)
    }

    private func names(of account: UniqueID) async throws -> [String] {
        try await database.read { try Accounts.names(of: account, on: $0) }
    }
}
