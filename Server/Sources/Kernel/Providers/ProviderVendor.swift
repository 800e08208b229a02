package import Core
package import Store
package import WalletAuthWire

/// A vendor with its own sign-in service, such as Apple. A target above this one implements it.
///
/// The flows own what all providers share: how far a provider is trusted (`SignIn/Federation`), when an attempt is charged
/// (`SignIn`), and how identities are linked (`SignIn/Federation`). The vendor's target owns its service: client secrets,
/// keys, tokens, notifications.
package protocol ProviderVendor: Sendable {
    /// The name of the vendor in the database and on the command line.
    var kind: String { get }

    /// Decodes a provider from its row.
    /// - Parameter secret: the opened secret; `nil` if none is needed, for instance to show the settings.
    /// - Throws: a decoding error for a damaged row.
    func provider(_ record: IdentityProviderRecord, secret: [UInt8]?) throws -> any VendorProvider

    /// Drops what is kept of decoded providers, such as their keys. Called once a provider of any vendor was added or removed, here or
    /// by another process.
    func forgetProviders()
}

extension ProviderVendor {
    /// For a vendor that keeps nothing.
    package func forgetProviders() {}
}

/// How the button of a provider looks on hosted pages.
package enum ProviderButtonStyle: Sendable, Hashable {
    /// As the page's other buttons.
    case plain
    /// As Apple's guidelines ask for: the logo next to the label, black on light pages and white on dark ones.
    case apple
}

/// One provider of a vendor, as an operator registered it for a brand.
package protocol VendorProvider: Sendable {
    /// Identifies the set of subjects. Two providers with the same namespace know the same people.
    var namespace: String { get }
    /// The URL of the service.
    var place: String { get }
    /// Whether the provider is trusted to say that an e-mail address is verified.
    var trustsEmail: Bool { get }
    /// Whether a code by e-mail is a second factor after this provider.
    var emailIsSecondFactor: Bool { get }
    /// The output of `provider show`: labels, JSON members and values. Never a secret.
    var facts: [VendorFact] { get }

    /// What people call the service, such as `Apple`.
    var name: String { get }

    /// The display name on hosted pages, such as `Apple`; `nil` if the operator registered no client for pages.
    var pageName: String? { get }

    /// How its button looks on hosted pages.
    var buttonStyle: ProviderButtonStyle { get }

    /// The URL to which a hosted page sends the browser; `nil` if the operator registered no client for pages.
    func authorizationURL(for request: VendorAuthorization) -> String?

    /// Verifies an identity token that an app or a backend presented.
    /// - Parameter nonce: the nonce that the token must contain; `nil` if the redemption of a code proves that the token is fresh.
    /// - Returns: `nil` if the token is invalid.
    /// - Throws: ``ProviderFailure`` if the service cannot be asked.
    func verify(_ token: IDToken, nonce: Nonce?, call: VendorCall) async throws -> VerifiedToken?

    /// Redeems a single-use authorization code.
    /// - Parameter nonce: the nonce that the returned identity token must contain; `nil` if none was requested.
    /// - Throws: ``ProviderFailure`` if the service cannot be asked.
    func redeem(_ code: VendorCode, nonce: Nonce?, call: VendorCall) async throws -> VendorRedemption

    /// Stores the grant of a sign-in, in the write that links the identity or signs in with it. An identity without a link belongs
    /// to a guest: unless it is linked within ``ProvenIdentity/guestLifetime``, the vendor revokes the grant.
    /// - Parameters:
    ///   - identity: the digest of the identity.
    ///   - connection: the connection of the write.
    /// - Throws: ``VendorConsentEnded``.
    func keep(
        _ grant: VendorGrant, of identity: [UInt8], call: VendorCall, on connection: any SQLConnection
    ) throws

    /// Finds problems that keep people from signing in. Each text follows the provider's name in a sentence.
    /// - Parameter environment: in the sandbox a service may run on this machine.
    /// - Throws: ``ProviderFailure`` if the service cannot be asked.
    func problems(
        http: ProviderHTTP, environment: ServerSettings.Environment, now: Timestamp
    ) async throws -> [String]
}

extension VendorProvider {
    package var buttonStyle: ProviderButtonStyle { .plain }
}

