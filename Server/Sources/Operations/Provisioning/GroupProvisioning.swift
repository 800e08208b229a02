internal import Core
internal import HTTPTypes
internal import Kernel
internal import Store
internal import WalletAuthWire
internal import Web

/// Creates and changes merchants for a directory, and who works for them, with the audit entries of an operator's commands.
///
/// A person who works for a merchant can act for it, so a client reaches no merchants but those at which an operator installed it and
/// those that it created.
struct GroupProvisioning: Sendable {
    let merchants: MerchantAdministration
    let documents: GroupDocuments
    let search: GroupSearch

    private var database: any Database { merchants.database }
    private var auditLog: AuditLog { merchants.auditLog }

    /// What a request makes of the present group.
    typealias Change = @Sendable (inout ProvisionedGroup) throws(SCIMFailure) -> Void

    private static let notCreated = SCIMFailure(
        .forbidden, .mutability, "This client did not create the merchant, so it does not rename it.")

    private static let tooManyChanges = SCIMFailure(
        .tooMany, "A request adds and removes at most \(ProvisionedGroup.mostChanged) members. Send several with PATCH."
    )

    func read(_ id: String, for provisioner: Provisioner) async throws -> JSONObject {
        let found = try await database.read { try StoredGroup.find(id, for: provisioner, on: $0) }
        guard let found else { throw UserProvisioning.unknown }
        return documents.document(of: found)
    }

    func create(_ resource: JSONObject, for provisioner: Provisioner) async throws -> JSONObject {
        let group = try ProvisionedGroup(resource)
        let now = merchants.clock.now()
        let merchant = MerchantRecord(
            id: try MerchantID(generatedBy: merchants.random).rawValue, name: group.displayName, createdAt: now)
        let entry = try auditLog.administration(
            AdministrationEvent.merchantCreated, client: provisioner.id,
            details: JSONObject(strings: ["merchantId": merchant.id, "name": merchant.name]), now: now)
        let stored = try await database.write { connection -> StoredGroup in
            try provisioner.requireRegistered(on: connection)
            guard try Merchants.create(merchant, on: connection),
                try Merchants.install(client: provisioner.id, on: merchant.id, now: now, on: connection)
            else { throw InvariantViolation() }
            try entry.write(on: connection)
            let record = ProvisionedRecord(externalID: group.externalID, madeAt: now)
            try ProvisionedTable.merchants.set(record, of: merchant.id, by: provisioner.id, on: connection)
            let members = try change(
                merchant.id, from: [], to: group.members, now: now, for: provisioner, on: connection)
            return StoredGroup(merchant: merchant, record: record, members: members)
        }
        return documents.document(of: stored)
    }

    /// - Parameter versions: what the request allows, in `If-Match`; `nil` for any.
    func change(
        _ id: String, ifMatch versions: VersionList?, for provisioner: Provisioner, _ change: @escaping Change
    ) async throws -> JSONObject {
        let now = merchants.clock.now()
        let stored = try await database.write { connection -> StoredGroup in
            let present = try find(id, ifMatch: versions, for: provisioner, on: connection)
            let old = present.asProvisioned
            var new = old
            try change(&new)
            guard new != old else { return present }
            var (merchant, record) = (present.merchant, present.record)
            if new.displayName != old.displayName {
                guard present.record?.madeAt != nil else { throw Self.notCreated }
                merchant.name = new.displayName
                try Merchants.rename(id, to: new.displayName, on: connection)
                try entry("renamed", of: id, name: new.displayName, by: provisioner, now: now).write(on: connection)
            }
            if new.externalID != old.externalID {
                let changed = ProvisionedRecord(externalID: new.externalID, madeAt: record?.madeAt)
                try ProvisionedTable.merchants.set(changed, of: id, by: provisioner.id, on: connection)
                record = changed
            }
            let members = try self.change(
                id, from: old.members, to: new.members, now: now, for: provisioner, on: connection)
            return StoredGroup(merchant: merchant, record: record, members: members)
        }
        return documents.document(of: stored)
    }

    /// Ends the employments of the client's brand and the client's own reach. The merchant stays: sessions and audit entries name it. So do
    /// operators, whose accounts are not a directory's.
    func remove(_ id: String, ifMatch versions: VersionList?, for provisioner: Provisioner) async throws {
        let now = merchants.clock.now()
        var versions = versions
        var isGone = false
        while !isGone {
            // Each write removes a bounded number. The version is that of before the first.
            isGone = try await database.write { [versions] connection in
                let present = try find(id, ifMatch: versions, for: provisioner, on: connection)
                let members = present.members ?? []
                let removed = members.prefix(ProvisionedGroup.mostChanged)
                _ = try change(id, from: Set(removed), to: [], now: now, for: provisioner, on: connection)
                guard removed.count == members.count else { return false }
                _ = try Merchants.remove(client: provisioner.id, from: id, on: connection)
                try ProvisionedTable.merchants.remove(id, by: provisioner.id, on: connection)
                try entry("client_removed", of: id, by: provisioner, now: now).write(on: connection)
                return true
            }
            versions = nil
        }
    }

    // MARK: - In a write

    private func find(
        _ id: String, ifMatch versions: VersionList?, for provisioner: Provisioner, on connection: any SQLConnection
    ) throws -> StoredGroup {
        try provisioner.requireRegistered(on: connection)
        guard let present = try StoredGroup.find(id, for: provisioner, on: connection) else {
            throw UserProvisioning.unknown
        }
        if let versions, !versions.contains(documents.document(of: present).version) {
            throw UserProvisioning.otherVersion
        }
        return present
    }

    /// An operator's employment, which the client does not see, stays as it is.
    /// - Returns: the members that the client sees then.
    private func change(
        _ id: String, from old: Set<UniqueID>, to new: Set<UniqueID>, now: Timestamp, for provisioner: Provisioner,
        on connection: any SQLConnection
    ) throws -> [UniqueID] {
        let (added, removed) = (new.subtracting(old), old.subtracting(new))
        guard added.count + removed.count <= ProvisionedGroup.mostChanged else { throw Self.tooManyChanges }
        guard new.count <= ProvisionedGroup.mostMembers else { throw StoredGroup.tooLarge }
        var members = new
        for account in removed {
            guard try Merchants.remove(employee: account, from: id, on: connection) else { throw InvariantViolation() }
            try entry("employee_removed", of: id, account: account, by: provisioner, now: now).write(on: connection)
        }
        for account in added {
            guard let found = try Accounts.find(account, on: connection), found.brandID == provisioner.brand,
                found.state != .erased
            else { throw ProvisionedGroup.noMember }
            guard try !provisioner.isOperator(account, on: connection) else {
                guard try Merchants.isEmployed(account, at: id, on: connection) else {
                    throw UserProvisioning.ofOperator
                }
                members.remove(account)
                continue
            }
            guard try Merchants.add(employee: account, to: id, now: now, on: connection) else {
                throw InvariantViolation()
            }
            try entry("employee_added", of: id, account: account, by: provisioner, now: now).write(on: connection)
        }
        return members.sorted()
    }

    private func entry(
        _ change: String, of merchant: String, name: String? = nil, account: UniqueID? = nil,
        by provisioner: Provisioner, now: Timestamp
    ) throws -> AuditLog.Entry {
        var details = JSONObject(strings: ["merchantId": merchant, "change": change])
        details.set("name", name)
        return try auditLog.administration(
            AdministrationEvent.merchantChanged, account: account, client: provisioner.id, details: details, now: now)
    }
}
