internal import AuthCore
internal import AuthEvents
internal import AuthFoundation
internal import AuthStore
internal import WalletAuthWire

extension Administration {
    /// Changes a client. The result is checked as a whole, like a new client.
    func updateClient(_ id: String, _ change: ClientChange) async throws -> AdministrationAnswer {
        let now = context.clock.now()
        guard let record = try await context.database.read({ try Clients.find(id, on: $0) }) else {
            throw AdministrationRefusal.notFound("client", id)
        }
        let client = try RegisteredClient(record)
        var registration = ClientRegistration(client, record)
        try registration.apply(change)
        let checked = try CheckedRegistration(registration, madeID: { record.id })
        let changed = ClientRecord(
            id: record.id, brandID: record.brandID, name: checked.name, kind: record.kind,
            authenticationMethod: record.authenticationMethod, secretHash: record.secretHash, jwks: record.jwks,
            redirectURIs: JSONValue.strings(checked.redirectURIs.map(\.rawValue)).text,
            scopes: checked.scope.rawValue, settings: try checked.settings.json(), createdAt: record.createdAt,
            updatedAt: now)
        // The record must be readable again: one that is not would refuse every sign-in.
        _ = try RegisteredClient(changed)
        let entry = try AuditLog(context: context).administration(
            AdministrationEvent.clientChanged, client: record.id, details: details(of: change), now: now)
        let redeemer = change.redeemer.flatMap { $0.isEmpty ? nil : $0 }
        let (isUsable, isWritten) = try await context.database.write { connection in
            guard try redeemer.map({ try Clients.mayRedeem($0, on: connection) }) ?? true else { return (false, false) }
            guard try Clients.update(changed, seen: record.updatedAt, on: connection) else { return (true, false) }
            try entry.write(on: connection)
            return (true, true)
        }
        if let redeemer, !isUsable { throw AdministrationRefusal.unusableRedeemer(redeemer) }
        guard isWritten else {
            throw AdministrationRefusal(
                "Another command changed client \(id) in the meantime; look at it again.", code: "changed")
        }
        context.clients.forget(client.id)
        var lines = ["Client \(record.id) changed."]
        if change.deviceTokens == false, client.mayUseDeviceTokens {
            lines.append(
                """
                While this is off, the long-lived sessions of its devices cannot be used to sign in; they were not \
                ended.
                """)
        }
        if change.requiresDPoP == true, !client.requiresDPoP, client.kind == .public {
            lines.append("Sessions without a key can no longer be renewed; those people have to sign in again.")
        }
        if change.redeemer != nil, checked.settings.redeemer != client.settings.redeemer {
            let who = checked.settings.redeemer ?? "the client itself"
            lines.append("From now on \(who) redeems codes; existing sessions continue.")
        }
        if !change.removedResources.isEmpty {
            lines.append(
                """
                Tokens are no longer issued for a removed resource; sessions for that resource alone can no longer be \
                renewed.
                """)
        }
        if (client.settings.resources ?? []).isEmpty, !change.addedResources.isEmpty {
            lines.append(
                "Tokens of new sign-ins are for its resources, and for this server's own calls if the request names it."
            )
        }
        lines += try warnings(of: changed)
        lines += checked.redirectURIs.filter { !client.redirectURIs.contains($0) }.compactMap(\.advice)
        return .done(lines, try clientJSON(changed))
    }

    /// The change for the audit log. Nothing in it is secret.
    private func details(of change: ClientChange) -> JSONObject {
        var details = JSONObject()
        details.set("name", change.name)
        details.set("redeemer", change.redeemer)
        details.set("siteUrl", change.siteURL)
        for (name, values) in [
            ("addedRedirectUris", change.addedRedirectURIs), ("removedRedirectUris", change.removedRedirectURIs),
            ("addedScopes", change.addedScopes), ("addedResetCredentialsUrls", change.addedResetCredentialsURLs),
            ("addedReturnUrls", change.addedReturnURLs), ("removedReturnUrls", change.removedReturnURLs),
            ("addedAppIds", change.addedAppIDs), ("removedAppIds", change.removedAppIDs),
            ("removedResetCredentialsUrls", change.removedResetCredentialsURLs),
            ("addedResources", change.addedResources), ("removedResources", change.removedResources),
        ] where !values.isEmpty {
            details.set(name, values)
        }
        for (name, value) in [
            ("requiresDPoP", change.requiresDPoP), ("deviceTokens", change.deviceTokens),
            ("guestTokens", change.guestTokens), ("guestPasswords", change.guestPasswords),
            ("verifiesInstances", change.verifiesInstances), ("introspects", change.introspects),
            ("allowsUnaddressedTransactions", change.allowsUnaddressedTransactions),
        ] {
            if let value { details[name] = .bool(value) }
        }
        return details
    }
}

