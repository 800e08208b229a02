internal import Core
internal import Kernel
internal import WalletAuthWire

extension ClientRegistration {
    /// Checks the registration as a whole: a client that passes is safe to serve.
    /// - Parameters:
    ///   - madeID: creates an id if the registration has none.
    ///   - environment: the server's.
    /// - Returns: the client, without a secret.
    /// - Throws: ``AdministrationRefusal`` or ``MalformedValue`` for the first fault.
    func checked(madeID: () -> String, in environment: ServerSettings.Environment, now: Timestamp) throws
        -> ClientRecord
    {
        let id = try ClientID(self.id ?? madeID())
        let name = try DisplayName.check(self.name)
        let brand = try BrandID(self.brand ?? BrandSettings.defaultBrand)
        let method = try checkedMethod()
        let redirectURIs = try self.redirectURIs.map { try RedirectURI(typed: $0, option: "--redirect-uri") }
        try checkProfile(method, redirectURIs, in: environment)
        try checkMetadataHosts(method)
        try checkKeys(method, in: environment)
        let scope = try Scope(tokens: scopes)
        let settings = try checkedSettings(redirectURIs)
        try checkPKCE(redirectURIs, in: environment)
        try checkBackchannel()
        guard
            kind == .confidential || !redirectURIs.isEmpty || settings.firstParty || settings.deviceGrant
                || !settings.metadataHosts.isEmpty
        else {
            throw AdministrationRefusal(
                """
                A public client needs a redirect URI, or --first-party to sign in natively, or --device-grant for devices without a \
                browser.
                """,
                code: "missing_redirect_uri")
        }
        return ClientRecord(
            id: id.rawValue, brandID: brand.rawValue, name: name, kind: kind, authenticationMethod: method,
            secretHash: nil, jwks: keySet, redirectURIs: JSONValue.strings(redirectURIs.map(\.rawValue)).text,
            scopes: scope.rawValue, settings: try settings.json(), createdAt: now, updatedAt: now)
    }

    private func checkedMethod() throws -> RegisteredAuthenticationMethod {
        guard let name = authenticationMethod else { return kind == .public ? .none : .clientSecretBasic }
        guard let method = RegisteredAuthenticationMethod(rawValue: name) else {
            let names = RegisteredAuthenticationMethod.allCases.map(\.rawValue).joined(separator: ", ")
            throw AdministrationRefusal("The authentication method must be one of \(names).", code: "malformed")
        }
        guard method.kind == kind else {
            throw AdministrationRefusal(
                """
                A public client must have the authentication method none or attest_jwt_client_auth_dpop; a confidential client \
                must have another one.
                """,
                code: "contradiction")
        }
        return method
    }

