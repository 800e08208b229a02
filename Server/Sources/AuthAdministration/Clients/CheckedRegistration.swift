internal import AuthCore
internal import AuthFoundation
internal import AuthStore
internal import WalletAuthWire

/// A client registration, checked as a whole: a client that passes is safe to serve.
struct CheckedRegistration: Sendable {
    let id: ClientID
    let name: String
    let kind: ClientKind
    let method: RegisteredAuthenticationMethod
    let keySet: String?
    let redirectURIs: [RedirectURI]
    let scope: Scope
    let brand: BrandID
    let settings: ClientSettings

    /// - Parameters:
    ///   - registration: as typed.
    ///   - madeID: creates an id if the registration has none.
    /// - Throws: ``AdministrationRefusal`` or ``MalformedValue`` for the first fault.
    init(_ registration: ClientRegistration, madeID: () -> String) throws {
        id = try ClientID(registration.id ?? madeID())
        name = try DisplayName.check(registration.name)
        kind = registration.kind == .public ? .public : .confidential
        brand = try BrandID(registration.brand ?? BrandSettings.defaultBrand)
        method = try Self.authenticationMethod(registration)
        keySet = try Self.keys(registration, method: method)
        redirectURIs = try registration.redirectURIs.map { try RedirectURI(typed: $0, option: "--redirect-uri") }
        scope = try Scope(tokens: registration.scopes)
        settings = try Self.settings(registration, redirectURIs: redirectURIs)
        guard kind == .confidential || !redirectURIs.isEmpty || registration.firstParty else {
            throw AdministrationRefusal(
                "A public client needs a redirect URI, or --first-party to sign in natively.",
                code: "missing_redirect_uri")
        }
    }

    private static func authenticationMethod(_ registration: ClientRegistration) throws
        -> RegisteredAuthenticationMethod
    {
        guard let name = registration.authenticationMethod else {
            return registration.kind == .public ? .none : .clientSecretBasic
        }
        guard let method = RegisteredAuthenticationMethod(rawValue: name) else {
            let names = RegisteredAuthenticationMethod.allCases.map(\.rawValue).joined(separator: ", ")
            throw AdministrationRefusal("The authentication method must be one of \(names).", code: "malformed")
        }
        guard (registration.kind == .public) == (method == .none) else {
            throw AdministrationRefusal(
                """
                A public client must have the authentication method none; a confidential client must have another one.
                """,
                code: "contradiction")
        }
        return method
    }

    private static func keys(
        _ registration: ClientRegistration, method: RegisteredAuthenticationMethod
    ) throws -> String? {
        guard (method == .privateKeyJWT) == (registration.keySet != nil) else {
            throw AdministrationRefusal(
                "private_key_jwt needs a JWK set (--jwks), and a JWK set needs private_key_jwt.", code: "contradiction")
        }
        guard let keySet = registration.keySet else { return nil }
        guard try !RegisteredClient.verifiers(keySet).isEmpty else {
            throw AdministrationRefusal("The JWK set contains no key that can verify a signature.", code: "malformed")
        }
        return keySet
    }

    private static func checkGuestTokens(_ registration: ClientRegistration) throws {
        guard registration.guestTokens else {
            guard !registration.guestPasswords else {
                throw AdministrationRefusal(
                    "--guest-passwords needs --guest-tokens.", code: "contradiction")
            }
            return
        }
        guard registration.kind == .confidential, registration.authenticationMethod != "private_key_jwt" else {
            throw AdministrationRefusal(
                "Guest tokens need a confidential client with a client secret (HTTP Basic).",
                code: "contradiction")
        }
        guard registration.requiresDPoP != true else {
            throw AdministrationRefusal(
                "Guest tokens are bearer tokens: --guest-tokens and --require-dpop cannot be combined.",
                code: "contradiction")
        }
        guard !registration.requiresMerchant else {
            throw AdministrationRefusal(
                "Guests are not employees: --guest-tokens and --require-merchant cannot be combined.",
                code: "contradiction")
        }
    }

