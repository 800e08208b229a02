internal import Core
internal import Crypto
internal import Kernel
internal import Store
internal import WalletAuthWire

/// The commands that register, change and delete clients.
///
/// This folder owns the check of a registration and the advice about it. The clients that requests meet are in
/// `Kernel/Clients`.
package struct ClientAdministration: Sendable {
    let database: any Database
    let clock: any Clock
    let clocks: ClockMonitor
    let random: any RandomBytes
    let auditLog: AuditLog
    let directory: ClientDirectory
    let changes: CommittedChanges
    let dependents: [any DependentRows]
    let published: ClientKeySets
    let notices: NoticeReceivers
    let environment: ServerSettings.Environment
    let issuer: Issuer

    package func create(_ registration: ClientRegistration) async throws -> AdministrationAnswer {
        let now = clock.now()
        if let id = registration.id, try await database.read({ try Clients.find(id, on: $0) }) != nil {
            throw AdministrationRefusal.taken("client", id)
        }
        try await refuseMistyped(registration.scopes, option: "--scope")
        let origins = registration.settings.passkeyOrigins
        for origin in origins { try PasskeyOriginCheck.refuse(origin, at: issuer) }
        // A letter comes first: what begins with a dash is an option on the command line.
        var record = try registration.checked(
            madeID: { "c" + Base64URL.encode(random.bytes(12)) }, in: environment, now: now)
        let secret = record.authenticationMethod.hasSecret ? newSecret() : nil
        record.secretHash = secret?.hash
        // The record must be readable again: one that is not would refuse every sign-in.
        let client = try RegisteredClient(record)
        let brand = try client.accountBrand.rawValue
        try registration.checkNotifications()
        var (receivers, uris): ([WebhookEndpoint], NoticeURIs) = ([], [:])
        let wanted: [(WebhookNotice, String?)] = [
            (.logout, registration.backchannelLogoutURI), (.ping, registration.notificationEndpoint),
        ]
        for (notice, uri) in wanted {
            guard let uri else { continue }
            let receiver = try await notices.receiver(of: record.id, at: uri, for: notice, now: now)
            receivers.append(receiver)
            uris[notice] = [record.id: receiver.url]
        }
        var details = try record.settingsShown()
        details.set(uris: uris, ofClient: record.id)
        let entry = try auditLog.administration(
            AdministrationEvent.clientCreated, client: record.id, details: details, now: now)
        let own = try await ownApps()
        let keyAdvice = try await adviceOnKeys(of: client)
        let outcome: ClientCreation = try await database.write { [record, receivers] connection in
            guard try Brands.find(brand, on: connection) != nil else { return .unknownBrand }
            if let redeemer = client.settings.redeemer {
                try Clients.checkRedeemer(redeemer, ofBrand: record.brandID, on: connection)
            }
            try Clients.refuseTakenHosts(of: client, on: connection)
            guard try Clients.create(record, on: connection) else { return .taken }
            for receiver in receivers { _ = try WebhookEndpoints.setURI(receiver, on: connection) }
            try entry.write(on: connection)
            return .created
        }
        switch outcome {
        case .created: break
        case .taken: throw AdministrationRefusal.taken("client", record.id)
        case .unknownBrand: throw AdministrationRefusal.notFound("brand", brand)
        }
        directory.forget(client.id)
        var json = try record.shown(at: now, among: own)
        json.set(uris: uris, ofClient: record.id)
        json.set("clientSecret", secret?.text)
        var lines = ["Client \(record.id) created."]
        if let secret { lines.append("Its secret, shown only once: \(secret.text)") }
        let advice =
            client.redirectURIs.compactMap(\.advice) + keyAdvice
            + PasskeyOriginCheck.advice(on: origins, at: issuer)
        if !advice.isEmpty { json.set("advice", advice) }
        lines += advice + (try record.warnings(among: own))
        return .done(lines, json)
    }
}

