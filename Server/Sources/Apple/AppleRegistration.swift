internal import Core
internal import Kernel
internal import Operations
internal import SignIn
internal import WalletAuthWire

/// Apple as a provider, in the operator's terms.
package struct AppleRegistration: Sendable {
    /// The name that apps use.
    package var id: String
    /// The brand whose people may use it; `nil` for `default`.
    package var brand: String?
    /// Ten characters.
    package var teamID: String
    /// Ten characters.
    package var keyID: String
    /// The `.p8` file.
    package var privateKey: [UInt8]
    /// The file's name, which contains the key's ID in files from Apple's console.
    package var privateKeyName: String?
    /// The bundle IDs, and the Services ID if it is also listed here.
    package var clientIDs: [String]
    /// The client of hosted pages.
    package var servicesID: String?
    /// The URL of the service; `nil` for Apple's own.
    package var base: String?
    /// The loyalty merchant that the provider is an integration of.
    package var merchantID: Int64?
    /// The integration's name at the merchant's backend.
    package var integrationID: String?
    /// The card template that an enrollment has to name.
    package var cardTemplate: Int64?
    /// The store that an enrollment has to name.
    package var activationStore: String?
}

extension AppleRegistration {
    /// The validated settings.
    /// - Throws: `MalformedValue` or ``AdministrationRefusal``.
    func settings(in environment: ServerSettings.Environment) throws -> AppleSettings {
        try Self.requireAppleID(teamID, field: "team-id")
        try Self.requireAppleID(keyID, field: "key-id")
        guard teamID != keyID else {
            throw AdministrationRefusal(
                "The team id and the key id are the same: find the team id on the membership page, the key id on the "
                    + "key's page.",
                code: "contradiction")
        }
        try requireMatchingName()
        _ = try ApplePrivateKey(file: privateKey)
        var clients: [String] = []
        for id in clientIDs + [servicesID].compactMap(\.self) where !clients.contains(id) {
            try requireClientID(id)
            clients.append(id)
        }
        guard (1...AppleSettings.mostClients).contains(clients.count) else {
            throw MalformedValue(
                field: "client-id", reason: "is required, at most \(AppleSettings.mostClients) times")
        }
        return AppleSettings(
            base: try base(in: environment), clientIDs: clients, keyID: keyID, servicesID: servicesID, teamID: teamID)
    }

    /// The merchant's integration, if any.
    func integration(of provider: ProviderID, brand: BrandID) throws -> ProviderIntegrationRecord? {
        guard merchantID != nil || integrationID != nil || cardTemplate != nil || activationStore != nil else {
            return nil
        }
        guard let merchantID, let integrationID else {
            throw AdministrationRefusal(
                "A loyalty integration needs both --loyalty-merchant and --loyalty-integration.",
                code: "contradiction")
        }
        for (text, field) in [
            (integrationID, "loyalty-integration"), (activationStore, "loyalty-activation-store"),
        ] {
            guard let text else { continue }
            guard (1...128).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw MalformedValue(field: field, reason: "must be 1 to 128 printable ASCII characters without spaces")
            }
        }
        return ProviderIntegrationRecord(
            merchantID: merchantID, integrationID: integrationID, brandID: brand.rawValue,
            providerID: provider.rawValue, cardTemplate: cardTemplate, activationStore: activationStore)
    }

    static func requireAppleID(_ text: String, field: String) throws(MalformedValue) {
        let isOne =
            text.utf8.count == 10 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
        guard isOne else { throw MalformedValue(field: field, reason: "must be ten capital letters and digits") }
    }

    /// Apple names the file `AuthKey_KEYID.p8`.
    private func requireMatchingName() throws {
        guard let name = privateKeyName, name.hasPrefix("AuthKey_"), name.hasSuffix(".p8") else { return }
        let named = name.dropFirst("AuthKey_".count).dropLast(".p8".count)
        guard named.utf8.count == 10, named != keyID else { return }
        let what = named == teamID ? "team id and key id are swapped" : "its name says key \(named)"
        throw AdministrationRefusal(
            "The file \(name) does not match the key id \(keyID): \(what).", code: "contradiction")
    }

    private func requireClientID(_ id: String) throws {
        let isOne =
            (1...255).contains(id.utf8.count) && id.contains(".")
            && id.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x2D
                    || $0 == 0x2E
            }
        guard isOne else {
            throw MalformedValue(
                field: "client-id", reason: "is not a bundle id or Services ID such as com.example.app")
        }
        guard !id.hasPrefix(teamID + ".") else {
            throw MalformedValue(field: "client-id", reason: "begins with the team id: omit \(teamID).")
        }
    }

    private func base(in environment: ServerSettings.Environment) throws -> String {
        guard let base else { return AppleSettings.appleBase }
        let url = try WebURL(base, field: "base-url").rawValue
        let place = url.hasSuffix("/") ? String(url.dropLast()) : url
        guard environment == .sandbox || place == AppleSettings.appleBase else {
            throw MalformedValue(
                field: "base-url", reason: "must be \(AppleSettings.appleBase), except in a sandbox")
        }
        return place
    }
}

extension AppleRegistration: CustomStringConvertible {
    /// Redacted because the private key is among the properties.
    package var description: String { "<redacted>" }
}
