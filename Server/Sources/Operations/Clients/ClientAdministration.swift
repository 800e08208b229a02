internal import Core
internal import Crypto
internal import Kernel
internal import Store
internal import WalletAuthWire

/// The commands about clients.
///
/// This folder owns the check of a registration and the advice about it. The clients that requests meet are in
/// `Kernel/Clients`.
extension Administration {
    package func createClient(_ registration: ClientRegistration) async throws -> AdministrationAnswer {
        let now = context.clock.now()
        if let id = registration.id, try await context.database.read({ try Clients.find(id, on: $0) }) != nil {
            throw AdministrationRefusal.taken("client", id)
        }
        for scope in registration.scopes { try Scope.refuseComma(in: scope, option: "--scope") }
        var record = try registration.checked(madeID: { Base64URL.encode(context.random.bytes(12)) }, now: now)
        // 256 random bits cannot be guessed, so a plain hash is enough.
        let secret = record.authenticationMethod.hasSecret ? "wcs_" + Base64URL.encode(context.random.bytes(32)) : nil
        record.secretHash = secret.map { Array(SHA256.hash(data: Array($0.utf8))) }
        // The record must be readable again: one that is not would refuse every sign-in.
        let client = try RegisteredClient(record)
        let brand = try client.accountBrand.rawValue
        let entry = try context.auditLog.administration(
            AdministrationEvent.clientCreated, client: record.id, now: now)
        let outcome: ClientCreation = try await context.database.write { [record] connection in
            guard try Brands.find(brand, on: connection) != nil else { return .unknownBrand }
            if let redeemer = client.settings.redeemer, try !Clients.mayRedeem(redeemer, on: connection) {
                return .unusableRedeemer(redeemer)
            }
            guard try Clients.create(record, on: connection) else { return .taken }
            try entry.write(on: connection)
            return .created
        }
        switch outcome {
        case .created: break
        case .taken: throw AdministrationRefusal.taken("client", record.id)
        case .unknownBrand: throw AdministrationRefusal.notFound("brand", brand)
        case .unusableRedeemer(let id): throw AdministrationRefusal.unusableRedeemer(id)
        }
        context.clients.forget(client.id)
        var json = try clientJSON(record)
        json.set("clientSecret", secret)
        var lines = ["Client \(record.id) created."]
        if let secret { lines.append("Its secret, shown only once: \(secret)") }
        let advice = client.redirectURIs.compactMap(\.advice)
        if !advice.isEmpty { json.set("advice", advice) }
        lines += advice + (try warnings(of: record))
        return .done(lines, json)
    }

    func listClients() async throws -> AdministrationAnswer {
        let clients = try await everyPage { after, limit, connection in
            try Clients.list(after: after?.id ?? "", limit: limit, on: connection)
        }
        return .list(
            "clients", columns: ["ID", "KIND", "NAME"],
            try clients.map { ([$0.id, $0.kind.rawValue, $0.name], try clientJSON($0)) },
            empty: "No clients. Create one with `walletauth client create`.")
    }

    func showClient(_ id: String) async throws -> AdministrationAnswer {
        guard let client = try await context.database.read({ try Clients.find(id, on: $0) }) else {
            throw AdministrationRefusal.notFound("client", id)
        }
        let json = try clientJSON(client)
        let facts = json.members.compactMap { member -> (name: String, value: String)? in
            switch member.value {
            case .string(let text): (member.name, text)
            case .array(let items): (member.name, items.compactMap(\.string).joined(separator: " "))
            case .null, .object: nil
            case .integer(let seconds): (member.name, Duration.seconds(seconds).inWords)
            case let value: (member.name, value.text)
            }
        }
        return .facts(facts, json, then: try warnings(of: client))
    }

    /// The client's warnings, one line each.
    func warnings(of record: ClientRecord) throws -> [String] {
        try RegisteredClient(record).warnings.map { "Warning: \($0.text). \($0.remedy(for: record.id))." }
    }

    func clientJSON(_ record: ClientRecord) throws -> JSONObject {
        let client = try RegisteredClient(record)
        var json = JSONObject()
        json.set("clientId", client.id)
        json.set("name", client.name)
        json.set("kind", client.kind.rawValue)
        json.set("authenticationMethod", client.method.rawValue)
        json.set("brand", client.brand)
        json.set("redirectUris", client.redirectURIs.map(\.rawValue))
        json.set("scope", client.scope)
        json["firstParty"] = .bool(client.isFirstParty)
        json["requiresDPoP"] = .bool(client.requiresDPoP)
        if !client.warnings.isEmpty { json.set("warnings", client.warnings.map(\.rawValue)) }
        json["requiresMerchant"] = .bool(client.requiresMerchant)
        json["fapi"] = .bool(!client.rotatesRefreshTokens)
        json["introspection"] = .bool(client.mayIntrospect)
        json["transactionsWithoutAccount"] = .bool(client.allowsTransactionsWithoutAccount)
        json["guestTokens"] = .bool(client.mayRequestGuestTokens)
        json["guestPasswords"] = .bool(client.mayUseGuestPasswords)
        json.set("loyaltyMerchants", client.settings.loyaltyMerchants.map { String($0) })
        json["deviceTokens"] = .bool(client.mayUseDeviceTokens)
        json["verifiesAppInstallation"] = .bool(client.settings.verifiesAppInstallation)
        json.set("siteUrl", client.settings.siteURL)
        json.set("resetCredentialsUrls", client.settings.resetCredentialsURLs)
        json.set("consentReturnUrls", client.consentReturnURLs.map(\.rawValue))
        json.set("appleAppIds", client.settings.appleAppIDs)
        json.set("resources", client.settings.resources)
        json.set("redeemer", client.settings.redeemer)
        json.set("idTokenAlgorithm", client.idTokenAlgorithm.rawValue)
        json.set("accessTokenLifetime", client.accessTokenLifetime.components.seconds)
        json.set("refreshIdleLifetime", client.idleLifetime.components.seconds)
        json.set("refreshAbsoluteLifetime", client.absoluteLifetime.components.seconds)
        json.set("createdAt", record.createdAt.text)
        return json
    }
}

extension Clients {
    /// Whether a client exists and can redeem another client's codes.
    static func mayRedeem(_ id: String, on connection: any SQLConnection) throws -> Bool {
        try find(id, on: connection)?.kind == .confidential
    }
}

extension AdministrationRefusal {
    static func unusableRedeemer(_ id: String) -> AdministrationRefusal {
        AdministrationRefusal(
            "There is no confidential client \(id) to redeem codes; create it first.", code: "not_found")
    }
}

private enum ClientCreation: Sendable {
    case created
    case taken
    case unknownBrand
    case unusableRedeemer(String)
}

extension RegisteredAuthenticationMethod {
    /// Whether the client authenticates with a shared secret.
    var hasSecret: Bool { self == .clientSecretBasic || self == .clientSecretPost }
}
