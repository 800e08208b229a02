internal import Core
package import Kernel
internal import SignIn
package import Store
internal import WalletAuthWire

extension Administration {
    package func addProvider(_ registration: OpenIDRegistration) async throws -> AdministrationAnswer {
        try await add(provider(registration))
    }

    package func addProvider(_ registration: RepositoryRegistration) async throws -> AdministrationAnswer {
        try await add(provider(registration))
    }

    private var providers: ProviderVault { context.providerVault }

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
                    emailIsSecondFactor: registration.emailIsSecondFactor)))
    }

    private func requireTLS(isInsecure: Bool, field: String) throws {
        guard !isInsecure || context.settings.environment == .sandbox else {
            throw MalformedValue(field: field, reason: "must be https, except in a sandbox")
        }
    }

    private func add(_ provider: IdentityProvider) async throws -> AdministrationAnswer {
        try await add(providers.seal(provider, now: context.clock.now()))
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
        let provider = try providers.open(record)
        let entry = try change("added", record, now: record.createdAt)
        let isAdded = try await context.database.write { connection -> Bool? in
            guard try Brands.find(record.brandID, on: connection) != nil else { return nil }
            guard try IdentityProviders.add(record, on: connection) else { return false }
            try companions(connection)
            try entry.write(on: connection)
            return true
        }
        guard let isAdded else { throw AdministrationRefusal.notFound("brand", record.brandID) }
        guard isAdded else { throw AdministrationRefusal.taken("provider", record.id) }
        context.providerChanged()
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

    private var probe: ProviderProbe {
        ProviderProbe(
            environment: context.settings.environment, http: context.providerHTTP, open: providers.open,
            now: context.clock.now())
    }

    func checkProvider(_ id: String, brand: String?) async throws -> AdministrationAnswer {
        let brand = brand ?? BrandSettings.defaultBrand
        let record = try await context.database.read { try IdentityProviders.find(id, brand: brand, on: $0) }
        guard let record else { throw AdministrationRefusal.notFound("provider", "\(id) in the brand \(brand)") }
        let provider = try providers.open(record)
        let problems = await probe.problems(of: provider)
        guard problems.isEmpty else {
            throw AdministrationRefusal(
                "People cannot sign in with the provider \(id): \(provider.place) \(problems.joined(separator: "; ")).",
                code: "provider_unusable")
        }
        var lines = ["Provider \(id) of the brand \(brand): \(provider.place) responds as expected."]
        if provider.pageName != nil {
            // Only a person's sign-in shows whether the redirect URI is registered.
            lines.append("Its pages need this redirect URI to be registered there: \(redirectURI(of: provider))")
        }
        return .done(lines, json(provider, addedAt: record.createdAt))
    }

    func examineProviders() async throws -> AdministrationAnswer {
        let reports = try await probe.reports(of: context.database)
        return .list(
            "providers", columns: ["BRAND", "ID", "AT", "PROBLEMS"],
            reports.map { report in
                var json = JSONObject()
                json.set("id", report.id)
                json.set("brand", report.brand)
                json.set("place", report.place)
                json["problems"] = .strings(report.problems)
                json["emailIsSecondFactor"] = .bool(report.emailIsSecondFactor)
                return ([report.brand, report.id, report.place, report.problems.joined(separator: "; ")], json)
            }, empty: "No identity providers.")
    }

    func listProviders() async throws -> AdministrationAnswer {
        let records = try await everyPage { after, limit, connection in
            try IdentityProviders.list(after: after, limit: limit, on: connection)
        }
        return .list(
            "providers", columns: ["BRAND", "ID", "KIND", "AT"],
            try records.map { record in
                let provider = try providers.open(record)
                return (
                    [record.brandID, record.id, record.kind, provider.place], json(provider, addedAt: record.createdAt)
                )
            }, empty: "No identity providers.")
    }

    func showProvider(_ id: String, brand: String?) async throws -> AdministrationAnswer {
        let brand = brand ?? BrandSettings.defaultBrand
        let (record, integrations) = try await context.database.read { connection in
            (
                try IdentityProviders.find(id, brand: brand, on: connection),
                try ProviderIntegrations.list(provider: id, brand: brand, on: connection)
            )
        }
        guard let record else { throw AdministrationRefusal.notFound("provider", "\(id) in the brand \(brand)") }
        let provider = try providers.open(record)
        var facts: [(name: String, value: String?)] = [
            ("id", record.id), ("brand", record.brandID), ("kind", record.kind), ("at", provider.place),
            ("e-mail trusted", provider.trustsEmail ? "yes" : "no"),
            ("e-mail as second factor", provider.emailIsSecondFactor ? "YES: \(ProviderProbe.emailFactorRisk)" : "no"),
        ]
        facts.append(("on sign-in page", provider.pageName))
        if provider.pageName != nil { facts.append(("redirect URI", redirectURI(of: provider))) }
        switch provider.kind {
        case .openID(let settings, _):
            if settings.redirectsToOtherHosts { facts.append(("redirects to other hosts", "yes")) }
            facts += [("client id", settings.clientID), ("auth method", settings.authentication)]
        case .repository: break
        case .vendor(let vendor, _):
            facts += vendor.facts.map { ($0.label, $0.values.joined(separator: ", ")) }
        }
        facts += integrations.map { ("loyalty merchant", $0.words) }
        facts.append(("added", record.createdAt.text))
        var json = json(provider, addedAt: record.createdAt)
        if !integrations.isEmpty { json["integrations"] = .array(integrations.map { .object($0.json) }) }
        return .facts(facts.compactMap { fact in fact.value.map { (fact.name, $0) } }, json)
    }

    func removeProvider(_ id: String, brand: String?) async throws -> AdministrationAnswer {
        let (now, brand) = (context.clock.now(), brand ?? BrandSettings.defaultBrand)
        let removed = try await context.database.read { try IdentityProviders.find(id, brand: brand, on: $0) }
        guard let removed else { throw AdministrationRefusal.notFound("provider", "\(id) in the brand \(brand)") }
        let entry = try change("removed", removed, now: now)
        try await context.database.write { connection in
            try ProviderIntegrations.remove(provider: id, brand: brand, on: connection)
            guard try IdentityProviders.remove(id, brand: brand, on: connection) else { return }
            try entry.write(on: connection)
        }
        context.providerChanged()
        var json = JSONObject()
        json.set("id", id)
        json.set("brand", brand)
        return .done("Provider \(id) removed from the brand \(brand); people can no longer sign in with it.", json)
    }

    private func change(_ what: String, _ record: IdentityProviderRecord, now: Timestamp) throws -> AuditLog.Entry {
        try context.auditLog.administration(
            AdministrationEvent.providerChanged,
            details: JSONObject(strings: ["provider": record.id, "brand": record.brandID, "change": what]), now: now)
    }

    private func redirectURI(of provider: IdentityProvider) -> String {
        provider.callback.redirectURI(at: context.settings.issuer)
    }

    private func json(_ provider: IdentityProvider, addedAt: Timestamp) -> JSONObject {
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

extension ProviderIntegrationRecord {
    /// For people.
    fileprivate var words: String {
        var words = "\(merchantID) as \(integrationID)"
        if let cardTemplate { words += ", card template \(cardTemplate)" }
        if let activationStore { words += ", activation store \(activationStore)" }
        return words
    }

    /// For programs.
    fileprivate var json: JSONObject {
        var json = JSONObject()
        json.set("merchantId", merchantID)
        json.set("integrationId", integrationID)
        json.set("cardTemplateCode", cardTemplate)
        json.set("activationStoreCode", activationStore)
        return json
    }
}