extension ClientAdministration {
    /// What a client is compared with for its warnings.
    func ownApps() async throws -> [RegisteredClient] {
        try await database.read { try Clients.ownApps(on: $0) }
    }

    /// Whether a client can authenticate with the keys at its `jwks_uri`; nothing if it has none.
    /// - Throws: ``AdministrationRefusal`` if none of them has an algorithm of the client's.
    func adviceOnKeys(of client: RegisteredClient) async throws -> [String] {
        guard let url = client.keysURL else { return [] }
        do {
            let keys = try await published.fetch(url)
            guard keys.contains(where: { client.assertionAlgorithms.contains($0.algorithm) }) else {
                throw AdministrationRefusal(
                    """
                    The FAPI 2.0 profile has ES256 and EdDSA in place of RS256, and at \(url.rawValue) the client publishes no key \
                    for ES256 or EdDSA: let it publish one first.
                    """, code: "contradiction")
            }
            let count = keys.count
            return ["At \(url.rawValue) it publishes \(count == 1 ? "one key" : "\(count) keys")."]
        } catch let failure as ProviderFailure {
            return [
                "Warning: its keys cannot be read at \(url.rawValue): \(failure.reason). Until they can, it cannot authenticate."
            ]
        } catch let refusal as AdministrationRefusal {
            throw refusal
        } catch { return [] }
    }

    /// The URIs of all clients for notices.
    func noticeURIs() async throws -> NoticeURIs {
        try await database.read { connection in
            var uris: NoticeURIs = [:]
            for notice in WebhookNotice.allCases {
                uris[notice] = try WebhookEndpoints.uris(for: notice, on: connection)
            }
            return uris
        }
    }

    /// A secret for a client, with its hash. 256 random bits cannot be guessed, so a plain hash is enough.
    func newSecret() -> (text: String, hash: [UInt8]) {
        let text = "wcs_" + Base64URL.encode(random.bytes(32))
        return (text, Array(SHA256.hash(data: Array(text.utf8))))
    }
}

extension ClientRecord {
    /// The client's warnings, one line each.
    /// - Parameter former: the client before a change, whose warnings the operator has read.
    func warnings(among own: [RegisteredClient], unlike former: RegisteredClient? = nil) throws -> [String] {
        let known = former?.warnings(among: own) ?? []
        return try RegisteredClient(self).warnings(among: own).filter { !known.contains($0) }
            .map { "Warning: \($0.text). \($0.remedy(for: id))." }
    }

    /// What operators see of it.
    /// - Parameter own: the operator's own apps, which it is compared with.
    func shown(at now: Timestamp, among own: [RegisteredClient]) throws -> JSONObject {
        let client = try RegisteredClient(self)
        var json = JSONObject()
        json.set("clientId", client.id)
        for member in try settingsShown().members { json[member.name] = member.value }
        if let former = client.formerSecret, former.isAccepted(at: now) {
            json.set("formerSecretEndsAt", former.endsAt.text)
        }
        json["asksForPasskeys"] = .bool(client.asksForPasskeys)
        let warnings = client.warnings(among: own)
        if !warnings.isEmpty { json.set("warnings", warnings.map(\.rawValue)) }
        json.set("createdAt", createdAt.text)
        return json
    }

