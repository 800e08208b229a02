package import AuthCore
package import AuthStore
package import WalletAuthWire

/// A vendor with a sign-in service of its own, such as Apple, that a target above this one knows how to ask.
///
/// `AuthFlows` owns what every provider has in common: how identities are linked, what a provider's word is worth, and when an
/// attempt is charged. The vendor's target owns its service: client secrets, keys, tokens, notifications.
package protocol ProviderVendor: Sendable {
    /// The word for the vendor in the store and on the command line.
    var kind: String { get }

    /// Reads a provider as its row describes it.
    /// - Parameters:
    ///   - record: the row.
    ///   - secret: the opened secret; `nil` where none is needed, as for a look at the settings.
    /// - Throws: what decoding throws for a damaged row.
    func provider(_ record: IdentityProviderRecord, secret: [UInt8]?) throws -> any VendorProvider
}

/// One provider of a vendor, as an operator registered it for a brand.
package protocol VendorProvider: Sendable {
    /// Whose subjects these are. Two providers with the same namespace know the same people.
    var namespace: String { get }
    /// Where the service is: a URL.
    var place: String { get }
    /// Whether the provider is believed that an e-mail address is verified.
    var trustsEmail: Bool { get }
    /// Whether a code by e-mail is a second factor after this provider's word.
    var countsEmail: Bool { get }
    /// What `provider show` tells: labels, JSON members and values. Never a secret.
    var facts: [VendorFact] { get }

    /// What hosted pages call the service, such as `Apple`; `nil` where the operator registered no client for pages.
    var pageName: String? { get }

    /// Where a hosted page sends the browser.
    /// - Parameter request: what the page asks for.
    /// - Returns: `nil` where the operator registered no client for pages.
    func authorizationURL(for request: VendorAuthorization) -> String?

    /// Verifies an identity token that an app or a backend brought.
    /// - Parameters:
    ///   - token: the token.
    ///   - nonce: the nonce that has to be in it; `nil` where a code's redemption proves that the token is fresh.
    ///   - call: the server's context and the present.
    /// - Returns: `nil` where the token proves nothing.
    /// - Throws: ``ProviderFailure`` where the service cannot be asked.
    func verify(_ token: IDToken, nonce: Nonce?, call: VendorContext) async throws -> VendorIdentity?

    /// Redeems an authorization code, which works once.
    /// - Parameters:
    ///   - code: the code and what came with it.
    ///   - nonce: the nonce that has to be in the answered identity token; `nil` where none was asked for.
    ///   - call: the server's context and the present.
    /// - Returns: `nil` where the service refuses the code, or what it answers belongs to another person or client.
    /// - Throws: ``ProviderFailure`` where the service cannot be asked.
    func redeem(_ code: VendorCode, nonce: Nonce?, call: VendorContext) async throws -> VendorIdentity?

    /// Keeps what came with a sign-in, in the write that links the identity or signs in by it. An identity that is not linked is a
    /// guest's: unless it is linked within ``ProvenGuest/lifetime``, the vendor gives back what it got.
    /// - Parameters:
    ///   - grant: ``VendorIdentity/grant`` of that sign-in.
    ///   - identity: the digest of the identity.
    ///   - call: the server's context and the present.
    ///   - connection: the connection of the write.
    func keep(
        _ grant: VendorGrant, of identity: [UInt8], call: VendorContext, on connection: any SQLConnection
    ) throws

    /// What keeps people from signing in, in words that follow the provider's name; empty where nothing does.
    /// - Parameters:
    ///   - http: how the service is asked.
    ///   - environment: in the sandbox a service may run on this machine.
    ///   - now: the present.
    /// - Throws: ``ProviderFailure`` where the service cannot be asked.
    func problems(
        http: ProviderHTTP, environment: ServerSettings.Environment, now: Timestamp
    ) async throws -> [String]
}

