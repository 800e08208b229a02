internal import Core
package import WalletAuthWire

/// The `client_id` of an app that describes itself: the https address of its description
/// (draft-ietf-oauth-client-id-metadata-document §2), without a query.
package struct ClientDocumentURL: Sendable, Hashable {
    package let id: ClientID
    /// As a registration names it: with the port, if there is one.
    package let host: String
    let url: WebURL

    /// - Returns: `nil` for every other `client_id`.
    package init?(_ id: ClientID) {
        guard let url = try? WebURL(id.rawValue), !url.isInsecure, !id.rawValue.contains("?") else { return nil }
        let rest = id.rawValue.dropFirst("https://".count)
        let host = rest.prefix { $0 != "/" }
        guard rest.dropFirst(host.count).count > 1 else { return nil }
        self.id = id
        self.host = String(host)
        self.url = url
    }

    /// Whether a text names a host of such addresses: a domain, not an IP address, which proves no company.
    package static func isHost(_ text: String) -> Bool {
        let domain = text.prefix { $0 != ":" }
        guard !text.hasPrefix("["), NetworkAddress(String(domain)) == nil,
            let id = try? ClientID("https://\(text)/app")
        else { return false }
        return ClientDocumentURL(id)?.host == text
    }
}

/// What an app says about itself. Whatever else it says counts for nothing; its logo is neither fetched nor shown.
struct ClientDocument: Sendable, Hashable {
    /// With the host, which is the only thing that is proved.
    let name: String
    let redirectURIs: [RedirectURI]

    static let longest = 16 * 1024
    private static let mostRedirectURIs = 32

    /// - Throws: ``ProviderFailure`` or `MalformedValue` for a document that is not this address's, or not a public client's.
    init(_ bytes: [UInt8], at address: ClientDocumentURL) throws {
        guard bytes.count <= Self.longest else { throw ProviderFailure("the answer is too long") }
        let object = try JSONValue.object(parsing: bytes)
        guard try object.string("client_id") == address.id.rawValue else {
            throw ProviderFailure("its client_id is another one")
        }
        // A document is public, so a secret in it is everyone's. One that authenticates otherwise must not pass without.
        let method = try object.string("token_endpoint_auth_method") ?? "none"
        guard method == "none", object["client_secret"] == nil, object["client_secret_expires_at"] == nil else {
            throw ProviderFailure("it is no public client")
        }
        let site = try WebURL("https://\(address.host)")
        let listed = try object.strings("redirect_uris") ?? []
        guard listed.count <= Self.mostRedirectURIs else { throw ProviderFailure("it has too many redirect_uris") }
        // Another host's pages are not the app's.
        redirectURIs = listed.compactMap { try? RedirectURI($0) }.filter { $0.kind != .https || $0.lies(under: site) }
        guard !redirectURIs.isEmpty else { throw ProviderFailure("none of its redirect_uris can be used") }
        // Parentheses are for the host.
        if let called = try object.string("client_name"), (try? DisplayName.check(called)) != nil,
            !called.contains("("), !called.contains(")")
        {
            name = "\(called) (\(address.host))"
        } else {
            name = address.host
        }
    }
}