    /// What it was set to, for operators and the audit log. Nothing in it is secret.
    func settingsShown() throws -> JSONObject {
        let client = try RegisteredClient(self)
        var json = JSONObject()
        json.set("name", client.name)
        json.set("kind", client.kind.rawValue)
        json.set("authenticationMethod", client.method.rawValue)
        json.set("jwksUri", client.settings.jwksURI)
        json.set("brand", client.brand)
        json.set("redirectUris", client.redirectURIs.map(\.rawValue))
        json.set("scope", client.scope)
        json["firstParty"] = .bool(client.isFirstParty)
        json["requiresDpop"] = .bool(client.requiresDPoP)
        json["withoutPkce"] = .bool(client.mayOmitPKCE)
        json["requiresPar"] = .bool(client.requiresPushedRequests)
        json["requiresSignedRequests"] = .bool(client.requiresSignedRequests)
        json.set("authorizationDetailsTypes", client.authorizationDetailsTypes)
        json["requiresMerchant"] = .bool(client.requiresMerchant)
        json["fapi"] = .bool(client.settings.fapi)
        json.set("metadataHosts", client.settings.metadataHosts)
        json["selfDescribed"] = .bool(client.settings.selfDescribed)
        json["introspection"] = .bool(client.mayIntrospect)
        json["tokenExchange"] = .bool(client.mayExchangeTokens)
        json["transactionsWithoutAccount"] = .bool(client.allowsTransactionsWithoutAccount)
        json["guestTokens"] = .bool(client.mayRequestGuestTokens)
        json["guestPasswords"] = .bool(client.mayUseGuestPasswords)
        json.set("loyaltyMerchants", client.settings.loyaltyMerchants.map { String($0) })
        json["deviceTokens"] = .bool(client.mayUseDeviceTokens)
        json["deviceGrant"] = .bool(client.mayUseDeviceGrant)
        json.set("ciba", client.backchannelMode?.rawValue)
        json["verifiesAppInstallation"] = .bool(client.settings.verifiesAppInstallation)
        json.set("adminRole", client.settings.adminRole)
        if client.settings.adminRole != nil { json["adminAllBrands"] = .bool(client.settings.adminAllBrands) }
        json.set("siteUrl", client.settings.siteURL)
        json.set("resetCredentialsUrls", client.settings.resetCredentialsURLs)
        json.set("consentReturnUrls", client.consentReturnURLs.map(\.rawValue))
        json.set("postLogoutRedirectUris", client.postLogoutRedirectURIs.map(\.rawValue))
        json.set("appleAppIds", client.settings.appleAppIDs)
        json.set("androidApps", client.settings.androidApps)
        json.set("attestation", client.settings.attestation.rawValue)
        json["attestationClaim"] = .bool(client.settings.attestationClaim)
        json.set("passkeyOrigins", client.settings.passkeyOrigins)
        json.set("appStoreUrl", client.settings.appStoreURL)
        json.set("playStoreUrl", client.settings.playStoreURL)
        json.set("pushTopic", client.settings.pushTopic)
        json.set("resources", client.settings.resources)
        json.set("redeemer", client.settings.redeemer)
        json.set("idTokenAlgorithm", client.idTokenAlgorithm.rawValue)
        json.set("accessTokenLifetime", client.accessTokenLifetime.components.seconds)
        json.set("refreshIdleLifetime", client.idleLifetime.components.seconds)
        json.set("refreshAbsoluteLifetime", client.absoluteLifetime.components.seconds)
        return json
    }
}

extension Clients {
    /// Checks that a client exists and can redeem the codes of a client of a brand. For another brand's client, the answer is that of
    /// none: a role of one brand must not learn that it exists.
    static func checkRedeemer(_ id: String, ofBrand brand: String?, on connection: any SQLConnection) throws {
        guard let redeemer = try find(id, on: connection), redeemer.kind == .confidential,
            redeemer.brandID == nil || redeemer.brandID == brand
        else {
            throw AdministrationRefusal(
                "There is no confidential client \(id) in the brand to redeem codes; create it first.",
                code: "not_found")
        }
        guard try !RegisteredClient(redeemer).settings.fapi else {
            throw AdministrationRefusal(
                "The FAPI 2.0 profile has a client redeem its own codes alone: name another redeemer than \(id).",
                code: "contradiction")
        }
    }
}

private enum ClientCreation: Sendable {
    case created
    case taken
    case unknownBrand
}

extension RegisteredAuthenticationMethod {
    /// Whether the client authenticates with a shared secret.
    var hasSecret: Bool { self == .clientSecretBasic || self == .clientSecretPost }
}