/// What a vendor's provider needs for one call.
package struct VendorContext: Sendable {
    /// What all flows share.
    package let context: ServerContext
    /// The name that apps know the provider by.
    package let provider: ProviderID
    /// Whose provider it is.
    package let brand: BrandID
    /// The present.
    package let now: Timestamp

    /// Each parameter is the property of its name.
    package init(context: ServerContext, provider: ProviderID, brand: BrandID, now: Timestamp) {
        self.context = context
        self.provider = provider
        self.brand = brand
        self.now = now
    }
}

/// An authorization code of a vendor's service, with what the app knows about it.
package struct VendorCode: Sendable {
    /// The code.
    package let code: AuthorizationCode
    /// Where the service sent it; `nil` for a native app.
    package let redirectURI: String?
    /// The PKCE verifier of the request, where it had one.
    package let verifier: CodeVerifier?
    /// The identity token that the app got beside the code, where it sent it.
    package let idToken: IDToken?

    /// Each parameter is the property of its name.
    package init(code: AuthorizationCode, redirectURI: String?, verifier: CodeVerifier?, idToken: IDToken?) {
        self.code = code
        self.redirectURI = redirectURI
        self.verifier = verifier
        self.idToken = idToken
    }
}

/// What a hosted page asks of a vendor's authorization endpoint.
package struct VendorAuthorization: Sendable {
    /// Where the service sends the browser back to.
    package let redirectURI: String
    /// What ties the answer to this browser and this sign-in.
    package let state: OAuthState
    /// What has to be in the identity token.
    package let nonce: Nonce
    /// The PKCE challenge, for services that take one.
    package let challenge: CodeChallenge

    /// Each parameter is the property of its name.
    package init(redirectURI: String, state: OAuthState, nonce: Nonce, challenge: CodeChallenge) {
        self.redirectURI = redirectURI
        self.state = state
        self.nonce = nonce
        self.challenge = challenge
    }
}

/// A person in a vendor's words.
package struct VendorIdentity: Sendable {
    /// The person's identifier at the service.
    package let subject: String
    /// The e-mail address, in whatever form the service tells it.
    package let email: String?
    /// Whether the service says that the address is the person's.
    package let isEmailVerified: Bool
    /// What the vendor wants kept with the link; `nil` for nothing.
    package let grant: VendorGrant?
    /// When the person signed in at the service; `nil` where it does not tell.
    package let authTime: Timestamp?

    /// Each parameter is the property of its name.
    package init(
        subject: String, email: String?, isEmailVerified: Bool, grant: VendorGrant?, authTime: Timestamp? = nil
    ) {
        self.authTime = authTime
        self.subject = subject
        self.email = email
        self.isEmailVerified = isEmailVerified
        self.grant = grant
    }
}

/// What a vendor's service gave beside the identity, such as a refresh token; only the vendor's own target reads it.
package struct VendorGrant: Sendable, Codable, Hashable {
    /// The bytes, secret.
    package let bytes: [UInt8]

    /// - Parameter bytes: the bytes, secret.
    package init(bytes: [UInt8]) { self.bytes = bytes }
}

extension VendorGrant: CustomStringConvertible, CustomDebugStringConvertible {
    package var description: String { "<redacted>" }
    package var debugDescription: String { "<redacted>" }
}

/// One fact about a vendor's provider, for `provider show`.
package struct VendorFact: Sendable {
    /// What a person reads.
    package let label: String
    /// The JSON member.
    package let member: String
    /// The values, in order; one for a single value.
    package let values: [String]

    /// Each parameter is the property of its name.
    package init(label: String, member: String, values: [String]) {
        self.label = label
        self.member = member
        self.values = values
    }
}

/// The vendors that a server knows, by the word for each.
struct ProviderVendors: Sendable {
    private let byKind: [String: any ProviderVendor]

    init(_ vendors: [any ProviderVendor]) {
        byKind = Dictionary(vendors.map { ($0.kind, $0) }, uniquingKeysWith: { first, _ in first })
    }

    subscript(kind: String) -> (any ProviderVendor)? { byKind[kind] }
}
