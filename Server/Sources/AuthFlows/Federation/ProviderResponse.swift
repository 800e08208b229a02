public import WalletAuthWire

/// What a provider said to a hosted page by way of the browser (RFC 6749 §4.1.2, RFC 9207). Nothing else that comes with it is read:
/// the provider has not signed it.
public struct ProviderResponse: Codable, Sendable {
    /// The authorization code.
    public var code: String?
    /// The error in its place.
    public var error: String?
    /// Who says that it answers: `iss`.
    public var issuer: String?

    /// Each parameter is the property of its name.
    public init(code: String?, error: String?, issuer: String?) {
        self.code = code
        self.error = error
        self.issuer = issuer
    }
}

/// Where one provider of one brand sends browsers back to. No two providers share it, so an honest provider's answer never reaches
/// the token endpoint of a malicious one (RFC 9700 §4.4.2.2).
public struct ProviderCallback: Sendable, Hashable {
    /// Whose provider it is.
    public let brand: BrandID
    /// What apps call it.
    public let provider: ProviderID

    /// Each parameter is the property of its name.
    public init(brand: BrandID, provider: ProviderID) {
        self.brand = brand
        self.provider = provider
    }

    /// The URL, which the operator registers with the provider.
    public func redirectURI(at issuer: Issuer) -> String {
        issuer.url(path: Endpoints.providerSignIn.path(brand, provider))
    }
}

/// A provider's answer as it reached this server.
public struct ProviderReturn: Sendable {
    /// How the answer travels.
    public enum Content: Sendable {
        /// As the provider sent it.
        case plain(ProviderResponse)
        /// As this server sealed it, for what came without cookies.
        case held(String)
    }

    /// By which way it came.
    public var callback: ProviderCallback
    /// The `state`.
    public var state: String
    /// The answer.
    public var content: Content

    /// Each parameter is the property of its name.
    public init(at callback: ProviderCallback, state: String, content: Content) {
        self.callback = callback
        self.state = state
        self.content = content
    }
}

/// A browser on its way to a provider.
public struct ProviderRedirect: Sendable {
    /// The provider's authorization endpoint, with the request.
    public var url: String
    /// Where the provider is: a page's policy names this origin.
    public var place: String
    /// Whether the provider may forward the browser to origins that no policy names.
    public var forwards: Bool
    /// What people call the provider.
    public var name: String
    /// How the page looks that leads there, where one has to.
    public var appearance: BrandAppearance
    /// The languages that the request prefers.
    public var locales: [LocaleTag]
}