    private func checkKeys(
        _ method: RegisteredAuthenticationMethod, in environment: ServerSettings.Environment
    ) throws {
        if let uri = settings.jwksURI {
            let url = try WebURL(uri, field: "--jwks-uri")
            guard !url.isInsecure || environment == .sandbox else {
                throw MalformedValue(field: "--jwks-uri", reason: "must be https, except in a sandbox")
            }
            guard method == .privateKeyJWT, keySet == nil, !settings.requiresSignedRequests else {
                throw AdministrationRefusal(
                    "--jwks-uri is for private_key_jwt, in place of --jwks, and not for signed requests.",
                    code: "contradiction")
            }
            return
        }
        let needsKeys = method == .privateKeyJWT || method == .attestation || settings.requiresSignedRequests
        guard needsKeys == (keySet != nil) else {
            throw AdministrationRefusal(
                """
                private_key_jwt, attest_jwt_client_auth_dpop and --require-signed-requests need a JWK set (--jwks; private_key_jwt \
                also --jwks-uri), and a JWK set needs one of them.
                """, code: "contradiction")
        }
        guard let keySet else { return }
        let verifiers: [any JWSVerifier]
        do {
            verifiers = try RegisteredClient.verifiers(keySet)
        } catch JOSEError.keyNotAllowed(let reason) {
            throw AdministrationRefusal("A key of the JWK set \(reason).", code: "malformed")
        } catch is JOSEError {
            throw AdministrationRefusal(
                "This is no JWK set: it has to be an object with `keys`, a list of at most 64 objects (RFC 7517).",
                code: "malformed")
        } catch let fault as MalformedValue {
            throw AdministrationRefusal("The JWK set is not well-formed: \(fault).", code: "malformed")
        }
        guard !verifiers.isEmpty else {
            throw AdministrationRefusal("The JWK set contains no key that can verify a signature.", code: "malformed")
        }
        let algorithms = RegisteredClient.requestAlgorithms
        guard !settings.requiresSignedRequests || verifiers.contains(where: { algorithms.contains($0.algorithm) })
        else {
            throw AdministrationRefusal(
                "Requests are signed with ES256 or EdDSA, and the JWK set contains no key for that.",
                code: "contradiction")
        }
        guard !settings.fapi || verifiers.allSatisfy({ algorithms.contains($0.algorithm) }) else {
            throw AdministrationRefusal(
                "The FAPI 2.0 profile has ES256 and EdDSA in place of RS256: leave the RSA keys out of the JWK set.",
                code: "contradiction")
        }
        // Each may be tried against an assertion that names none.
        guard verifiers.count <= Self.mostKeys else {
            throw AdministrationRefusal(
                "The JWK set contains \(verifiers.count) keys, and a client has at most \(Self.mostKeys).",
                hint: "Leave out the keys that the client does not sign with any more.", code: "too_many")
        }
    }

    private static let mostKeys = 8
    private static let mostMerchants = 100

    private func checkGuestTokens() throws {
        guard settings.guestTokens else {
            guard !settings.guestPasswords else {
                throw AdministrationRefusal(
                    "--guest-passwords needs --guest-tokens.", code: "contradiction")
            }
            guard settings.loyaltyMerchants.isEmpty else {
                throw AdministrationRefusal("--loyalty-merchant needs --guest-tokens.", code: "contradiction")
            }
            return
        }
        guard !settings.loyaltyMerchants.isEmpty else {
            throw AdministrationRefusal(
                """
                Guest tokens are for the guests of merchants: name each with --loyalty-merchant, or in an update with \
                --add-loyalty-merchant.
                """,
                code: "contradiction")
        }
        guard settings.loyaltyMerchants.count <= Self.mostMerchants else {
            throw AdministrationRefusal(
                "A client serves at most \(Self.mostMerchants) merchants.", code: "too_many")
        }
        guard kind == .confidential, authenticationMethod != "private_key_jwt" else {
            throw AdministrationRefusal(
                "Guest tokens need a confidential client with a client secret (HTTP Basic).",
                code: "contradiction")
        }
        guard settings.requiresDPoP != true else {
            throw AdministrationRefusal(
                "Guest tokens are bearer tokens: --guest-tokens and --require-dpop cannot be combined.",
                code: "contradiction")
        }
        guard !settings.requiresMerchant else {
            throw AdministrationRefusal(
                "Guests are not employees: --guest-tokens and --require-merchant cannot be combined.",
                code: "contradiction")
        }
    }

