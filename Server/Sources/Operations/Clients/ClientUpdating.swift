internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

extension ClientAdministration {
    /// Changes a client. The result is checked as a whole, like a new client.
    /// - Parameter keySet: the JWK set that replaces the client's.
    func update(_ id: String, _ change: ClientChange, keySet: String? = nil) async throws -> AdministrationAnswer {
        let now = clock.now()
        guard let record = try await database.read({ try Clients.find(id, on: $0) }) else {
            throw AdministrationRefusal.notFound("client", id)
        }
        let client = try RegisteredClient(record)
        guard !client.settings.selfDescribed else { throw AdministrationRefusal.selfDescribed(id) }
        var registration = ClientRegistration(client, record)
        // What it has already was accepted once.
        try await refuseMistyped(
            change.addedScopes.filter { !registration.scopes.contains($0) }, option: "--add-scope",
            besides: registration.scopes.filter { !change.removedScopes.contains($0) })
        let origins = change.pages.addedPasskeyOrigins.filter { !client.settings.passkeyOrigins.contains($0) }
        for origin in origins { try PasskeyOriginCheck.refuse(origin, at: issuer) }
        try registration.apply(change)
        if keySet != nil || change.keys.jwksURI != nil {
            registration.keySet = keySet
            registration.settings.jwksURI = change.keys.jwksURI
        }
        var changed = try registration.checked(madeID: { record.id }, in: environment, now: now)
        changed.brandID = record.brandID
        changed.secretHash = record.secretHash
        changed.formerSecret = record.formerSecret
        changed.createdAt = record.createdAt
        // The record must be readable again: one that is not would refuse every sign-in.
        let result = try RegisteredClient(changed)
        let entry = try auditLog.administration(
            AdministrationEvent.clientChanged, client: record.id, details: change.details, now: now)
        let redeemer = change.redeemer.flatMap { $0.isEmpty ? nil : $0 }
        let own = try await ownApps()
        let joinsProfile = change.requests.fapi == true
        let keyAdvice =
            joinsProfile || change.keys.jwksURI != nil ? try await adviceOnKeys(of: result) : []
        try registration.checkNotifications(known: try await noticeURIs()[.ping]?[id])
        let (receivers, removed) = try await self.receivers(of: id, change, result, now: now)
        try await database.write { [changed] connection in
            if let redeemer { try Clients.checkRedeemer(redeemer, ofBrand: changed.brandID, on: connection) }
            if joinsProfile { try Clients.checkRedeemsNone(id, on: connection) }
            try Clients.refuseTakenHosts(of: result, on: connection)
            guard try Clients.update(changed, seen: record.updatedAt, on: connection) else {
                throw AdministrationRefusal.changedMeanwhile(client: id)
            }
            for receiver in receivers {
                guard try WebhookEndpoints.setURI(receiver, on: connection) else {
                    throw AdministrationRefusal.tooManyReceivers
                }
            }
            for notice in removed { try WebhookEndpoints.removeURI(for: notice, ofClient: id, on: connection) }
            try entry.write(on: connection)
        }
        directory.forget(client.id)
        var lines = ["Client \(record.id) changed."]
        if let isOwn = change.firstParty, isOwn != client.settings.firstParty {
            lines.append(
                isOwn
                    ? "It may sign people in natively, and no one is asked for consent to it any more."
                    : """
                    It can no longer sign people in natively, enroll devices or ask for consent to payments; its sessions \
                    continue.
                    """)
        }
        if change.deviceTokens == false, client.mayUseDeviceTokens {
            lines.append(
                """
                While this is off, the long-lived sessions of its devices cannot be used to sign in; they were not \
                ended.
                """)
        }
        if change.binding.requiresDPoP == true, !client.requiresDPoP, client.kind == .public {
            lines.append("Sessions without a key can no longer be renewed; their holders must sign in again.")
        }
        if let fapi = change.requests.fapi, fapi != client.settings.fapi {
            lines.append(
                fapi
                    ? """
                    From now on it pushes its authorization requests, and each token request needs a DPoP proof; its sessions \
                    continue.
                    """
                    : "Its refresh tokens rotate again. Pushed requests and proofs stay until --no-require-par and --allow-bearer."
            )
        }
        if change.redeemer != nil, result.settings.redeemer != client.settings.redeemer {
            let who = result.settings.redeemer ?? "the client itself"
            lines.append("From now on \(who) redeems codes; existing sessions continue.")
        }
        if keySet != nil {
            let lead = "From now on"
            lines.append(
                client.method == .attestation
                    ? "\(lead) only attestations by the keys of the new set count."
                    : client.method.hasSecret
                        ? "\(lead) only requests signed with the keys of the new set count."
                        : "\(lead) it authenticates with the keys of the new set alone.")
        }
        if change.keys.jwksURI != nil {
            lines.append("From now on it authenticates with the keys that it publishes alone.")
        }
        lines += keyAdvice
        if !change.guests.removedLoyaltyMerchants.isEmpty {
            lines.append(
                "It opens no more sessions for a removed merchant's guests; those that it has opened continue.")
        }
        if !change.removedScopes.isEmpty {
            lines.append("New sign-ins cannot get a removed scope; sessions that have it keep it until they end.")
        }
        if !change.removedResources.isEmpty {
            lines.append(
                """
                Tokens are no longer issued for a removed resource; sessions for that resource alone can no longer be \
                renewed.
                """)
        }
        if client.settings.resources.isEmpty, !change.addedResources.isEmpty {
            lines.append(
                "Tokens from new sign-ins are for its resources, and for this server if the request names it."
            )
        }
        lines += try changed.warnings(among: own, unlike: client)
        lines += result.redirectURIs.filter { !client.redirectURIs.contains($0) }.compactMap(\.advice)
        lines += PasskeyOriginCheck.advice(on: origins, at: issuer)
        var json = try changed.shown(at: now, among: own)
        json.set(uris: try await noticeURIs(), ofClient: id)
        return .done(lines, json)
    }
}