extension ClientRegistration {
    /// The registration that would create this client again.
    fileprivate init(_ client: RegisteredClient, _ record: ClientRecord) {
        self.init(name: client.name, kind: client.kind == .public ? .public : .confidential)
        let settings = client.settings
        id = client.id.rawValue
        authenticationMethod = client.method.rawValue
        keySet = record.jwks
        redirectURIs = client.redirectURIs.map(\.rawValue)
        scopes = client.scope.tokens
        brand = record.brandID
        firstParty = settings.firstParty ?? false
        requiresDPoP = client.requiresDPoP
        siteURL = settings.siteURL
        resetCredentialsURLs = settings.resetCredentialsURLs ?? []
        returnURLs = settings.returnURLs ?? []
        appIDs = settings.appIDs ?? []
        resources = settings.resources ?? []
        requiresMerchant = client.requiresMerchant
        redeemer = settings.redeemer
        fapi = settings.fapi ?? false
        verifiesInstances = settings.verifiesInstances ?? false
        deviceTokens = client.mayUseDeviceTokens
        guestTokens = client.mayRequestGuestTokens
        guestPasswords = client.mayBringGuestPasswords
        introspects = client.mayIntrospect
        allowsUnaddressedTransactions = client.mayLeaveOutAccounts
        idTokenAlgorithm = settings.idTokenAlgorithm
        accessTokenLifetime = settings.accessTokenLifetime.map { Int($0) }
        refreshIdleLifetime = settings.refreshIdleLifetime.map { Int($0) }
        refreshAbsoluteLifetime = settings.refreshAbsoluteLifetime.map { Int($0) }
    }

    /// - Throws: ``AdministrationRefusal`` if a value to remove does not exist.
    fileprivate mutating func apply(_ change: ClientChange) throws {
        guard !change.isEmpty else {
            throw AdministrationRefusal("There is nothing to change.", code: "nothing_to_change")
        }
        name = change.name ?? name
        try redirectURIs.remove(change.removedRedirectURIs, called: "redirect URI")
        for uri in change.addedRedirectURIs { _ = try RedirectURI(typed: uri, option: "--add-redirect-uri") }
        for url in change.addedResetCredentialsURLs { _ = try WebURL(url, field: "--add-reset-credentials-url") }
        redirectURIs += change.addedRedirectURIs.filter { !redirectURIs.contains($0) }
        for scope in change.addedScopes {
            try Scope.refuseComma(in: scope, option: "--add-scope")
            do { _ = try Scope(tokens: [scope]) } catch {
                throw MalformedValue(field: "--add-scope \(CommandLineSyntax.quoted(scope))", reason: error.reason)
            }
        }
        scopes += change.addedScopes.filter { !scopes.contains($0) }
        try resetCredentialsURLs.remove(change.removedResetCredentialsURLs, called: "reset credentials URL")
        resetCredentialsURLs += change.addedResetCredentialsURLs.filter { !resetCredentialsURLs.contains($0) }
        try returnURLs.remove(change.removedReturnURLs, called: "return URL")
        for url in change.addedReturnURLs { _ = try RedirectURI(typed: url, option: "--add-return-url") }
        returnURLs += change.addedReturnURLs.filter { !returnURLs.contains($0) }
        try appIDs.remove(change.removedAppIDs, called: "app id")
        appIDs += change.addedAppIDs.filter { !appIDs.contains($0) }
        for url in change.addedResources { _ = try WebURL(url, field: "--add-resource") }
        try resources.remove(change.removedResources, called: "resource")
        resources += change.addedResources.filter { !resources.contains($0) }
        if let redeemer = change.redeemer { self.redeemer = redeemer.isEmpty ? nil : redeemer }
        if let site = change.siteURL { siteURL = site.isEmpty ? nil : site }
        requiresDPoP = change.requiresDPoP ?? requiresDPoP
        deviceTokens = change.deviceTokens ?? deviceTokens
        guard change.guestTokens != true || firstParty || guestTokens else {
            throw AdministrationRefusal(
                """
                The client is a third-party app, which people give access on a page. Create another client for guest \
                tokens.
                """,
                code: "contradiction")
        }
        guestTokens = change.guestTokens ?? guestTokens
        // Without guest tokens, there are no guest passwords.
        guestPasswords = change.guestPasswords ?? (guestTokens && guestPasswords)
        verifiesInstances = change.verifiesInstances ?? verifiesInstances
        introspects = change.introspects ?? introspects
        allowsUnaddressedTransactions = change.allowsUnaddressedTransactions ?? allowsUnaddressedTransactions
    }
}

extension [String] {
    /// - Throws: ``AdministrationRefusal`` if a value is missing.
    fileprivate mutating func remove(_ values: [String], called name: String) throws {
        for value in values {
            guard let index = firstIndex(of: value) else { throw AdministrationRefusal.notFound(name, value) }
            remove(at: index)
        }
    }
}
