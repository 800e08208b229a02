internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// The providers that a brand's hosted pages show, the URLs of their buttons, and accounts for their guests.
struct PageProviders: Sendable {
    let database: any Database
    let vault: ProviderVault
    let vendors: ProviderVendors
    let access: ProviderAccess
    let issuer: Issuer
    let random: any RandomBytes
    let authorizations: ProviderAuthorizations
    let guests: GuestAccounts

    /// More buttons than a person reads.
    private static let most = 10

    /// The buttons of a brand, in the order in which the operator added the providers.
    ///
    /// A row that cannot be read has no button, and `doctor` reports it. It must not take the password form with it.
    func buttons(of brand: BrandID) async throws -> [SignInPage.Provider] {
        let records = try await database.read {
            try IdentityProviders.list(brand: brand.rawValue, limit: 100, on: $0)
        }
        let buttons = records.compactMap { record -> SignInPage.Provider? in
            guard let provider = try? IdentityProvider(record, secret: nil, vendors: vendors),
                let name = provider.pageName
            else { return nil }
            return SignInPage.Provider(
                id: provider.id, name: name, place: provider.place, isVendor: provider.vendor != nil,
                style: provider.vendor?.buttonStyle ?? .plain)
        }
        return Array(buttons.prefix(Self.most))
    }

    /// The identities that sign in to an account, the oldest first. One whose provider is gone, or whose provider's id was given to another
    /// one, signs in no more.
    func linked(to account: AccountRecord) async throws -> [AccountOverview.Identity] {
        let found = try await database.read { connection in
            try FederatedIdentities.list(of: account.id, on: connection).map { identity in
                (identity, try IdentityProviders.find(identity.providerID, brand: account.brandID, on: connection))
            }
        }
        let subjects = IdentityVault(access.sealing)
        return found.compactMap { identity, record -> AccountOverview.Identity? in
            guard let record, let provider = try? IdentityProvider(record, secret: nil, vendors: vendors),
                let subject = subjects.open(identity.subject, .subject, of: identity.digest),
                provider.digest(of: subject) == identity.digest
            else { return nil }
            return AccountOverview.Identity(
                id: Base64URL.encode(identity.digest), provider: provider.id, name: provider.shownName,
                linkedAt: identity.linkedAt)
        }
    }

    /// The authorization URL of a provider.
    /// - Parameters:
    ///   - state: the sealed `authorization`.
    ///   - prompt: the `prompt` for the provider; `nil` leaves it to the provider.
    ///   - maxAge: the maximum age of the session at the provider, in seconds; `nil` for any age. With it, the provider must report
    ///     `auth_time` (OpenID Connect Core §2). Vendors get neither parameter.
    /// - Throws: ``ProviderFailure`` if the URL is not known.
    func url(
        of provider: IdentityProvider, state: String, for authorization: ProviderAuthorization, prompt: String?,
        maxAge: Int64?, now: Timestamp
    ) async throws -> String {
        let redirectURI = provider.callback.redirectURI(at: issuer)
        let challenge = try CodeChallenge(verifier: authorization.verifier)
        switch provider.kind {
        case .openID(let settings, _):
            let metadata = try await access.documents.metadata(
                of: settings, reach: provider.reach(in: access.environment), now: now)
            guard let endpoint = metadata.authorizationEndpoint else {
                throw ProviderFailure("its discovery document has no usable authorization_endpoint")
            }
            guard state.utf8.count <= Self.longestState else { throw Self.tooLong }
            var form = FormParameters()
            form.append("response_type", "code")
            form.append("client_id", settings.clientID)
            form.append("redirect_uri", redirectURI)
            form.append("scope", "openid email")
            form.append("state", state)
            form.append("nonce", try authorization.nonce.rawValue)
            form.append("code_challenge", challenge.rawValue)
            form.append("code_challenge_method", "S256")
            form.append("prompt", prompt)
            form.append("max_age", maxAge.map { String($0) })
            return endpoint + (endpoint.contains("?") ? "&" : "?") + form.encoded
        case .vendor(let vendor, _):
            guard let text = try? OAuthState(state) else { throw Self.tooLong }
            let request = VendorAuthorization(
                redirectURI: redirectURI, state: text, nonce: try authorization.nonce, challenge: challenge)
            guard let url = vendor.authorizationURL(for: request) else {
                throw ProviderFailure("no client is registered for pages")
            }
            return url
        case .repository, .introspection: throw ProviderFailure("it has no page")
        }
    }

    /// With the rest of the request, this stays below the usual URL limits of servers.
    private static let longestState = 4096
    private static let tooLong = ProviderFailure(
        "the app's request is too long to forward, usually because of its state")
}
