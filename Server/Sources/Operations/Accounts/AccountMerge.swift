internal import ArgumentParser
internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

/// Merges two accounts of one person (decision 185).
struct AccountMerge: AdminCommand {
    static let title = "account merge"
    static let access = CommandAccess.reading([], changing: [])
    var takesTwo: Bool { true }
    static let abstract = "Give one account of a person to another, and close it for good."
    static let discussion = """
        Providers' identities, consents to apps, employments and the loyalty number move. All else ends: e-mail address \
        and phone number, sessions, devices, passkeys, password, second factors, open payments. On their own, moved \
        identities neither pay nor change anything for as long as a new device.

          walletauth account merge guest-4711 --into ada --dry-run

        Verify that both accounts are the person's, on channels that you know are theirs: whatever opened the first \
        then opens the other.
        """

    @OptionGroup var account: AccountOptions

    @Option(
        help: ArgumentHelp("The account that remains: a user name of the same brand, or an id.", valueName: "account"))
    var into: String

    @Flag(help: "Change nothing; say what would move and end, or what is in the way.")
    var dryRun = false

    @OptionGroup var confirmed: ConfirmationOptions

    var loggedTitle: String { dryRun ? Self.title + " --dry-run" : Self.title }

    var effect: CommandEffect { dryRun ? .reads : .changes }

    var target: CommandTarget { get throws { .accounts(try account.reference, into: into) } }

    func precondition(isTyped: Bool) throws -> AdminRequest? {
        guard !dryRun, !confirmed.yes else { return nil }
        return AdminRequest(["account", "merge", "--into=\(into)", "--dry-run"] + (try account.reference.words))
    }

    var confirmation: Confirmation? {
        get throws {
            guard !dryRun else { return nil }
            return confirmed.unlessGiven(
                "This closes the account for good and gives what it has to \(into); --dry-run says what.",
                typing: try account.reference.typed)
        }
    }

    func execute(in accounts: AccountAdministration) async throws -> AdministrationAnswer {
        let pair = AccountPair(from: try account.reference, into: into)
        return dryRun ? try await accounts.planMerge(pair) : try await accounts.merge(pair)
    }
}

/// Two accounts of a brand as the operator names them.
struct AccountPair: Sendable {
    let from: AccountReference
    let into: String

    func find(on connection: any SQLConnection) throws -> (from: AccountRecord, into: AccountRecord) {
        let account = try from.find(on: connection)
        return (account, try Self.other(into, sharingBrandOf: account, on: connection))
    }

    /// Does not reveal whether another brand has it: an operator may reach this brand only.
    static func other(
        _ text: String, sharingBrandOf account: AccountRecord, on connection: any SQLConnection
    ) throws -> AccountRecord {
        let reference = AccountReference(typed: text, brand: account.brandID)
        guard case .id(let id) = reference else { return try reference.find(on: connection) }
        guard let found = try UniqueID(uuid: id).flatMap({ try Accounts.find($0, on: connection) }),
            found.brandID == account.brandID
        else {
            throw AdministrationRefusal(
                "There is no account \(id) in the brand \(account.brandID).",
                hint: "Both accounts have to be of one brand.", code: "not_found")
        }
        return found
    }
}

/// What a merge moves and ends, and what is in its way.
struct MergePlan: Sendable {
    let from: AccountRecord
    let into: AccountRecord
    /// The ids of the providers, clients and merchants whose identities, consents and employments move.
    var providers: [String] = []
    var clients: [String] = []
    var merchants: [String] = []
    /// Nouns for the operator.
    var moves: [String] = []
    var ends: [String] = []
    /// Sentences for the operator.
    var obstacles: [String] = []

    /// - Throws: ``AdministrationRefusal`` that names all that is in the way.
    func requireNoObstacle() throws {
        guard !obstacles.isEmpty else { return }
        throw AdministrationRefusal(
            "Account \(from.id.uuid) cannot be merged into \(into.id.uuid). " + obstacles.joined(separator: " "),
            hint: "Nothing was changed.", code: "merge_conflict")
    }

