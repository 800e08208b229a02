internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

/// What a line makes, sealed before the write.
protocol PreparedLine: Sendable {
    var kind: ImportedLine.Kind { get }
    /// By which later lines find it; `nil` if none does.
    var mark: String? { get }

    /// Whether the line was imported before. What happened to it since is left alone, its end included.
    func isPresent(on connection: any SQLConnection) throws -> Bool

    /// - Parameter coming: of a dry run: the marks of what earlier lines would make.
    /// - Throws: ``AccountImport/Refusal`` that says why it cannot be made.
    func requireFit(coming: Set<String>, on connection: any SQLConnection) throws

    func create(on connection: any SQLConnection) throws
}

/// An account with all that is stored of it.
struct PreparedAccount: PreparedLine {
    let mark: String?
    let account: AccountRecord
    let name: Username
    let identities: [FederatedIdentityRecord]
    let totp: [UInt8]?
    let digests: AccountDigests
    let entry: AuditLog.Entry
    /// Those that do not depend on other accounts.
    let faults: [ImportFault]

    var kind: ImportedLine.Kind { .account }

    var isWithoutPassword: Bool { account.password == nil && identities.isEmpty }

    func isPresent(on connection: any SQLConnection) throws -> Bool {
        guard let found = try Accounts.find(account.id, on: connection) else { return false }
        guard found.brandID == account.brandID else {
            throw AccountImport.Refusal("the id \(account.id.uuid) belongs to an account of the brand \(found.brandID)")
        }
        return true
    }

    func requireFit(coming: Set<String>, on connection: any SQLConnection) throws {
        let brand = account.brandID
        var faults = faults
        if let other = try Accounts.find(named: name.rawValue, brand: brand, on: connection) {
            faults.append(
                ImportFault(
                    "the user name \(name.typed) is taken by the account \(other.id.uuid): give one of them another name"
                ))
        }
        for identity in identities {
            guard let other = try FederatedIdentities.find(identity.digest, brand: brand, on: connection) else {
                continue
            }
            faults.append(
                ImportFault(
                    "the identity at \(identity.providerID) is linked to the account \(other.accountID.uuid): remove it from one of "
                        + "them"))
        }
        guard faults.isEmpty else { throw AccountImport.Refusal(faults) }
    }

    func create(on connection: any SQLConnection) throws {
        let creation = try Accounts.create(
            account, named: name.rawValue, typed: name.typed, digests: digests, on: connection)
        guard creation == .created else {
            throw StoreError(.unexpectedRow, "a name was taken in the middle of a write")
        }
        for identity in identities where try !FederatedIdentities.link(identity, on: connection) {
            throw StoreError(.unexpectedRow, "an identity was linked in the middle of a write")
        }
        if let totp {
            let now = account.createdAt
            try TOTPSecrets.take(totp, of: account.id, spent: TOTP.stepNumber(at: now), now: now, on: connection)
        }
        try entry.write(on: connection)
    }
}

/// A merchant with its clients. Merchants belong to no brand.
struct PreparedMerchant: PreparedLine {
    let merchant: MerchantRecord
    let clients: [String]
    let mark: String?
    let entries: [AuditLog.Entry]

    var kind: ImportedLine.Kind { .merchant }

    func isPresent(on connection: any SQLConnection) throws -> Bool {
        try Merchants.find(merchant.id, on: connection) != nil
    }

    func requireFit(coming: Set<String>, on connection: any SQLConnection) throws {
        for client in clients where try Clients.find(client, on: connection) == nil {
            throw AccountImport.Refusal(
                "there is no client \(client) here: create it, or remove it from the merchant's clients",
                isGeneral: true)
        }
    }

    func create(on connection: any SQLConnection) throws {
        guard try Merchants.create(merchant, on: connection) else {
            throw StoreError(.unexpectedRow, "a merchant's id was taken in the middle of a write")
        }
        for client in clients {
            _ = try Merchants.install(client: client, on: merchant.id, now: merchant.createdAt, on: connection)
        }
        for entry in entries { try entry.write(on: connection) }
    }
}

/// What an account of another line has.
struct PreparedGrant: PreparedLine {
    enum Content: Sendable {
        case employment(merchant: String)
        case consent(ClientConsentRecord, Scope)
    }

    let account: UniqueID
    let key: ImportedAccountKey
    let brand: String
    let content: Content
    let now: Timestamp
    let entry: AuditLog.Entry

    var mark: String? { nil }

    var kind: ImportedLine.Kind {
        switch content {
        case .employment: .employee
        case .consent: .consent
        }
    }

    private var target: String {
        switch content {
        case .employment(let merchant): merchant
        case .consent(let consent, _): consent.clientID
        }
    }

    /// An account that is erased has nothing more, and one that had this here before the import keeps that.
    func isPresent(on connection: any SQLConnection) throws -> Bool {
        guard let found = try Accounts.find(account, on: connection) else { return false }
        guard found.brandID == brand else {
            throw AccountImport.Refusal("the id \(account.uuid) belongs to an account of the brand \(found.brandID)")
        }
        if try found.state == .erased || ImportedGrants.contains(kind, of: account, to: target, on: connection) {
            return true
        }
        switch content {
        case .employment(let merchant): return try Merchants.employers(of: account, on: connection).contains(merchant)
        case .consent(let consent, _):
            return try ClientConsentRecords.find(account, to: consent.clientID, on: connection) != nil
        }
    }