    private func checkedSettings(_ redirectURIs: [RedirectURI]) throws -> ClientSettings {
        var checked = settings
        let isAttested = authenticationMethod == RegisteredAuthenticationMethod.attestation.rawValue
        checked.requiresDPoP =
            settings.requiresDPoP ?? (isAttested || settings.fapi || (kind == .public && settings.firstParty))
        checked.requiresPushedRequests = settings.requiresPushedRequests || settings.fapi
        checked.idTokenAlgorithm =
            settings.idTokenAlgorithm ?? (settings.fapi ? SigningAlgorithm.es256.rawValue : nil)
        guard !isAttested || (checked.requiresDPoP == true && settings.redeemer == nil) else {
            throw AdministrationRefusal(
                """
                With attest_jwt_client_auth_dpop, each instance gets its tokens itself, bound to the attested key: leave out \
                --allow-bearer and --redeemer.
                """, code: "contradiction")
        }
        let site = try settings.siteURL.map { try WebURL($0, field: "--site-url") }
        // An https redirect URI outside the client's own site would hand its codes to another party.
        if let site, let uri = redirectURIs.first(where: { $0.kind == .https && !$0.lies(under: site) }) {
            throw AdministrationRefusal(
                "The redirect URI \(uri.rawValue) is not under the site URL \(site.rawValue).", code: "contradiction")
        }
        checked.resetCredentialsURLs = try settings.resetCredentialsURLs.map { text in
            try WebURL(text, field: "--reset-credentials-url").rawValue
        }
        checked.consentReturnURLs = try settings.consentReturnURLs.map { try Self.consentReturnURL($0, under: site) }
        checked.postLogoutRedirectURIs = try settings.postLogoutRedirectURIs.map {
            try Self.postLogoutRedirectURI($0, under: site)
        }
        try checkAppleAppIDs()
        checked.androidApps = try settings.androidApps.map { try AndroidApp($0).text }
        try checked.checkAttestation(of: kind)
        try checkPasskeys()
        try checked.checkStores(of: kind)
        try checked.checkPushTopic(of: kind)
        checked.resources = try settings.resources.map { try WebURL($0, field: "--resource").rawValue }
        _ = try settings.redeemer.map { try ClientID($0) }
        if let name = settings.idTokenAlgorithm, SigningAlgorithm(rawValue: name) == nil {
            throw AdministrationRefusal(
                "The ID token algorithm must be one of RS256, ES256 and EdDSA.", code: "malformed")
        }
        guard settings.firstParty || !settings.deviceTokens else {
            throw AdministrationRefusal(
                "Only a first-party client can sign in with device tokens: add --first-party.",
                code: "contradiction")
        }
        try checkGuestTokens()
        try checkAdministration(isBound: checked.requiresDPoP ?? false)
        try checkLifetimes()
        guard kind == .confidential || !settings.introspection else {
            throw AdministrationRefusal(
                "Only a confidential client can introspect tokens: a public client's id proves nothing.",
                code: "contradiction")
        }
        try checkAuthorizationDetails()
        guard kind == .confidential || !settings.tokenExchange else {
            throw AdministrationRefusal(
                "Only a confidential client can exchange tokens: a public client's id proves nothing.",
                code: "contradiction")
        }
        guard !settings.tokenExchange || !settings.resources.isEmpty else {
            throw AdministrationRefusal(
                """
                Tokens for the client's resources are exchanged for others of its resources: name them with --resource, or in \
                an update with --add-resource.
                """,
                code: "contradiction")
        }
        guard kind == .confidential || !settings.allowsTransactionsWithoutAccount else {
            throw AdministrationRefusal(
                "Only a confidential client can create transactions: leave out --transactions-without-account.",
                code: "contradiction")
        }
        guard kind == .confidential || !settings.requiresSignedRequests else {
            throw AdministrationRefusal(
                "Only a confidential client can sign its requests: a public client's key is in everyone's hands.",
                code: "contradiction")
        }
        return checked
    }

    private func checkAuthorizationDetails() throws {
        let types = settings.authorizationDetailsTypes
        if let unknown = types.first(where: { !AuthorizationDetail.types.contains($0) }) {
            let known = AuthorizationDetail.types.joined(separator: ", ")
            throw AdministrationRefusal(
                "\(CommandLineSyntax.quoted(unknown)) is no type of authorization details: there is \(known).",
                code: "malformed")
        }
        guard types.isEmpty || (kind == .confidential && !settings.firstParty && !settings.guestTokens) else {
            throw AdministrationRefusal(
                """
                Authorization details are for confidential clients of other parties: an app's id proves nothing, and the \
                operator's own clients use wallet operations.
                """,
                code: "contradiction")
        }
    }

