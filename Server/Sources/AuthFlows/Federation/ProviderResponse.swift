package import WalletAuthWire

/// What a provider said to a hosted page by way of the browser (RFC 6749 §4.1.2, RFC 9207). Nothing else that comes with it is read:
/// the provider has not signed it.
package struct ProviderResponse: Codable, Sendable {
    /// The authorization code.
    package var code: String?
    /// The error in its place.
    package var error: String?
    /// Who says that it answers: `iss`.
    package var issuer: String?

    /// Each parameter is the property of its name.
    package init(code: String?, error: String?, issuer: String?) {
        self.code = code
        self.error = error
        self.issuer = issuer
    }
}

/// Where one provider of one brand sends browsers back to. No two providers share it, so an honest provider's answer never reaches
/// the token endpoint of a malicious one (RFC 9700 §4.4.2.2).
package struct ProviderCallback: Sendable, Hashable {
    /// Whose provider it is.
    package let brand: BrandID
    /// What apps call it.
    package let provider: ProviderID

    /// Each parameter is the property of its name.
    package init(brand: BrandID, provider: ProviderID) {
        self.brand = brand
        self.provider = provider
    }

    /// The URL, which the operator registers with the provider.
    package func redirectURI(at issuer: Issuer) -> String {
        issuer.url(path: Endpoints.providerSignIn.path(brand, provider))
    }
}

/// A provider's answer as it reached this server.
package struct ProviderReturn: Sendable {
    /// How the answer travels.
    package enum Content: Sendable {
        /// As the provider sent it.
        case plain(ProviderResponse)
        /// As this server sealed it, for what came without cookies.
        case held(String)
    }

    /// By which way it came.
    package var callback: ProviderCallback
    /// The `state`.
    package var state: String
    /// The answer.
    package var content: Content

    /// Each parameter is the property of its name.
    package init(at callback: ProviderCallback, state: String, content: Content) {
        self.callback = callback
        self.state = state
        self.content = content
    }
}

/// A browser on its way to a provider.
package struct ProviderRedirect: Sendable {
    /// The provider's authorization endpoint, with the request.
    package var url: String
    /// Where the provider is: a page's policy names this origin.
    package var place: String
    /// Whether the provider may forward the browser to origins that no policy names.
    package var forwards: Bool
    /// What people call the provider.
    package var name: String
    /// How the page looks that leads there, where one has to.
    package var appearance: BrandAppearance
    /// The languages that the request prefers.
    package var locales: [LocaleTag]
}
