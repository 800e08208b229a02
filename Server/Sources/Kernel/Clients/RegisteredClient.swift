package import Core
internal import Foundation
package import WalletAuthWire

/// A client as the flows use it, parsed and checked once.
///
/// A class, because every request gets the cached one: one reference to count instead of one for each member.
package final class RegisteredClient: Sendable {
    package let id: ClientID
    package let brand: BrandID?
    package let name: String
    package let kind: ClientKind
    package let method: RegisteredAuthenticationMethod
    private let secretHash: [UInt8]?
    package let formerSecret: FormerSecret?
    /// Where it publishes its keys (``ClientKeySets``), instead of having them registered.
    package let keysURL: WebURL?
    /// Its own, or its attester's, by ``method``.
    package let keys: [any JWSVerifier]
    package let redirectURIs: [RedirectURI]
    /// Where the consent page for operations returns to.
    package let consentReturnURLs: [RedirectURI]
    /// Where sign-out returns to.
    package let postLogoutRedirectURIs: [RedirectURI]
    package let androidApps: [AndroidApp]
    /// The origins from which its passkeys' responses come, besides the one of apps on Apple's systems.
    package let passkeyOrigins: [String]
    package let scope: Scope
    package let settings: ClientSettings
    package let idTokenAlgorithm: SigningAlgorithm
    /// The confidential client that redeems this client's codes; `nil` if it does so itself.
    package let redeemer: ClientID?

    /// - Throws: an error if the row does not hold what registration checked.
    package init(_ record: ClientRecord) throws {
        id = try ClientID(record.id)
        brand = try record.brandID.map { try BrandID($0) }
        name = record.name
        kind = record.kind
        method = record.authenticationMethod
        secretHash = record.secretHash
        formerSecret = record.formerSecret
        keys = try record.jwks.map { try Self.verifiers($0) } ?? []
        redirectURIs = try JSONDecoder().decode([RedirectURI].self, from: Data(record.redirectURIs.utf8))
        scope = try Scope(record.scopes)
        settings = try ClientSettings(json: record.settings)
        keysURL = try settings.jwksURI.map { try WebURL($0) }
        consentReturnURLs = try settings.consentReturnURLs.map { try RedirectURI($0) }
        postLogoutRedirectURIs = try settings.postLogoutRedirectURIs.map { try RedirectURI($0) }
        androidApps = try settings.androidApps.map { try AndroidApp($0) }
        passkeyOrigins = settings.passkeyOrigins + androidApps.map(\.passkeyOrigin)
        idTokenAlgorithm = settings.idTokenAlgorithm.flatMap(SigningAlgorithm.init(rawValue:)) ?? .rs256
        redeemer = try settings.redeemer.map { try ClientID($0) }
    }

    /// The verifiers of a JWK set, for `private_key_jwt` and attestations.
    package static func verifiers(_ json: String) throws -> [any JWSVerifier] {
        try verifiers(of: JWKSet(JSONValue.object(parsing: Array(json.utf8))))
    }

    static func verifiers(of set: JWKSet) throws -> [any JWSVerifier] {
        try set.keys.map { key in
            key.algorithm == .rs256 ? try RS256Verifier(key) : try key.verifier()
        }
    }

    /// SHA-256 of each secret that authenticates it now.
    package func secretHashes(at now: Timestamp) -> [[UInt8]] {
        let former = formerSecret.flatMap { $0.isAccepted(at: now) ? $0.hash : nil }
        return [secretHash, former].compactMap { $0 }
    }

    /// Whether its app asks for passkeys in its own screens: the operator named the app or its site to people's devices.
    package var asksForPasskeys: Bool { !settings.appleAppIDs.isEmpty || !passkeyOrigins.isEmpty }

    package var isFirstParty: Bool { settings.firstParty || mayRequestGuestTokens }
    /// Its id in entries about what comes before the person's consent: `nil` for another company's, whose receivers of webhooks would
    /// learn who came and may yet refuse.
    package var idBeforeConsent: ClientID? { isFirstParty ? id : nil }
    package var requiresDPoP: Bool { settings.requiresDPoP ?? false }
    /// Its authorization requests may do without PKCE where they have a nonce.
    package var mayOmitPKCE: Bool { settings.withoutPKCE && kind == .confidential }
    package var requiresPushedRequests: Bool { settings.requiresPushedRequests }
    /// What it may ask for besides scopes (RFC 9396): in a request that it authenticates, and never without the person's consent.
    package var authorizationDetailsTypes: [String] {
        kind == .confidential && !isFirstParty ? settings.authorizationDetailsTypes : []
    }
    package var requiresSignedRequests: Bool { settings.requiresSignedRequests }
    /// What verifies its request objects: its own keys, and no attester's.
    package var requestKeys: [any JWSVerifier] {
        kind == .confidential ? keys.filter { Self.requestAlgorithms.contains($0.algorithm) } : []
    }
    /// FAPI 2.0 forbids RS256 (Security Profile §5.4.1).
    package static let requestAlgorithms: [SigningAlgorithm] = [.es256, .edDSA]
    /// What its assertions may be signed with.
    package var assertionAlgorithms: [SigningAlgorithm] {
        settings.fapi ? Self.requestAlgorithms : SigningAlgorithm.allCases
    }
    package var requiresMerchant: Bool { settings.requiresMerchant }
    /// The FAPI 2.0 Security Profile forbids rotation (§5.3.2.1).
    package var rotatesRefreshTokens: Bool { !settings.fapi }
    /// Long-lived sessions with device authentication tokens.
    package var mayUseDeviceTokens: Bool { settings.deviceTokens }
    /// Sign-in on a device without a browser, by a code that the person types elsewhere (RFC 8628).
    package var mayUseDeviceGrant: Bool { settings.deviceGrant }
    /// How it hears of people who sign in on their phones; `nil` if it may have no one do that. A public client's id proves nothing.
    package var backchannelMode: BackchannelMode? {
        kind == .confidential ? settings.backchannelMode.flatMap(BackchannelMode.init(rawValue:)) : nil
    }
    /// Tokens for guests that its backend vouches for.
    package var mayRequestGuestTokens: Bool { settings.guestTokens }
    /// Guest tokens by user name and password, too.
    package var mayUseGuestPasswords: Bool { settings.guestPasswords }
    /// The merchants whose guests it may speak for, of those in its brand.
    package var loyaltyMerchants: Set<Int64> { Set(settings.loyaltyMerchants) }
    package var mayIntrospect: Bool { settings.introspection }
    /// Whether it may act for people who call it, at its resources.
    package var mayExchangeTokens: Bool { kind == .confidential && settings.tokenExchange }
    /// Whether it may create transactions without an account.
    package var allowsTransactionsWithoutAccount: Bool { settings.allowsTransactionsWithoutAccount }
    /// The role that it has for itself, if it may call `/admin/v1` with its key.
    package var adminGrant: OperatorGrant? {
        guard method == .privateKeyJWT, scope.contains(Operators.scope),
            let role = settings.adminRole.flatMap(OperatorRole.init(rawValue:))
        else { return nil }
        return OperatorGrant(role, brand: settings.adminAllBrands ? nil : brand?.rawValue ?? BrandSettings.defaultBrand)
    }

    package var accessTokenLifetime: Duration { .seconds(settings.accessTokenLifetime ?? 300) }
    package var idleLifetime: Duration { settings.refreshIdleLifetime.map { .seconds($0) } ?? .days(30) }
    package var absoluteLifetime: Duration { settings.refreshAbsoluteLifetime.map { .seconds($0) } ?? .days(90) }

    /// The brand of the accounts that sign in, if the request names none.
    package var accountBrand: BrandID {
        get throws { try brand ?? BrandID(BrandSettings.defaultBrand) }
    }

    /// Whether a request's redirect URI is registered, compared exactly. An app that describes itself does so for everyone, so it cannot
    /// know which port of `localhost` is free.
    package func allows(_ uri: RedirectURI) -> Bool {
        redirectURIs.contains { uri.matches(registered: $0, onAnyPortOfLocalhost: settings.selfDescribed) }
    }

    /// Whether the consent page for operations may return to a URL: compared exactly, except for the port of a loopback address.
    package func allows(returnURL url: RedirectURI) -> Bool {
        consentReturnURLs.contains { url.matches(registered: $0) }
    }

    /// Whether sign-out may return to a URI: compared like a redirect URI.
    package func allows(postLogoutRedirectURI uri: RedirectURI) -> Bool {
        postLogoutRedirectURIs.contains { uri.matches(registered: $0) }
    }

    /// Whether "Forgot your password?" may link to a URL.
    package func allows(resetCredentialsURL url: WebURL) -> Bool {
        settings.resetCredentialsURLs.contains(url.rawValue)
    }

    /// The audience of tokens for these `resource` values (RFC 8707); `nil` if one of them is not registered for the client.
    package func audience(for resources: [String], issuer: Issuer) -> [String]? {
        let own = settings.resources
        guard !resources.isEmpty else { return own.isEmpty ? [issuer.rawValue] : own }
        return resources.allSatisfy { own.contains($0) || $0 == issuer.rawValue } ? resources : nil
    }
}