extension ClientAdministration {
    /// The receivers that a change gives a client, and the notices for which it has none any more.
    private func receivers(
        of id: String, _ change: ClientChange, _ result: RegisteredClient, now: Timestamp
    ) async throws -> ([WebhookEndpoint], [WebhookNotice]) {
        var (receivers, removed): ([WebhookEndpoint], [WebhookNotice]) = ([], [])
        switch change.signOut.backchannelLogoutURI {
        case nil: break
        case ""?: removed.append(.logout)
        case let uri?: receivers.append(try await notices.receiver(of: id, at: uri, for: .logout, now: now))
        }
        if let uri = change.backchannel.notificationEndpoint {
            receivers.append(try await notices.receiver(of: id, at: uri, for: .ping, now: now))
        } else if result.backchannelMode != .ping {
            removed.append(.ping)
        }
        return (receivers, removed)
    }

    /// Refuses scopes that the operator can hardly have meant. One that another client has already is the operator's own.
    /// - Parameter own: the scopes that the client keeps.
    func refuseMistyped(_ scopes: [String], option: String, besides own: [String] = []) async throws {
        for scope in scopes {
            try Scope.refuseComma(in: scope, option: option)
            do { try Scope.refuseMisspelling(of: scope, option: option, besides: own) } catch {
                guard try await database.read({ try Clients.areAnyRegistered(forScope: scope, on: $0) }) else {
                    throw error
                }
            }
        }
    }
}

extension ClientRegistration {
    /// The registration that would create this client again.
    fileprivate init(_ client: RegisteredClient, _ record: ClientRecord) {
        self.init(name: client.name, kind: client.kind)
        id = record.id
        authenticationMethod = record.authenticationMethod.rawValue
        keySet = record.jwks
        redirectURIs = client.redirectURIs.map(\.rawValue)
        scopes = client.scope.tokens
        brand = record.brandID
        settings = client.settings
        // Otherwise the default for new clients would apply to one that was registered without it.
        settings.requiresDPoP = client.requiresDPoP
    }

