internal import Consent
internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

/// Exports all data about a person (GDPR articles 15 and 20) as one JSON document: account, sessions, devices, sign-in
/// methods, apps with access, operations presented for consent, and audit entries. Secrets are left out: they say nothing
/// about the person. Every time is text in UTC (RFC 3339).
///
/// Operators get it by `account export`, and holders by their app (``OwnExport``). Flows of the floors are named here; those of targets above export theirs (``AdministeredFlow/export(of:)``).
struct AccountExport: Sendable {
    let database: any Database
    let clock: any Clock
    let sealing: SealingKeys
    let auditLog: AuditLog
    let operations: RequestedOperations
    let flows: [any AdministeredFlow]

    func document(of reference: AccountReference) async throws -> AdministrationAnswer {
        let now = clock.now()
        let search = AccountSearch(sealing: sealing, clock: clock)
        let account = try await database.read { try search.find(reference, on: $0) }
        let entry = try auditLog.entry(AccountEvent.exported, account: account.id, now: now)
        try await database.write { _ = try entry.write(on: $0) }
        let json = try await document(of: account, now: now) { events in
            .array(try events.map { .object(try Self.eventJSON($0)) })
        }
        // People get the document itself as well: it is meant to be passed on.
        return .done(JSONValue.object(json).text, json)
    }

    /// More records of a kind than the caller takes.
    struct TooLarge: Error {}

    /// The document, for the person or an operator.
    /// - Parameters:
    ///   - limit: the most records of a kind; `nil` for any number.
    ///   - activity: how the entries of the audit log are shown.
    /// - Throws: ``TooLarge``.
    func document(
        of account: AccountRecord, now: Timestamp, limit most: Int? = nil,
        activity: ([SecurityEvent]) throws -> JSONValue
    ) async throws -> JSONObject {
        let names = try await database.read { try Accounts.names(of: account.id, on: $0) }
        let sessions = try await database.everyPage(atMost: most) { after, limit, connection in
            try Sessions.list(of: account.id, after: after?.id, limit: limit, on: connection)
        }
        let browsers = try await database.read {
            try BrowserSessions.living(of: account.id, now: now, limit: Int(Int32.max), on: $0)
        }
        let networks = try await database.read { try Sessions.networks(of: account.id, on: $0) }
        let devices = try await database.read { try Devices.list(of: account.id, on: $0) }
        let passkeys = try await database.read { try Passkeys.list(of: account.id, on: $0) }
        let identities = try await database.read {
            try FederatedIdentities.list(of: account.id, on: $0)
        }
        let records = try await database.everyPage(atMost: most) { after, limit, connection in
            try WalletOperations.list(of: account.id, after: after?.id, limit: limit, on: connection)
        }
        var consents: [JSONValue] = []
        // One read for each: reading the details of thousands of operations at once would hold a connection for seconds.
        for record in records {
            do {
                let claims = try await database.read { try self.operations.claims(of: record, now: now, on: $0) }
                consents.append(.object(try consentJSON(claims)))
            } catch let error where error is DamagedRow || error is MalformedValue || error is JOSEError {
                // If one operation cannot be read, the person still gets the rest.
                consents.append(.object(unreadableJSON(record)))
            }
        }
        let payees = try await database.read { try TrustedPayees.all(of: account.id, on: $0) }
        let apps = try await database.read { try ClientAccess.list(of: account.id, on: $0) }
        let merchants = try await database.read { try Merchants.employers(of: account.id, on: $0) }
        let pin = try await database.read { try AccountPINs.find(account.id, on: $0) }
        let events = try await database.everyPage(atMost: most) { after, limit, connection in
            try SecurityEvents.list(of: account.id, before: after?.id, limit: limit, on: connection)
        }
        let grant = try await database.read { try Operators.find(account.id, on: $0) }
        let merged = try await database.read { try Accounts.merged(into: account.id, on: $0) }
        let directories = try await database.read { try ProvisionedTable.accounts.list(of: account.id, on: $0) }
        var json = AccountVault(sealing).json(account, names: names)
        json.set("mergedAccounts", merged.map(\.uuid))
        json["sessions"] = .array(
            sessions.map { session in
                var json = sessionJSON(session, of: account, now: now)
                json.set("network", SessionVault(sealing).network(of: session.id, in: networks))
                let details = try? SessionVault(sealing).authorizationDetails(of: session.facts)
                json["authorizationDetails"] = details?.json
                return .object(json)
            })
        json["browserSessions"] = .array(browsers.map { .object(browserJSON($0)) })
        json["devices"] = .array(devices.map { .object(DeviceVault(sealing).json($0)) })
        json["passkeys"] = .array(passkeys.map { .object(PasskeyVault(sealing).json($0)) })
        json["pin"] = pin.map { .object(pinJSON($0)) }
        json.set("merchants", merchants)
        json["directories"] = .array(directories.map { .object($0.record.json(of: $0.client)) })
        json["operator"] = grant.map { .object($0.json) }
        json["identities"] = .array(identities.map { .object(identityJSON($0)) })
        json["walletOperations"] = .array(consents)
        for flow in flows {
            let (member, value) = try await flow.export(of: account.id)
            json[member] = value
        }
        json["clientConsents"] = .array(apps.map { .object($0.json) })
        json["trustedPayees"] = .array(payees.map { .object(payeeJSON($0)) })
        json["events"] = try activity(events)
        return json
    }