/// The person ended their consent at the vendor after it vouched for them, so the sign-in proves nothing any more. Thrown in the write
/// that would have recorded it.
package struct VendorConsentEnded: Error {
    package init() {}
}

/// A call of a vendor's service for one of its registered providers.
package struct VendorCall: Sendable {
    package let provider: IdentityProvider
    /// What the vendor's target uses of the server.
    package let access: ProviderAccess
    package let now: Timestamp

    package init(to provider: IdentityProvider, by access: ProviderAccess, now: Timestamp) {
        self.provider = provider
        self.access = access
        self.now = now
    }
}

/// An identity token that was verified.
package struct VerifiedToken: Sendable {
    package let identity: ProvenIdentity
    /// For ``VendorCode/signedToken``; `nil` if the vendor has no use for it.
    package let signed: ProviderIDToken.Signed?

    package init(identity: ProvenIdentity, signed: ProviderIDToken.Signed? = nil) {
        self.identity = identity
        self.signed = signed
    }
}

/// An authorization code of a vendor's service, and what the app knows about it.
package struct VendorCode: Sendable {
    package let code: AuthorizationCode
    /// The redirect URI of the request; `nil` for a native app.
    package let redirectURI: String?
    /// The PKCE verifier of the request, if it had one.
    package let verifier: CodeVerifier?
    /// The identity token that the app received with the code, if it sent it.
    package let idToken: IDToken?
    /// The same token, if its signature was verified in this request.
    package let signedToken: ProviderIDToken.Signed?

    package init(
        code: AuthorizationCode, redirectURI: String?, verifier: CodeVerifier?, idToken: IDToken?,
        signedToken: ProviderIDToken.Signed? = nil
    ) {
        self.code = code
        self.redirectURI = redirectURI
        self.verifier = verifier
        self.idToken = idToken
        self.signedToken = signedToken
    }
}

/// The outcome of redeeming a ``VendorCode``.
package enum VendorRedemption: Sendable {
    case redeemed(ProvenIdentity)
    /// The code is not the one that came with the identity token: another sign-in's, or another person's.
    case mismatched
    /// The service refuses the code, or the tokens are for another client or request.
    case refused

    /// The person; `nil` if the code proves no one.
    package var identity: ProvenIdentity? {
        guard case .redeemed(let identity) = self else { return nil }
        return identity
    }
}

/// The parameters for a vendor's authorization endpoint.
package struct VendorAuthorization: Sendable {
    package let redirectURI: String
    /// Binds the response to this browser and this sign-in.
    package let state: OAuthState
    package let nonce: Nonce
    /// The PKCE challenge, for services that support it.
    package let challenge: CodeChallenge

    package init(redirectURI: String, state: OAuthState, nonce: Nonce, challenge: CodeChallenge) {
        self.redirectURI = redirectURI
        self.state = state
        self.nonce = nonce
        self.challenge = challenge
    }
}

/// A secret that a vendor's service issued with the identity, such as a refresh token. Only the vendor's target reads it.
package struct VendorGrant: Sendable, Codable, Hashable {
    package let bytes: [UInt8]

    package init(bytes: [UInt8]) { self.bytes = bytes }
}

extension VendorGrant: CustomStringConvertible, CustomDebugStringConvertible {
    package var description: String { "<redacted>" }
    package var debugDescription: String { "<redacted>" }
}

/// One line of `provider show`.
package struct VendorFact: Sendable {
    /// The text for people.
    package let label: String
    /// The JSON member.
    package let member: String
    /// The values, in order; one element for a single value.
    package let values: [String]

    package init(label: String, member: String, values: [String]) {
        self.label = label
        self.member = member
        self.values = values
    }
}

/// The vendors that a server supports, by kind.
package struct ProviderVendors: Sendable {
    private let byKind: [String: any ProviderVendor]

    package init(_ vendors: [any ProviderVendor]) {
        byKind = Dictionary(vendors.map { ($0.kind, $0) }, uniquingKeysWith: { first, _ in first })
    }

    package subscript(kind: String) -> (any ProviderVendor)? { byKind[kind] }

    package func forgetProviders() { for vendor in byKind.values { vendor.forgetProviders() } }
}
