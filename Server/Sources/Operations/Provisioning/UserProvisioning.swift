internal import Core
internal import HTTPTypes
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire
internal import Web

/// Creates, changes and erases accounts for a directory, with the effects, messages and audit entries of an operator's commands.
///
/// A request is one write: the account is read, changed in memory, and written if it is still the same.
struct UserProvisioning: Sendable {
    let accounts: AccountAdministration
    let documents: UserDocuments
    let search: UserSearch
    /// Where erasing takes two operators, a directory does not do it alone.
    var isErasing = true

    private var database: any Database { accounts.database }
    private var vault: AccountVault { accounts.vault }

    /// What a change of the present resource makes of it.
    typealias Change = @Sendable (JSONObject) throws(SCIMFailure) -> JSONObject

    private enum Outcome: Sendable {
        case written
        /// Since it was read.
        case changedMeanwhile
    }

    static let unknown = SCIMFailure(.notFound, "There is no such resource.")

    private static let taken = SCIMFailure(
        .conflict, .uniqueness, "The brand has another account with this userName.")

    private static let address = SCIMFailure(
        .conflict, .uniqueness, "The userName is an e-mail address that another account has confirmed.")

    static let ofOperator = SCIMFailure(
        .forbidden, "The account belongs to an operator, or to a person invited as one. Only an operator changes it.")

    static let otherVersion = SCIMFailure(
        .preconditionFailed, "The resource has another version than If-Match names. Read it again.")

    private static let busy = SCIMFailure(
        .serviceUnavailable, "Others change this resource. Try again in a moment.", retryAfter: 1)

    // MARK: - Reading

    func read(_ id: String, for provisioner: Provisioner) async throws -> JSONObject {
        documents.document(of: try await find(id, for: provisioner))
    }

    private func find(_ id: String, for provisioner: Provisioner) async throws -> StoredUser {
        guard let user = try await database.read({ try StoredUser.find(id, for: provisioner, on: $0) }) else {
            throw Self.unknown
        }
        return user
    }

    // MARK: - Creating

    func create(_ resource: JSONObject, for provisioner: Provisioner) async throws -> JSONObject {
        let now = accounts.clock.now()
        let user = try ProvisionedUser(resource)
        let id = try accounts.random.uniqueID()
        var profile = PersonalProfile()
        profile.apply(user)
        // As the account's, an unconfirmed number would receive codes and lead one-time passwords to the account.
        let phone = provisioner.confirms ? user.phone : nil
        profile.isPhoneVerified = phone != nil
        if phone == nil { profile.entered.phone = user.phone }
        let account = AccountRecord(
            id: id, brandID: provisioner.brand, state: user.isActive ? .active : .deactivated,
            email: try user.email.map { try vault.seal($0, .email, of: id) },
            emailState: user.email == nil ? .none : provisioner.confirms ? .verified : .unverified,
            phone: try phone.map { try vault.seal($0, .phone, of: id) }, profile: try vault.seal(profile, of: id),
            locale: user.language, createdAt: now, deactivatedBy: user.isActive ? nil : .directory)
        let entry = try accounts.auditLog.entry(AccountEvent.created, account: id, client: provisioner.id, now: now)
        let digests = try AccountDigests(of: account, names: [user.username], sealing: accounts.auditLog.sealing)
        let record = ProvisionedRecord(externalID: user.externalID, madeAt: now)
        let stored = try await database.write { connection -> StoredUser? in
            try provisioner.requireRegistered(on: connection)
            try requireNoAddress(user.username, ofOtherThan: nil, for: provisioner, on: connection)
            let creation = try ConfirmedEmail(accounts.auditLog).create(
                account, named: user.username, digests: digests, now: now, on: connection)
            switch creation {
            case .created: break
            case .nameTaken: throw Self.taken
            case .unknownBrand: throw Self.unknown
            }
            try ProvisionedTable.accounts.set(record, of: id, by: provisioner.id, on: connection)
            try entry.write(on: connection)
            return try StoredUser(account, for: provisioner, on: connection)
        }
        guard let stored else { throw InvariantViolation() }
        return documents.document(of: stored)
    }

