internal import Kernel
internal import Store
internal import WalletAuthWire

extension ClientRegistration {
    /// Checks a client under the FAPI 2.0 Security Profile (§5.3.2, §5.4.1). What no other setting contradicts, as pushed requests and
    /// bound tokens, registration completes.
    func checkProfile(
        _ method: RegisteredAuthenticationMethod, _ redirectURIs: [RedirectURI],
        in environment: ServerSettings.Environment
    ) throws {
        guard settings.fapi else { return }
        let unprotected = redirectURIs.first { !$0.isProtected(in: environment) }
        let rules: [(holds: Bool, sentence: String)] = [
            (
                method == .privateKeyJWT,
                """
                is for confidential clients with private_key_jwt, and without a secret: create the client with --confidential, \
                --auth-method private_key_jwt, and --jwks or --jwks-uri.
                """
            ),
            (
                !settings.guestTokens,
                "binds every token to a key, and guest tokens are bearer tokens: leave out --fapi."
            ),
            (settings.requiresDPoP != false, "binds every token to a key: leave out --allow-bearer."),
            (!settings.withoutPKCE, "requires PKCE: leave out --without-pkce, or add --require-pkce."),
            (
                settings.idTokenAlgorithm != SigningAlgorithm.rs256.rawValue,
                "has no RS256: sign its ID tokens with --id-token-algorithm ES256 or EdDSA."
            ),
            (
                unprotected == nil,
                "needs redirect URIs with https: replace \(CommandLineSyntax.quoted(unprotected?.rawValue ?? ""))."
            ),
            (
                settings.redeemer == nil,
                "has the client redeem its codes itself: leave out --redeemer, or give an empty one in an update."
            ),
            (
                !settings.deviceGrant,
                "begins each sign-in with a pushed request: leave out --device-grant, or add --no-device-grant."
            ),
            (
                settings.backchannelMode == nil,
                "begins each sign-in with a pushed request: leave out --ciba, or give an empty one in an update."
            ),
        ]
        guard let broken = rules.first(where: { !$0.holds }) else { return }
        throw AdministrationRefusal("The FAPI 2.0 profile \(broken.sentence)", code: "contradiction")
    }

    /// Puts a client under the profile or takes it out.
    mutating func applyProfile(_ change: ClientChange) throws {
        settings.fapi = change.requests.fapi ?? settings.fapi
        // Proofs come with the profile; only what the same command says can contradict it.
        if change.requests.fapi == true { settings.requiresDPoP = change.binding.requiresDPoP ?? true }
        guard !settings.fapi || change.requests.requirePar != false else {
            throw AdministrationRefusal(
                "The FAPI 2.0 profile requires pushed requests: leave out --no-require-par, or add --no-fapi.",
                code: "contradiction")
        }
    }
}

extension Clients {
    /// Checks that a client redeems no other's codes, which no client under the profile does.
    static func checkRedeemsNone(_ id: String, on connection: any SQLConnection) throws {
        guard let other = try redeemed(by: id, on: connection).first else { return }
        throw AdministrationRefusal(
            """
            The FAPI 2.0 profile has a client redeem its own codes alone, and it redeems those of \(other.id): first use \
            client update \(other.id) --redeemer with another client, or an empty one.
            """, code: "contradiction")
    }
}