    private func identityJSON(_ identity: FederatedIdentityRecord) -> JSONObject {
        var json = JSONObject()
        json.set("provider", identity.providerID)
        json.set(
            "subject", IdentityVault(sealing).open(identity.subject, .subject, of: identity.digest))
        json.set("linkedAt", identity.linkedAt.text)
        return json
    }

    /// An operation as its evidence describes it, with the consent in words. The authentication code stays with its backend; it
    /// adds nothing to this document.
    private func consentJSON(_ claims: OperationEvidenceClaims) throws -> JSONObject {
        var json = claims.json.exported(timesIn: .milliseconds)
        json["operation"] = .object(try JSONValue.object(parsing: claims.payload).exported(timesIn: .seconds))
        json["authorization"] = nil
        return json
    }

    /// For an operation whose content does not open or cannot be parsed.
    private func unreadableJSON(_ record: WalletOperationRecord) -> JSONObject {
        var json = JSONObject()
        json.set("walletOperationId", record.operationID)
        json.set("clientId", record.clientID)
        json.set("eventId", record.id.uuid)
        json.set("requestedAt", record.createdAt.text)
        json.set("fault", "The stored data of this operation cannot be read.")
        return json
    }

    private func pinJSON(_ pin: AccountPINRecord) -> JSONObject {
        var json = JSONObject()
        json.set("setAt", pin.setAt.text)
        json.set("lockedAt", pin.lockedAt?.text)
        json.set("coolingUntil", pin.coolingUntil.text)
        return json
    }

    private func payeeJSON(_ payee: TrustedPayees.Record) -> JSONObject {
        var json = JSONObject()
        json.set("clientId", payee.clientID)
        if let kept = OperationVault(sealing).payee(of: payee) {
            json.set("name", kept.name)
            json.set("account", kept.account)
        }
        json.set("trustedAt", payee.createdAt.text)
        return json
    }

    /// The state of a session, so that readers need not compare times and versions.
    private enum SessionState: String {
        case active
        /// Ended before its time.
        case ended
        /// Not renewed in time.
        case expired

        init(_ session: SessionRecord, of account: AccountRecord, now: Timestamp) {
            let facts = session.facts
            self =
                if session.ended != nil {
                    .ended
                } else if now >= min(facts.expiresAt, facts.absoluteExpiresAt) {
                    .expired
                } else if account.state != .active || facts.securityVersion != account.securityVersion {
                    .ended
                } else {
                    .active
                }
        }
    }

    private func sessionJSON(_ session: SessionRecord, of account: AccountRecord, now: Timestamp) -> JSONObject {
        var json = JSONObject()
        json.set("sessionId", session.id.uuid)
        json.set("clientId", session.facts.clientID)
        json.set("scope", session.facts.scope)
        json.set("createdAt", session.facts.createdAt.text)
        json.set("lastRenewedAt", session.rotatedAt.text)
        json.set("expiresAt", session.facts.expiresAt.text)
        json.set("state", SessionState(session, of: account, now: now).rawValue)
        json.set("endedAt", session.ended?.at.text)
        json.set("endedBecause", session.ended?.why.rawValue)
        return json
    }

    private func browserJSON(_ session: BrowserSessionRecord) -> JSONObject {
        var json = JSONObject()
        json.set("createdAt", session.createdAt.text)
        json.set("lastUsedAt", session.lastUsedAt.text)
        json.set("network", SessionVault(sealing).network(of: session))
        json.set("expiresAt", session.expiresAt.text)
        json.set("browser", session.kind.browser?.rawValue)
        json.set("system", session.kind.system?.rawValue)
        return json
    }

    private static func eventJSON(_ event: SecurityEvent) throws -> JSONObject {
        var json = JSONObject()
        json.set("event", event.kind)
        json.set("clientId", event.clientID)
        json.set("occurredAt", event.occurredAt.text)
        let details = try JSONValue.object(parsing: Array(event.details.utf8))
        json["details"] = .object(details.exported(timesIn: .milliseconds))
        return json
    }
}
