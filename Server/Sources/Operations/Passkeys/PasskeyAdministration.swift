internal import ArgumentParser
internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

enum PasskeyCommands: CommandNoun {
    static let title = "passkey"
    static let abstract = "List and remove people's passkeys."
    static let commands: [any AdminCommand.Type] = [PasskeyList.self, PasskeyRemove.self, PasskeyExamine.self]
}

struct PasskeyList: AdminCommand {
    static let title = "passkey list"
    static let access = CommandAccess.reading(.support, .auditor)
    static let abstract = "List the passkeys of an account."

    @OptionGroup var account: AccountOptions

    var target: CommandTarget { get throws { .account(try account.reference) } }

    var effect: CommandEffect { .reads }

    func execute(in passkeys: PasskeyAdministration) async throws -> AdministrationAnswer {
        let (account, now) = (try account.reference, passkeys.clock.now())
        let found = try await passkeys.database.read { connection in
            try Passkeys.list(of: try passkeys.search.find(account, on: connection).id, on: connection)
        }
        return .list(
            "passkeys", columns: ["ID", "STATE", "ADDED", "LAST USED", "NAME"],
            found.map { passkey in
                (
                    [
                        passkey.id.uuid, passkeys.stateText(of: passkey, now: now), passkey.createdAt.text,
                        passkey.lastUsedAt?.text ?? "never", passkeys.vault.shownName(of: passkey),
                    ], passkeys.vault.json(passkey)
                )
            }, empty: "No passkeys.")
    }
}

struct PasskeyRemove: AdminCommand {
    static let title = "passkey remove"
    static let access = CommandAccess.changing(.support)
    static let abstract = """
        Remove a passkey permanently: sessions signed in with passkeys end, and its holder gets a message.
        """

    @Argument(help: "The passkey's id, as `passkey list` shows it.")
    var id: String

    var target: CommandTarget { .passkey(id) }

    func execute(in passkeys: PasskeyAdministration) async throws -> AdministrationAnswer {
        let found = try await passkeys.database.read { connection -> (PasskeyRecord, AccountRecord)? in
            guard let unique = UniqueID(uuid: id), let passkey = try Passkeys.find(unique, on: connection),
                let account = try Accounts.find(passkey.accountID, on: connection)
            else { return nil }
            return (passkey, account)
        }
        guard let (passkey, account) = found else { throw AdministrationRefusal.notFound("passkey", id) }
        let now = passkeys.clock.now()
        let entry = try passkeys.auditLog.entry(
            PasskeyEvent.removed, account: account.id, now: now,
            details: JSONObject(strings: ["passkey": passkey.id.uuid]),
            message: PasskeyMessage.removed(try DeviceName(passkeys.vault.shownName(of: passkey))),
            email: passkeys.accounts.open(account.email, .email, of: account.id))
        let hasWayIn = try await passkeys.database.write { [removal = passkeys.removal] connection -> Bool? in
            guard try removal.take(passkey.id, of: account.id, now: now, on: connection) else { return nil }
            try entry.write(on: connection)
            return try removal.hasWayIn(account.id, without: passkey.id, on: connection)
        }
        guard let hasWayIn else { throw AdministrationRefusal.notFound("passkey", id) }
        let advice =
            hasWayIn
            ? "" : " It was the last way to sign in; `walletauth account set-password` adds another."
        return .done(
            "Passkey \(id) removed; sessions signed in with passkeys ended.\(advice)",
            JSONObject(strings: ["passkeyId": passkey.id.uuid]))
    }
}

/// For the doctor.
struct PasskeyExamine: AdminCommand {
    static let title = "passkey examine"
    static let access = CommandAccess.terminal
    static let abstract = "Count passkeys that no longer work, because they belong to a former domain of the server."
    static let isListed = false

    var effect: CommandEffect { .reads }

    func execute(in passkeys: PasskeyAdministration) async throws -> AdministrationAnswer {
        let reports = try await PasskeyProbe.reports(of: passkeys.database, under: passkeys.issuer)
        return .list(
            "formerDomains", columns: ["DOMAIN", "PASSKEYS", "ACCOUNTS"],
            reports.map { report in
                var json = JSONObject()
                json.set("relyingParty", report.relyingParty)
                json.set("passkeys", report.passkeys)
                json.set("accounts", report.accounts)
                return ([report.relyingParty, "\(report.passkeys)", "\(report.accounts)"], json)
            }, empty: "No passkeys of a former domain.")
    }
}

/// What operators do to passkeys.
struct PasskeyAdministration: Sendable {
    let database: any Database
    let clock: any Clock
    let auditLog: AuditLog
    let accounts: AccountVault
    let vault: PasskeyVault
    let issuer: Issuer
    let removal: PasskeyRemoval
    let search: AccountSearch

    /// For people: whether it can be used.
    fileprivate func stateText(of passkey: PasskeyRecord, now: Timestamp) -> String {
        guard passkey.relyingParty == PasskeyRelyingParty(issuer: issuer)?.id else {
            return "of \(passkey.relyingParty)"
        }
        return now < passkey.coolingUntil ? "cooling until \(passkey.coolingUntil.text)" : "active"
    }
}

extension PasskeyVault {
    fileprivate func shownName(of passkey: PasskeyRecord) -> String { name(of: passkey)?.rawValue ?? "…" }

    func json(_ passkey: PasskeyRecord) -> JSONObject {
        var json = JSONObject()
        json.set("passkeyId", passkey.id.uuid)
        json.set("accountId", passkey.accountID.uuid)
        json.set("name", name(of: passkey)?.rawValue)
        json.set("relyingParty", passkey.relyingParty)
        json.set("credentialId", Base64URL.encode(passkey.credentialID))
        json["synced"] = .bool(passkey.isBackupEligible)
        json.set("createdAt", passkey.createdAt.text)
        json.set("coolingUntil", passkey.coolingUntil.text)
        json.set("lastUsedAt", passkey.lastUsedAt?.text)
        return json
    }
}
