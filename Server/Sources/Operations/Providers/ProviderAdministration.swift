internal import Core
package import Kernel
internal import SignIn
package import Store
internal import WalletAuthWire

/// What operators do to providers.
package struct ProviderAdministration: Sendable {
    let database: any Database
    let clock: any Clock
    let auditLog: AuditLog
    let vault: ProviderVault
    let vendors: ProviderVendors
    let documents: ProviderDocuments
    let formerSystems: FormerSystems
    let http: ProviderHTTP
    let environment: ServerSettings.Environment
    let issuer: Issuer

    package func add(_ registration: OpenIDRegistration) async throws -> AdministrationAnswer {
        try await add(provider(registration))
    }

    package func add(_ registration: RepositoryRegistration) async throws -> AdministrationAnswer {
        try await add(provider(registration))
    }

    package func add(_ registration: IntrospectionRegistration) async throws -> AdministrationAnswer {
        try await add(await provider(registration))
    }

    private func provider(_ registration: OpenIDRegistration) throws -> IdentityProvider {
        let issuer: Issuer
        do { issuer = try Issuer(registration.issuer) } catch {
            throw MalformedValue(field: "issuer", reason: error.reason)
        }
        try requireTLS(isInsecure: issuer.isInsecure, field: "issuer")
        let secret = try registration.clientSecret.map { try ClientSecret($0) }
        let authentication = registration.authentication ?? (secret == nil ? "none" : "client_secret_basic")
        guard ["none", "client_secret_basic", "client_secret_post"].contains(authentication) else {
            throw MalformedValue(
                field: "auth-method", reason: "must be none, client_secret_basic or client_secret_post")
        }
        guard (authentication == "none") == (secret == nil) else {
            throw AdministrationRefusal(
                "A client with a secret authenticates with it; one without a secret needs --auth-method none.",
                code: "contradiction")
        }
        guard registration.isOnSignInPage == (registration.label != nil),
            registration.isOnSignInPage || !registration.redirectsToOtherHosts
        else {
            throw AdministrationRefusal(
                """
                A provider on the sign-in page needs --on-sign-in-page and --label; other providers can have neither a \
                label nor --redirects-to-other-hosts.
                """,
                code: "contradiction")
        }
        return IdentityProvider(
            id: try ProviderID(registration.id),
            brand: try BrandID(registration.brand ?? BrandSettings.defaultBrand),
            kind: .openID(
                OpenIDSettings(
                    issuer: issuer, clientID: try ClientID(registration.clientID).rawValue,
                    authentication: authentication, emailClaim: registration.emailClaim ?? "email",
                    emailVerifiedClaim: registration.emailVerifiedClaim ?? "email_verified",
                    trustsEmail: registration.trustsEmail, isInternal: registration.isInternal,
                    emailIsSecondFactor: registration.emailIsSecondFactor,
                    pageName: try registration.label.map { try DisplayName.check($0, field: "--label") },
                    redirectsToOtherHosts: registration.redirectsToOtherHosts), secret: secret))
    }

    private func provider(_ registration: RepositoryRegistration) throws -> IdentityProvider {
        let endpoint: WebURL
        do { endpoint = try WebURL(registration.endpoint) } catch {
            throw MalformedValue(field: "endpoint", reason: error.reason)
        }
        try requireTLS(isInsecure: endpoint.isInsecure, field: "endpoint")
        return IdentityProvider(
            id: try ProviderID(registration.id),
            brand: try BrandID(registration.brand ?? BrandSettings.defaultBrand),
            kind: .repository(
                RepositorySettings(
                    endpoint: endpoint, trustsEmail: registration.trustsEmail, isInternal: registration.isInternal,
                    emailIsSecondFactor: registration.emailIsSecondFactor,
                    adoptsUntil: try registration.adoptsUntil.map {
                        try LastDay($0, option: "--until", now: clock.now()).end
                    })))
    }

    private func provider(_ registration: IntrospectionRegistration) async throws -> IdentityProvider {
        let endpoint: WebURL
        do { endpoint = try WebURL(registration.endpoint) } catch {
            throw MalformedValue(field: "endpoint", reason: error.reason)
        }
        try requireTLS(isInsecure: endpoint.isInsecure, field: "endpoint")
        let brand = try BrandID(registration.brand ?? BrandSettings.defaultBrand)
        guard !registration.clients.isEmpty, !registration.formerClients.isEmpty else {
            throw AdministrationRefusal(
                "Name the clients that may exchange tokens with --client, and those of the former system with --former-client.",
                code: "malformed")
        }
        for id in registration.clients {
            let client = try await database.read { try Clients.find(id, on: $0) }
            guard let client else { throw AdministrationRefusal.notFound("client", id) }
            guard try RegisteredClient(client).accountBrand == brand else {
                throw AdministrationRefusal("The client \(id) belongs to another brand.", code: "contradiction")
            }
        }
        return IdentityProvider(
            id: try ProviderID(registration.id), brand: brand,
            kind: .introspection(
                IntrospectionSettings(
                    endpoint: endpoint, clientID: registration.clientID, clients: registration.clients,
                    formerClients: registration.formerClients,
                    until: try LastDay(registration.until, option: "--until", now: clock.now()).end,
                    isInternal: registration.isInternal),
                secret: try registration.clientSecret.map { try ClientSecret($0) }))
    }

    private func requireTLS(isInsecure: Bool, field: String) throws {
        guard !isInsecure || environment == .sandbox else {
            throw MalformedValue(field: field, reason: "must be https, except in a sandbox")
        }
    }

    private func add(_ provider: IdentityProvider) async throws -> AdministrationAnswer {
        try await add(vault.seal(provider, now: clock.now()))
    }

    /// Adds a provider of any kind, and checks whether people could sign in with it.
    /// - Parameters:
    ///   - record: its row, with the secret sealed.
    ///   - companions: written in the same transaction.
    /// - Throws: ``AdministrationRefusal``, and any error of `companions`.
    package func add(
        _ record: IdentityProviderRecord,
        with companions: @escaping @Sendable (any SQLConnection) throws -> Void = { _ in }
    ) async throws -> AdministrationAnswer {
        let provider = try vault.open(record)
        let entry = try change("added", record, now: record.createdAt)
        let isAdded = try await database.write { connection -> Bool? in
            guard try Brands.find(record.brandID, on: connection) != nil else { return nil }
            if case .repository(let settings) = provider.kind, settings.adoptsUntil != nil {
                try requireOnlyAdoption(in: record.brandID, on: connection)
            }
            guard try IdentityProviders.add(record, on: connection) else { return false }
            try companions(connection)
            try entry.write(on: connection)
            return true
        }
        guard let isAdded else { throw AdministrationRefusal.notFound("brand", record.brandID) }
        guard isAdded else { throw AdministrationRefusal.taken("provider", record.id) }
        announceChange()
        var json = json(provider, addedAt: record.createdAt)
        let problems = await probe.problems(of: provider)
        json.set("warnings", problems)
        var lines = ["Provider \(record.id) added to the brand \(record.brandID)."]
        if provider.emailIsSecondFactor {
            lines.append(
                "WARNING: \(ProviderProbe.emailFactorRisk). \(ProviderProbe.emailFactorRemedy).")
        }
        if let name = provider.pageName {
            lines.append("Pages show \(name). Register this redirect URI there: \(redirectURI(of: provider))")
        }
        lines += problems.map { "WARNING: people cannot sign in with it yet: \(provider.place) \($0)." }
        if !problems.isEmpty {
            let remove = "walletauth provider remove \(CommandLineSyntax.provider(record.id, brand: record.brandID))"
            lines.append("Fix it there and check again with `walletauth doctor`, or remove the provider: `\(remove)`.")
        }
        return .done(lines, json)
    }

    /// Two systems would be two counts of guesses, and a name may belong to two people there.
    private func requireOnlyAdoption(in brand: String, on connection: any SQLConnection) throws {
        for other in try IdentityProviders.list(brand: brand, limit: 1000, on: connection) {
            guard case .repository(let settings) = try vault.open(other).kind, settings.adoptsUntil != nil else {
                continue
            }
            throw AdministrationRefusal(
                "The brand \(brand) takes over passwords from \(other.id) already.",
                hint:
                    "Remove it first: `walletauth provider remove \(CommandLineSyntax.provider(other.id, brand: brand))`.",
                code: "taken")
        }
    }

    /// Call after the commit that added or removed a provider.
    func announceChange() {
        vendors.forgetProviders()
        formerSystems.forget()
        documents.announceChange()
    }

    var probe: ProviderProbe {
        ProviderProbe(environment: environment, http: http, open: vault.open, now: clock.now())
    }

    func change(_ what: String, _ record: IdentityProviderRecord, now: Timestamp) throws -> AuditLog.Entry {
        try auditLog.administration(
            AdministrationEvent.providerChanged,
            details: JSONObject(strings: ["provider": record.id, "brand": record.brandID, "change": what]), now: now)
    }

    func redirectURI(of provider: IdentityProvider) -> String {
        provider.callback.redirectURI(at: issuer)
    }

    func json(_ provider: IdentityProvider, addedAt: Timestamp) -> JSONObject {
        var json = JSONObject()
        json.set("id", provider.id)
        json.set("brand", provider.brand)
        switch provider.kind {
        case .openID(let settings, let secret):
            json.set("kind", IdentityProvider.Kind.openIDName)
            json.set("issuer", settings.issuer)
            json.set("clientId", settings.clientID)
            json.set("authMethod", settings.authentication)
            json["hasClientSecret"] = .bool(secret != nil)
            json.set("emailClaim", settings.emailClaim)
            json.set("emailVerifiedClaim", settings.emailVerifiedClaim)
            json["internal"] = .bool(settings.isInternal)
        case .repository(let settings):
            json.set("kind", IdentityProvider.Kind.repositoryName)
            json.set("endpoint", settings.endpoint)
            json.set("adoptsPasswordsUntil", settings.adoptsUntil.map(LastDay.text))
            json["internal"] = .bool(settings.isInternal)
        case .introspection(let settings, let secret):
            json.set("kind", IdentityProvider.Kind.introspectionName)
            json.set("endpoint", settings.endpoint)
            json.set("clientId", settings.clientID)
            json["hasClientSecret"] = .bool(secret != nil)
            json["clients"] = .strings(settings.clients)
            json["formerClients"] = .strings(settings.formerClients)
            json.set("exchangesUntil", LastDay.text(settings.until))
            json["internal"] = .bool(settings.isInternal)
        case .vendor(let vendor, let record):
            json.set("kind", record.kind)
            for fact in vendor.facts {
                json[fact.member] = fact.values.count == 1 ? .string(fact.values[0]) : .strings(fact.values)
            }
        }
        json["trustsEmail"] = .bool(provider.trustsEmail)
        json["emailIsSecondFactor"] = .bool(provider.emailIsSecondFactor)
        json.set("pageName", provider.pageName)
        if provider.pageName != nil { json.set("redirectUri", redirectURI(of: provider)) }
        if provider.redirectsToOtherHosts { json["redirectsToOtherHosts"] = .bool(true) }
        json.set("addedAt", addedAt.text)
        return json
    }
}