    /// At sign-in, a name comes before an address.
    private func requireNoAddress(
        _ name: Username, ofOtherThan account: UniqueID?, for provisioner: Provisioner,
        on connection: any SQLConnection
    ) throws {
        let isTaken = try ChosenName.isAddress(
            name, ofOtherThan: account, in: BrandID(provisioner.brand), sealing: accounts.auditLog.sealing,
            now: provisioner.now, on: connection)
        guard !isTaken else { throw Self.address }
    }

    // MARK: - Changing

    /// - Parameter versions: what the request allows, in `If-Match`; `nil` for any.
    func change(
        _ id: String, ifMatch versions: VersionList?, for provisioner: Provisioner, _ change: Change
    ) async throws -> JSONObject {
        for _ in 1...3 {
            let present = try await find(id, for: provisioner)
            let document = documents.document(of: present)
            guard versions?.contains(document.version) ?? true else { throw Self.otherVersion }
            let new = try ProvisionedUser(try change(document))
            let old = try? ProvisionedUser(document)
            let overrulesHolder = try present.account.deactivatedBy == .holder && Self.closes(document, change)
            guard new != old || overrulesHolder else { return document }
            if try await write(new, over: present, overrulesHolder, for: provisioner) == .written {
                return try await read(id, for: provisioner)
            }
        }
        throw Self.busy
    }

    /// Whether a change itself says that the user is not active. What its holder closed, the holder could open again.
    private static func closes(_ document: JSONObject, _ change: Change) throws -> Bool {
        var open = document
        open["active"] = .bool(true)
        return try !ProvisionedUser(try change(open)).isActive
    }

    private func write(
        _ user: ProvisionedUser, over present: StoredUser, _ overrulesHolder: Bool, for provisioner: Provisioner
    ) async throws -> Outcome {
        let now = accounts.clock.now()
        let change = try UserChange(
            to: user, of: present, by: provisioner, overrulesHolder: overrulesHolder, vault: vault)
        let entries = try self.entries(of: change, by: provisioner, now: now)
        let digests = try AccountDigests(
            of: change.account, names: [user.username], sealing: accounts.auditLog.sealing)
        return try await database.write { connection in
            try provisioner.requireRegistered(on: connection)
            guard try StoredUser.find(present.account.id.uuid, for: provisioner, on: connection) == present else {
                return .changedMeanwhile
            }
            guard try !provisioner.isOperator(present.account.id, on: connection) else { throw Self.ofOperator }
            if change.changesEnteredPhone {
                let isInUse = try accounts.dependents.contains {
                    try $0.usesEnteredPhone(of: present.account.id, on: connection)
                }
                guard !isInUse else { throw UserChange.confirmed }
            }
            if let name = change.renamed, name.rawValue != user.username.rawValue {
                try requireNoAddress(user.username, ofOtherThan: present.account.id, for: provisioner, on: connection)
            }
            try apply(change, digests, now: now, on: connection)
            for entry in entries { try entry.write(on: connection) }
            let record = ProvisionedRecord(externalID: user.externalID, madeAt: present.record?.madeAt)
            if record != present.record {
                try ProvisionedTable.accounts.set(record, of: present.account.id, by: provisioner.id, on: connection)
            }
            return .written
        }
    }

    /// Each statement compares with what is there; that it was read in the same transaction makes every one fit.
    private func apply(
        _ change: UserChange, _ digests: AccountDigests, now: Timestamp, on connection: any SQLConnection
    ) throws {
        let (update, id) = (accounts.contactUpdate, change.account.id)
        var old = change.present.account
        if let name = change.renamed {
            guard
                try Accounts.rename(
                    old, from: name.rawValue, to: change.user.username.rawValue, typed: change.user.username.typed,
                    digests: digests, on: connection)
            else { throw Self.taken }
        }
        var fits = true
        if change.changesPhone {
            fits = try update.writePhone(from: old, to: change.account, now: now, on: connection)
            (old.phone, old.profile) = (change.account.phone, change.account.profile)
        }
        if old.profile != change.account.profile || old.locale != change.account.locale {
            fits =
                try fits
                && Accounts.setProfile(
                    from: old, to: change.account.profile, locale: change.account.locale, digests: digests,
                    on: connection)
        }
        if change.changesEmail {
            fits = try fits && update.writeEmail(from: old, to: change.account, now: now, on: connection)
        }
        switch change.turn {
        case .none: break
        case .opened: fits = try fits && Accounts.reopen(id, on: connection)
        case .closed:
            fits = try fits && Accounts.deactivate(id, by: .directory, on: connection)
            // What the holder had closed is not erased any more, until the directory or an operator decides.
            try AccountClosings.remove(of: id, on: connection)
            let time = accounts.clock.writeTime(since: now)
            try Sessions.endAll(of: id, because: .accountClosed, now: time, on: connection)
            try BrowserSessions.endAll(of: id, on: connection)
        }
        guard fits else { throw InvariantViolation() }
    }