    func requireFit(coming: Set<String>, on connection: any SQLConnection) throws {
        if try !coming.contains(key.mark) && Accounts.find(account, on: connection) == nil {
            throw AccountImport.Refusal(
                "there is no imported account with the \(key.words): its line has to come before this one")
        }
        switch content {
        case .employment(let merchant):
            if try !coming.contains("merchant \(merchant)") && Merchants.find(merchant, on: connection) == nil {
                throw AccountImport.Refusal(
                    "there is no merchant \(merchant) here: create it, or put its line before this one", isGeneral: true
                )
            }
        case .consent(let consent, let scope): try requireClient(consent.clientID, scope, on: connection)
        }
    }

    private func requireClient(_ id: String, _ scope: Scope, on connection: any SQLConnection) throws {
        guard let record = try Clients.find(id, on: connection) else {
            throw AccountImport.Refusal(
                "there is no client \(id) here: create it, or remove its consents", isGeneral: true)
        }
        let client = try RegisteredClient(record)
        if let other = client.brand?.rawValue, other != brand {
            throw AccountImport.Refusal("the client \(id) belongs to the brand \(other)", isGeneral: true)
        }
        guard !client.isFirstParty else {
            throw AccountImport.Refusal(
                "the client \(id) is a first-party app, which needs no consent", isGeneral: true)
        }
        let foreign = scope.tokens.filter { !client.scope.contains($0) }
        guard foreign.isEmpty else {
            throw AccountImport.Refusal(
                "scope has \(foreign.joined(separator: " ")), which the client \(id) may not request")
        }
    }

    func create(on connection: any SQLConnection) throws {
        switch content {
        case .employment(let merchant):
            _ = try Merchants.add(employee: account, to: merchant, now: now, on: connection)
        case .consent(let consent, _):
            guard try ClientConsentRecords.add(consent, on: connection) else {
                throw StoreError(.unexpectedRow, "a consent was given in the middle of a write")
            }
        }
        try ImportedGrants.add(kind, of: account, to: target, now: now, on: connection)
        try entry.write(on: connection)
    }
}

extension AccountImport {
    func prepared(_ merchant: ImportedMerchant, _ request: Request, now: Timestamp) throws -> PreparedMerchant {
        func entry(
            _ event: AdministrationEvent, _ details: [String: String], client: String? = nil
        ) throws -> AuditLog.Entry {
            let details = ["merchantId": merchant.id, "import": request.source].merging(details) { own, _ in own }
            return try auditLog.administration(event, client: client, details: JSONObject(strings: details), now: now)
        }
        return PreparedMerchant(
            merchant: MerchantRecord(id: merchant.id, name: merchant.name, createdAt: now), clients: merchant.clients,
            mark: "merchant \(merchant.id)",
            entries: try [entry(.merchantCreated, ["name": merchant.name])]
                + merchant.clients.map { try entry(.merchantChanged, ["change": "client_installed"], client: $0) })
    }

    func prepared(_ employee: ImportedEmployee, _ request: Request, now: Timestamp) throws -> PreparedGrant {
        let account = try employee.account.accountID(in: request.brand)
        return PreparedGrant(
            account: account, key: employee.account, brand: request.brand.rawValue,
            content: .employment(merchant: employee.merchant), now: now,
            entry: try auditLog.entry(
                AdministrationEvent.merchantChanged, account: account, now: now,
                details: JSONObject(strings: [
                    "merchantId": employee.merchant, "change": "employee_added", "import": request.source,
                ])))
    }

    func prepared(_ consent: ImportedConsent, _ request: Request, now: Timestamp) throws -> PreparedGrant {
        let account = try consent.account.accountID(in: request.brand)
        return PreparedGrant(
            account: account, key: consent.account, brand: request.brand.rawValue,
            content: .consent(
                ClientConsentRecord(
                    accountID: account, clientID: consent.client, id: try random.uniqueID(),
                    scope: consent.scope.rawValue, grantedAt: now, changedAt: now), consent.scope),
            now: now,
            entry: try auditLog.entry(
                ClientConsentEvent.granted, account: account, client: consent.client, now: now,
                details: JSONObject(strings: ["scope": consent.scope.rawValue, "import": request.source])))
    }
}

/// The employments and consents that were imported once. It owns the `imported_grants` table.
enum ImportedGrants {
    static func contains(
        _ kind: ImportedLine.Kind, of account: UniqueID, to target: String, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.row(
            "SELECT 1 FROM imported_grants WHERE account_id = $1 AND kind = $2 AND target = $3",
            [.id(account), .text(kind.rawValue), .text(target)]) != nil
    }

    static func add(
        _ kind: ImportedLine.Kind, of account: UniqueID, to target: String, now: Timestamp,
        on connection: any SQLConnection
    ) throws {
        try connection.execute(
            "INSERT INTO imported_grants (account_id, kind, target, imported_at) VALUES ($1, $2, $3, $4)",
            [.id(account), .text(kind.rawValue), .text(target), .time(now)])
    }

    static func removeAll(of account: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute("DELETE FROM imported_grants WHERE account_id = $1", [.id(account)])
    }
}