    private func checkAppleAppIDs() throws {
        guard kind == .public || settings.appleAppIDs.isEmpty else {
            throw AdministrationRefusal(
                "A backend cannot open links: leave out --apple-app-id.", code: "contradiction")
        }
        guard settings.firstParty || settings.appleAppIDs.isEmpty else {
            throw AdministrationRefusal(
                """
                Links to transactions open only the brand's own apps: add --first-party, or leave out --apple-app-id and \
                remove those that the client has (--remove-apple-app-id).
                """,
                code: "contradiction")
        }
        for id in settings.appleAppIDs {
            // The team's ten letters and digits, a dot, and the bundle id.
            guard id.wholeMatch(of: /[A-Z0-9]{10}\.[A-Za-z0-9][A-Za-z0-9.-]{0,154}/) != nil else {
                throw AdministrationRefusal(
                    "\(CommandLineSyntax.quoted(id)) is not an Apple App ID: it consists of the team id, a dot and the "
                        + "bundle id, such as ABCDE12345.com.example.wallet.", code: "malformed")
            }
        }
    }

    private func checkPasskeys() throws {
        let isOwnApp = kind == .public && settings.firstParty
        guard isOwnApp || (settings.androidApps.isEmpty && settings.passkeyOrigins.isEmpty) else {
            throw AdministrationRefusal(
                """
                Only the brand's own apps use its passkeys: the client must be --public and --first-party, or have no \
                --android-app and no --passkey-origin.
                """, code: "contradiction")
        }
        for origin in settings.passkeyOrigins { try PasskeyOriginCheck.refuse(origin) }
    }

    /// Links to hosted pages contain the return URL, and browsers and mail programs cut links at about 2000 characters.
    private static func consentReturnURL(_ text: String, under site: WebURL?) throws -> String {
        let url = try RedirectURI(typed: text, option: "--consent-return-url")
        guard text.utf8.count <= 512 else {
            throw AdministrationRefusal("The consent return URL \(text) is longer than 512 bytes.", code: "malformed")
        }
        if url.kind == .https, let site, !url.lies(under: site) {
            throw AdministrationRefusal(
                "The consent return URL \(text) is not under the site URL \(site.rawValue).", code: "contradiction")
        }
        return url.rawValue
    }

    private static func postLogoutRedirectURI(_ text: String, under site: WebURL?) throws -> String {
        let uri = try RedirectURI(typed: text, option: "--post-logout-redirect-uri")
        if uri.kind == .https, let site, !uri.lies(under: site) {
            throw AdministrationRefusal(
                "The post-logout redirect URI \(text) is not under the site URL \(site.rawValue).",
                code: "contradiction"
            )
        }
        return uri.rawValue
    }

    private func checkLifetimes() throws {
        for (value, range, name) in [
            (settings.accessTokenLifetime, 1...86_400, "access token lifetime"),
            (settings.refreshIdleLifetime, 60...31_536_000, "refresh idle lifetime"),
            (settings.refreshAbsoluteLifetime, 60...31_536_000, "refresh absolute lifetime"),
        ] {
            guard value.map({ range.contains($0) }) ?? true else {
                throw AdministrationRefusal(
                    "The \(name) must be between \(range.lowerBound) and \(range.upperBound) seconds.",
                    code: "malformed")
            }
        }
        let idle = settings.refreshIdleLifetime ?? 30 * 86_400
        let absolute = settings.refreshAbsoluteLifetime ?? 90 * 86_400
        guard idle <= absolute else {
            throw AdministrationRefusal(
                "The refresh idle lifetime (\(idle) s) is longer than the absolute one (\(absolute) s).",
                code: "contradiction")
        }
    }
}