    fileprivate func answer(_ outcome: String) -> AdministrationAnswer {
        var json = JSONObject(strings: ["accountId": from.id.uuid, "mergedInto": into.id.uuid])
        json.set("moves", moves)
        json.set("ends", ends)
        let lists = [("Moves", moves), ("Ends", ends)].map { name, things in
            "\(name): \(things.isEmpty ? "nothing" : things.joined(separator: ", "))."
        }
        return .done(["Account \(from.id.uuid) \(outcome) \(into.id.uuid)."] + lists, json)
    }
}

extension AccountAdministration {
    fileprivate func planMerge(_ pair: AccountPair) async throws -> AdministrationAnswer {
        let now = clock.now()
        let plan = try await database.read { try self.plan(pair, now: now, on: $0) }
        try plan.requireNoObstacle()
        return plan.answer("would be merged into")
    }

    fileprivate func merge(_ pair: AccountPair) async throws -> AdministrationAnswer {
        let now = clock.now()
        let plan = try await database.write { connection in
            // Read in the write: what is planned is what happens, whatever else runs.
            let plan = try self.plan(pair, now: now, on: connection)
            try plan.requireNoObstacle()
            try carryOut(plan, now: clock.writeTime(since: now), on: connection)
            return plan
        }
        changes.changed(plan.from.id)
        changes.changed(plan.into.id)
        return plan.answer("was merged into")
    }

    private func plan(_ pair: AccountPair, now: Timestamp, on connection: any SQLConnection) throws -> MergePlan {
        let (from, into) = try pair.find(on: connection)
        var plan = MergePlan(from: from, into: into)
        guard from.id != into.id else {
            plan.obstacles = ["Both are the same account."]
            return plan
        }
        plan.obstacles = try [from, into].flatMap { try obstacles(in: $0, now: now, on: connection) }
        let directories = try ProvisionedTable.accounts.list(of: from.id, on: connection).map(\.client)
        if !directories.isEmpty {
            plan.obstacles.append(
                "A directory (\(directories.joined(separator: ", "))) knows \(from.id.uuid) by this id: merge the other "
                    + "account into this one.")
        }
        plan.obstacles += try obstaclesByDirectories(of: from, on: connection)
        try addEffects(to: &plan, now: now, on: connection)
        return plan
    }

    /// What keeps an account from being merged, on either side. A merge opens nothing that is closed, and gives no one a role.
    private func obstacles(
        in account: AccountRecord, now: Timestamp, on connection: any SQLConnection
    ) throws -> [String] {
        let id = account.id.uuid
        switch account.state {
        case .active: break
        case .deactivated: return ["Account \(id) is deactivated."]
        case .erased:
            let outcome = account.mergedInto.map { "merged into \($0.uuid)" } ?? "erased"
            return ["Account \(id) was \(outcome)."]
        }
        var obstacles: [String] = []
        if try Operators.find(account.id, on: connection) != nil
            || OperatorInvitations.find(account.id, now: now, on: connection) != nil
        {
            obstacles.append("Account \(id) is an operator's.")
        }
        if let until = account.coolingUntil, now < until {
            obstacles.append("Account \(id) was recovered by e-mail; its restrictions end at \(until.text).")
        }
        return obstacles
    }

    /// A directory that says who works for a merchant knows the employee by id, and could end no employment that moved.
    private func obstaclesByDirectories(
        of account: AccountRecord, on connection: any SQLConnection
    ) throws -> [String] {
        try Merchants.employers(of: account.id, on: connection).compactMap { merchant -> String? in
            let directories = try Merchants.clients(installedAt: merchant, on: connection).filter {
                try $0.scope.contains(Provisioner.groupsScope) && $0.accountBrand.rawValue == account.brandID
            }
            guard !directories.isEmpty else { return nil }
            let names = directories.map(\.id.rawValue).joined(separator: ", ")
            return "A directory (\(names)) says who works for \(merchant): let it remove \(account.id.uuid) from that "
                + "group, and add the remaining account there."
        }
    }

