package import Kernel
package import WalletAuthWire

/// A provider's response to a hosted page, through the browser (RFC 6749 §4.1.2, RFC 9207). Other parameters are ignored, because
/// the provider does not sign them.
package struct ProviderResponse: Codable, Sendable {
    package var code: String?
    /// The error, instead of a code.
    package var error: String?
    /// `iss`.
    package var issuer: String?
}

/// The redirect URI of one provider of one brand. No two providers share it, so an honest provider's response never reaches the
/// token endpoint of a malicious one (RFC 9700 §4.4.2.2).
package struct ProviderCallback: Sendable, Hashable {
    package let brand: BrandID
    /// The name that apps use.
    package let provider: ProviderID

    /// The URL that the operator registers with the provider.
    package func redirectURI(at issuer: Issuer) -> String {
        issuer.url(path: Endpoints.providerSignIn.path(brand, provider))
    }
}

extension IdentityProvider {
    package var callback: ProviderCallback { ProviderCallback(brand: brand, provider: id) }
}

/// A provider's response as it reached this server.
package struct ProviderReturn: Sendable {
    package enum Content: Sendable {
        /// As the provider sent it.
        case plain(ProviderResponse)
        /// As this server sealed it, after it came without cookies.
        case held(String)
    }

    /// The callback at which it arrived.
    package var callback: ProviderCallback
    /// The `state` parameter.
    package var state: String
    package var content: Content

    package init(at callback: ProviderCallback, state: String, content: Content) {
        self.callback = callback
        self.state = state
        self.content = content
    }
}

/// A redirect of the browser to a provider.
package struct ProviderRedirect: Sendable {
    /// The authorization endpoint, with the request.
    package var url: String
    /// The provider's URL; a page's Content-Security-Policy names its origin.
    package var place: String
    /// Whether the provider may forward the browser to origins that no policy names.
    package var redirectsToOtherHosts: Bool
    /// The display name of the provider.
    package var name: String
    /// The look of the page that leads there, if one is needed.
    package var appearance: BrandAppearance
    /// The preferred languages of the request.
    package var locales: [LocaleTag]
}