    private func entries(
        of change: UserChange, by provisioner: Provisioner, now: Timestamp
    ) throws -> [AuditLog.Entry] {
        let (old, new, client) = (change.present.account, change.account, provisioner.id)
        let (update, log) = (accounts.contactUpdate, accounts.auditLog)
        var entries: [AuditLog.Entry] = []
        if change.changesProfile {
            entries.append(try log.entry(AccountEvent.profileChanged, account: old.id, client: client, now: now))
        }
        let contacts: [(FactorKind, Bool)] = [(.email, change.changesEmail), (.sms, change.changesPhone)]
        for (kind, isChanged) in contacts where isChanged {
            entries += try update.entries(
                of: kind, provisioner.confirms, from: old, to: new, client: client, now: now)
        }
        switch change.turn {
        case .none: break
        case .opened:
            var details = JSONObject()
            if old.closedOver != nil { details["locked"] = .bool(true) }
            entries.append(
                try log.entry(AccountEvent.reactivated, account: old.id, client: client, now: now, details: details))
        case .closed:
            entries.append(
                try log.entry(
                    AccountEvent.deactivated, account: old.id, client: client, now: now,
                    message: AccountMessage.deactivated, email: vault.email(of: new)))
        }
        return entries
    }

    // MARK: - Erasing

    /// Erases an account that the client created, as `account erase` does. What was here before a directory came is not a directory's to
    /// destroy: it deactivates such an account.
    func remove(_ id: String, ifMatch versions: VersionList?, for provisioner: Provisioner) async throws {
        let present = try await find(id, for: provisioner)
        guard versions?.contains(documents.document(of: present).version) ?? true else { throw Self.otherVersion }
        guard present.record?.madeAt != nil else {
            throw SCIMFailure(
                .forbidden, "This client did not create the account: set active to false, or let an operator erase it.")
        }
        guard isErasing else {
            _ = try await change(id, ifMatch: versions, for: provisioner) { present in
                var closed = present
                closed["active"] = .bool(false)
                return closed
            }
            return
        }
        let (account, now) = (present.account.id, accounts.clock.now())
        let entry = try accounts.auditLog.entry(
            AccountEvent.erased, account: account, client: provisioner.id, now: now)
        try await database.write { connection in
            try provisioner.requireRegistered(on: connection)
            if versions != nil {
                let found = try StoredUser.find(id, for: provisioner, on: connection)
                guard found == present else { throw Self.otherVersion }
            }
            guard try !provisioner.isOperator(account, on: connection) else { throw Self.ofOperator }
            let time = accounts.clock.writeTime(since: now)
            guard try Accounts.end(account, with: accounts.dependents, now: time, on: connection) else {
                throw Self.unknown
            }
            try entry.write(on: connection)
        }
        accounts.changes.changed(account)
    }
}

/// The versions that `If-Match` names (RFC 9110 §13.1.1); weak ones, as all of SCIM's are.
struct VersionList: Sendable {
    private let versions: [String]

    /// `nil` without the header.
    init?(_ header: String?) {
        guard let header else { return nil }
        versions = header.split(separator: ",").map { Self.opaque(String($0.trimmed())) }
    }

    func contains(_ version: String) -> Bool { versions.contains("*") || versions.contains(Self.opaque(version)) }

    private static func opaque(_ version: String) -> String {
        version.hasPrefix("W/") ? String(version.dropFirst(2)) : version
    }
}