    /// Adds what moves and what ends.
    private func addEffects(to plan: inout MergePlan, now: Timestamp, on connection: any SQLConnection) throws {
        let (from, into) = (plan.from, plan.into)
        let identities = try FederatedIdentities.list(of: from.id, on: connection)
        let own = try FederatedIdentities.list(of: into.id, on: connection)
        if !identities.isEmpty, identities.count + own.count > AccountIdentities.most {
            plan.obstacles.append("Together they have more than \(AccountIdentities.most) identities at providers.")
        }
        plan.providers = identities.map(\.providerID)
        plan.moves = plan.providers.map { "the identity at \($0)" }
        // What the moved identities' providers reported was compared with the former account's mailbox (decision 38).
        if !identities.isEmpty, into.email != nil, try emailAfterProvider.counts(for: into, on: connection) {
            plan.ends.append("codes to the remaining account's e-mail address as a second factor after its providers")
        }
        // An address recovers, and a number is a second factor: with them, someone who talked support into the merge would take over the
        // account. An unconfirmed address is no way out, since an identity that moved could confirm it at its next sign-in.
        if from.email != nil { plan.ends.append("the e-mail address") }
        if from.phone != nil { plan.ends.append("the phone number") }
        let present = Set(try ClientConsentRecords.list(of: into.id, on: connection).map(\.clientID))
        for consent in try ClientConsentRecords.list(of: from.id, on: connection) {
            if present.contains(consent.clientID) {
                plan.ends.append("the access of \(consent.clientID)")
            } else {
                plan.clients.append(consent.clientID)
            }
        }
        plan.moves += plan.clients.map { "the access of \($0)" }
        let employers = try Merchants.employers(of: into.id, on: connection)
        plan.merchants = try Merchants.employers(of: from.id, on: connection).filter { !employers.contains($0) }
        plan.moves += plan.merchants.map { "the employment at \($0)" }
        for rows in dependents {
            switch try rows.effectOfMerge(of: from.id, into: into.id, on: connection) {
            case .moves(let noun): plan.moves.append(noun)
            case .obstacle(let sentence): plan.obstacles.append(sentence)
            case nil: break
            }
        }
        plan.ends.append("all sessions")
        if from.password != nil { plan.ends.append("the password") }
        let devices = try Devices.list(of: from.id, on: connection).count
        if devices > 0 { plan.ends.append(devices.counted("device", "devices")) }
        let passkeys = try Passkeys.list(of: from.id, on: connection).count
        if passkeys > 0 { plan.ends.append(passkeys.counted("passkey", "passkeys")) }
        let isPaying = try dependents.contains {
            try !$0.openPayments(of: from.id, sealing: vault.sealing, limit: 1, now: now, on: connection).isEmpty
        }
        if isPaying { plan.ends.append("its open payments") }
    }

    /// Everything in one transaction. What moves, moves first: the rest is erased.
    private func carryOut(_ plan: MergePlan, now: Timestamp, on connection: any SQLConnection) throws {
        let (from, into) = (plan.from, plan.into)
        for rows in dependents { try rows.accountMerged(from.id, into: into.id, on: connection) }
        try FederatedIdentities.move(
            from: from.id, to: into.id, coolingUntil: now + identityCooling, on: connection)
        try ClientConsentRecords.move(from: from.id, to: into.id, on: connection)
        try Merchants.employ(into.id, as: from.id, on: connection)
        guard try Accounts.end(from.id, with: dependents, mergedInto: into.id, now: now, on: connection) else {
            throw Self.changedMeanwhile
        }
        // By these, an operator can tell later what came from which account.
        var absorbed = JSONObject(strings: ["merged_from": from.id.uuid])
        for (name, ids) in [
            ("providers", plan.providers), ("clients", plan.clients), ("merchants", plan.merchants),
        ] where !ids.isEmpty { absorbed.set(name, ids) }
        var entries = [
            try auditLog.entry(
                AccountEvent.merged, account: from.id, now: now,
                details: JSONObject(strings: [BackendEvent.mergedInto: into.id.uuid])),
            try auditLog.entry(
                AccountEvent.absorbed, account: into.id, now: now, details: absorbed),
        ]
        entries += try contactUpdate.notices(.accountsMerged, on: into.id, to: into, from, now: now)
        for entry in entries { try entry.write(on: connection) }
    }
}
