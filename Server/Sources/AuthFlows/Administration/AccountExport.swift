internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

extension Administration {
    /// Everything that is kept about a person (GDPR article 15), as one JSON document: the account, its sessions and
    /// devices, and what was recorded of it. Secrets are not among it: they say nothing about the person.
    func exportAccount(_ reference: AccountReference) async throws -> AdministrationAnswer {
        let now = context.clock.now()
        let (account, names) = try await context.database.read { connection in
            let account = try reference.find(on: connection)
            return (account, try Accounts.names(of: account.id, on: connection))
        }
        let entry = try Journal(context: context).entry(.exported, account: account.id, now: now)
        try await context.database.write { _ = try entry.write(on: $0) }
        let sessions = try await everyPage { after, limit, connection in
            try Sessions.list(of: account.id, after: after?.id, limit: limit, on: connection)
        }
        let devices = try await context.database.read { try Devices.list(of: account.id, on: $0) }
        let passkeys = try await context.database.read { try Passkeys.list(of: account.id, on: $0) }
        let identities = try await context.database.read {
            try FederatedIdentities.list(of: account.id, on: $0)
        }
        let pin = try await context.database.read { try AccountPINs.find(account.id, on: $0) }
        let events = try await everyPage { after, limit, connection in
            try SecurityEvents.list(of: account.id, before: after?.id, limit: limit, on: connection)
        }
        var json = try accountJSON(account, names: names)
        json.set("locale", account.locale)
        json["sessions"] = .array(sessions.map { .object(sessionJSON($0)) })
        json["devices"] = .array(devices.map { .object(self.json($0)) })
        json["passkeys"] = .array(passkeys.map { .object(passkeyJSON($0)) })
        json["pin"] = pin.map { .object(pinJSON($0)) }
        json["identities"] = .array(identities.map { .object(identityJSON($0)) })
        json["events"] = .array(try events.map { .object(try eventJSON($0)) })
        // The document is the answer for a person as well: it is meant to be handed on.
        return .done(JSONValue.object(json).text, json)
    }

    private func identityJSON(_ identity: FederatedIdentityRecord) -> JSONObject {
        let subject = context.open(
            identity.subject, for: .personal, context: GuestAccount.context(digest: identity.digest))
        var json = JSONObject()
        json.set("provider", identity.providerID)
        json.set("subject", subject.map { String(decoding: $0, as: UTF8.self) })
        json.set("linkedAt", identity.linkedAt.text)
        return json
    }

    private func pinJSON(_ pin: AccountPINRecord) -> JSONObject {
        var json = JSONObject()
        json.set("setAt", pin.setAt.text)
        json.set("lockedAt", pin.lockedAt?.text)
        return json
    }

    private func passkeyJSON(_ passkey: PasskeyRecord) -> JSONObject {
        var json = JSONObject()
        json.set("name", PasskeyVault(context: context).name(of: passkey)?.rawValue)
        json.set("relyingParty", passkey.relyingParty)
        json.set("createdAt", passkey.createdAt.text)
        json.set("lastUsedAt", passkey.lastUsedAt?.text)
        return json
    }

    private func sessionJSON(_ session: SessionRecord) -> JSONObject {
        var json = JSONObject()
        json.set("sessionId", session.id.uuid)
        json.set("clientId", session.facts.clientID)
        json.set("scope", session.facts.scope)
        json.set("createdAt", session.facts.createdAt.text)
        json.set("lastRenewedAt", session.rotatedAt.text)
        json.set("expiresAt", session.facts.expiresAt.text)
        json.set("endedAt", session.ended?.at.text)
        return json
    }

    private func eventJSON(_ event: SecurityEventRecord) throws -> JSONObject {
        var json = JSONObject()
        json.set("event", event.kind)
        json.set("clientId", event.clientID)
        json.set("occurredAt", event.occurredAt.text)
        json["details"] = .object(try JSONValue.object(parsing: Array(event.details.utf8)))
        return json
    }
}