    /// - Throws: ``AdministrationRefusal`` if a value to remove does not exist.
    fileprivate mutating func apply(_ change: ClientChange) throws {
        guard !change.isEmpty else {
            throw AdministrationRefusal("There is nothing to change.", code: "nothing_to_change")
        }
        name = change.name ?? name
        try redirectURIs.remove(change.pages.removedRedirectURIs, called: "redirect URI")
        for uri in change.pages.addedRedirectURIs { _ = try RedirectURI(typed: uri, option: "--add-redirect-uri") }
        for url in change.pages.addedResetCredentialsURLs { _ = try WebURL(url, field: "--add-reset-credentials-url") }
        redirectURIs.add(change.pages.addedRedirectURIs)
        for scope in change.addedScopes {
            do { _ = try Scope(tokens: [scope]) } catch {
                throw MalformedValue(field: "--add-scope \(CommandLineSyntax.quoted(scope))", reason: error.reason)
            }
        }
        try scopes.remove(change.removedScopes, called: "scope")
        scopes.add(change.addedScopes)
        try settings.resetCredentialsURLs.remove(
            change.pages.removedResetCredentialsURLs, called: "reset credentials URL")
        settings.resetCredentialsURLs.add(change.pages.addedResetCredentialsURLs)
        try settings.consentReturnURLs.remove(change.pages.removedConsentReturnURLs, called: "consent return URL")
        for url in change.pages.addedConsentReturnURLs {
            _ = try RedirectURI(typed: url, option: "--add-consent-return-url")
        }
        settings.consentReturnURLs.add(change.pages.addedConsentReturnURLs)
        try settings.postLogoutRedirectURIs.remove(
            change.signOut.removedPostLogoutRedirectURIs, called: "post-logout redirect URI")
        for uri in change.signOut.addedPostLogoutRedirectURIs {
            _ = try RedirectURI(typed: uri, option: "--add-post-logout-redirect-uri")
        }
        settings.postLogoutRedirectURIs.add(change.signOut.addedPostLogoutRedirectURIs)
        try settings.appleAppIDs.remove(change.pages.removedAppleAppIDs, called: "Apple App ID")
        settings.appleAppIDs.add(change.pages.addedAppleAppIDs)
        try settings.androidApps.remove(
            change.pages.removedAndroidApps.map { (try? AndroidApp($0))?.text ?? $0 }, called: "Android app")
        settings.attestation = try change.attestation.value ?? settings.attestation
        settings.attestationClaim = change.attestation.attestationClaim ?? settings.attestationClaim
        settings.androidApps.add(try change.pages.addedAndroidApps.map { try AndroidApp($0).text })
        try settings.passkeyOrigins.remove(change.pages.removedPasskeyOrigins, called: "passkey origin")
        settings.passkeyOrigins.add(change.pages.addedPasskeyOrigins)
        for url in change.addedResources { _ = try WebURL(url, field: "--add-resource") }
        try settings.resources.remove(change.removedResources, called: "resource")
        settings.resources.add(change.addedResources)
        try settings.authorizationDetailsTypes.remove(
            change.requests.removedAuthorizationDetailsTypes, called: "authorization details type")
        settings.authorizationDetailsTypes.add(change.requests.addedAuthorizationDetailsTypes)
        try settings.metadataHosts.remove(change.requests.removedMetadataHosts, called: "metadata host")
        settings.metadataHosts.add(change.requests.addedMetadataHosts)
        if let redeemer = change.redeemer { settings.redeemer = redeemer.isEmpty ? nil : redeemer }
        if let site = change.pages.siteURL { settings.siteURL = site.isEmpty ? nil : site }
        settings.setStores(change.stores)
        settings.firstParty = change.firstParty ?? settings.firstParty
        settings.requiresDPoP = change.binding.requiresDPoP ?? settings.requiresDPoP
        settings.withoutPKCE = change.pkce.withoutPKCE ?? settings.withoutPKCE
        try applyProfile(change)
        settings.requiresPushedRequests = change.requests.requirePar ?? settings.requiresPushedRequests
        settings.requiresSignedRequests = change.requests.requireSignedRequests ?? settings.requiresSignedRequests
        // A client with a secret has its keys for this alone.
        if change.requests.requireSignedRequests == false, let name = authenticationMethod,
            RegisteredAuthenticationMethod(rawValue: name)?.hasSecret == true
        {
            keySet = nil
        }
        settings.deviceTokens = change.deviceTokens ?? settings.deviceTokens
        settings.deviceGrant = change.deviceGrant ?? settings.deviceGrant
        if let mode = change.backchannel.mode { settings.backchannelMode = mode.isEmpty ? nil : mode }
        notificationEndpoint = change.backchannel.notificationEndpoint
        change.tokens.apply(to: &settings)
        guard change.guests.guestTokens != true || settings.firstParty || settings.guestTokens else {
            throw AdministrationRefusal(
                """
                The client is a third-party app, to which people give access on a page. Create another client for guest \
                tokens.
                """,
                code: "contradiction")
        }
        settings.guestTokens = change.guests.guestTokens ?? settings.guestTokens
        // It would stay first-party, while the operator believes that it is closed.
        guard change.firstParty != false || !settings.guestTokens else {
            throw AdministrationRefusal(
                "A client with guest tokens is always first-party: add --no-guest-tokens.", code: "contradiction")
        }
        // Without guest tokens, there are no guest passwords.
        settings.guestPasswords = change.guests.guestPasswords ?? (settings.guestTokens && settings.guestPasswords)
        // Nor guests.
        if !settings.guestTokens { settings.loyaltyMerchants = [] }
        try settings.loyaltyMerchants.remove(change.guests.removedLoyaltyMerchants, called: "loyalty merchant")
        settings.loyaltyMerchants.add(change.guests.addedLoyaltyMerchants)
        settings.verifiesAppInstallation = change.verifiesAppInstallation ?? settings.verifiesAppInstallation
        settings.introspection = change.introspection ?? settings.introspection
        settings.tokenExchange = change.tokenExchange ?? settings.tokenExchange
        settings.allowsTransactionsWithoutAccount =
            change.allowsTransactionsWithoutAccount ?? settings.allowsTransactionsWithoutAccount
    }
}

extension Array where Element: Equatable & CustomStringConvertible {
    fileprivate mutating func add(_ values: [Element]) {
        for value in values where !contains(value) { append(value) }
    }

    /// - Throws: ``AdministrationRefusal`` if a value is missing.
    fileprivate mutating func remove(_ values: [Element], called name: String) throws {
        for value in values {
            guard let index = firstIndex(of: value) else {
                throw AdministrationRefusal.notFound(name, value.description)
            }
            remove(at: index)
        }
    }
}