    private static func settings(
        _ registration: ClientRegistration, redirectURIs: [RedirectURI]
    ) throws -> ClientSettings {
        var settings = ClientSettings()
        settings.firstParty = registration.firstParty
        settings.requiresDPoP =
            registration.requiresDPoP ?? (registration.kind == .public && registration.firstParty)
        settings.requiresMerchant = registration.requiresMerchant
        settings.fapi = registration.fapi
        settings.introspects = registration.introspects
        settings.allowsUnaddressedTransactions = registration.allowsUnaddressedTransactions
        settings.verifiesInstances = registration.verifiesInstances
        settings.deviceTokens = registration.deviceTokens
        settings.guestTokens = registration.guestTokens
        settings.guestPasswords = registration.guestPasswords
        settings.siteURL = try siteURL(registration, redirectURIs: redirectURIs)
        settings.resetCredentialsURLs = try registration.resetCredentialsURLs.map { text in
            try WebURL(text, field: "--reset-credentials-url").rawValue
        }
        settings.returnURLs = try returnURLs(registration)
        settings.appIDs = try appIDs(registration)
        settings.resources = try registration.resources.map { try WebURL($0, field: "--resource").rawValue }
        settings.redeemer = try registration.redeemer.map { try ClientID($0).rawValue }
        settings.idTokenAlgorithm = try registration.idTokenAlgorithm.map { name in
            guard let algorithm = SigningAlgorithm(rawValue: name) else {
                throw AdministrationRefusal(
                    "The ID token algorithm must be one of RS256, ES256 and EdDSA.", code: "malformed")
            }
            return algorithm.rawValue
        }
        guard registration.firstParty || !registration.deviceTokens else {
            throw AdministrationRefusal(
                "Only a first-party client can sign in with device tokens: add --first-party.",
                code: "contradiction")
        }
        try checkGuestTokens(registration)
        try takeLifetimes(of: registration, into: &settings)
        guard registration.kind == .confidential || !registration.introspects else {
            throw AdministrationRefusal(
                "Only a confidential client can introspect tokens: a public client's id proves nothing.",
                code: "contradiction")
        }
        guard registration.kind == .confidential || !registration.allowsUnaddressedTransactions else {
            throw AdministrationRefusal(
                "Only a confidential client can create transactions: leave out --unaddressed-transactions.",
                code: "contradiction")
        }
        guard registration.kind == .confidential || !registration.fapi else {
            throw AdministrationRefusal(
                "Only a confidential client can follow the FAPI profile: without rotation, a public client's stolen "
                    + "refresh token would never be noticed.",
                code: "contradiction")
        }
        return settings
    }

    /// An https redirect URI outside the client's own site would hand its codes to another party.
    private static func siteURL(_ registration: ClientRegistration, redirectURIs: [RedirectURI]) throws -> String? {
        guard let text = registration.siteURL else { return nil }
        let site = try WebURL(text, field: "--site-url")
        for uri in redirectURIs where uri.kind == .https && !uri.lies(under: site) {
            throw AdministrationRefusal(
                "The redirect URI \(uri.rawValue) is not under the site URL \(text).", code: "contradiction")
        }
        return site.rawValue
    }

    private static func appIDs(_ registration: ClientRegistration) throws -> [String] {
        guard registration.kind == .public || registration.appIDs.isEmpty else {
            throw AdministrationRefusal(
                "A backend cannot open links: leave out --app-id.", code: "contradiction")
        }
        for id in registration.appIDs {
            // The team's ten letters and digits, a dot, and the bundle id.
            guard id.wholeMatch(of: /[A-Z0-9]{10}\.[A-Za-z0-9][A-Za-z0-9.-]{0,154}/) != nil else {
                throw AdministrationRefusal(
                    "\(CommandLineSyntax.quoted(id)) is not an app id: it consists of the team id, a dot and the "
                        + "bundle id, such as ABCDE12345.com.example.wallet.", code: "malformed")
            }
        }
        return registration.appIDs
    }

    /// Links to hosted pages contain the return URL, and browsers and mail programs cut links at about 2000 characters.
    private static func returnURLs(_ registration: ClientRegistration) throws -> [String] {
        let site = try registration.siteURL.map { try WebURL($0, field: "--site-url") }
        return try registration.returnURLs.map { text in
            let url = try RedirectURI(typed: text, option: "--return-url")
            guard text.utf8.count <= 512 else {
                throw AdministrationRefusal("The return URL \(text) is longer than 512 bytes.", code: "malformed")
            }
            if url.kind == .https, let site, !url.lies(under: site) {
                throw AdministrationRefusal(
                    "The return URL \(text) is not under the site URL \(site.rawValue).", code: "contradiction")
            }
            return url.rawValue
        }
    }

    private static func takeLifetimes(
        of registration: ClientRegistration, into settings: inout ClientSettings
    ) throws {
        settings.accessTokenLifetime = try seconds(
            registration.accessTokenLifetime, in: 1...86_400, name: "access token lifetime")
        settings.refreshIdleLifetime = try seconds(
            registration.refreshIdleLifetime, in: 60...31_536_000, name: "refresh idle lifetime")
        settings.refreshAbsoluteLifetime = try seconds(
            registration.refreshAbsoluteLifetime, in: 60...31_536_000, name: "refresh absolute lifetime")
        let idle = settings.refreshIdleLifetime ?? 30 * 86_400
        let absolute = settings.refreshAbsoluteLifetime ?? 90 * 86_400
        guard idle <= absolute else {
            throw AdministrationRefusal(
                "The refresh idle lifetime (\(idle) s) is longer than the absolute one (\(absolute) s).",
                code: "contradiction")
        }
    }

    private static func seconds(_ value: Int?, in range: ClosedRange<Int>, name: String) throws -> Int64? {
        guard let value else { return nil }
        guard range.contains(value) else {
            throw AdministrationRefusal(
                "The \(name) must be between \(range.lowerBound) and \(range.upperBound) seconds.", code: "malformed")
        }
        return Int64(value)
    }
}
