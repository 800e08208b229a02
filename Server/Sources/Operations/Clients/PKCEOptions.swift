internal import ArgumentParser
internal import Kernel
internal import WalletAuthWire

/// Whether a client's authorization requests may do without PKCE, by one of two flags.
struct PKCEOptions: ParsableArguments {
    @Flag var flags: [PKCEFlag] = []

    func validate() throws {
        guard Set(flags).count <= 1 else {
            throw ValidationError("use either --require-pkce or --without-pkce, not both")
        }
    }

    /// `nil` if neither flag is given.
    var withoutPKCE: Bool? { flags.first.map { $0 == .withoutPKCE } }
}

enum PKCEFlag: EnumerableFlag {
    case requirePKCE
    case withoutPKCE

    static func name(for value: PKCEFlag) -> NameSpecification {
        switch value {
        case .requirePKCE: .customLong("require-pkce")
        case .withoutPKCE: .customLong("without-pkce")
        }
    }

    static func help(for value: PKCEFlag) -> ArgumentHelp? {
        switch value {
        case .requirePKCE: "Every authorization request needs PKCE; the default."
        case .withoutPKCE:
            """
            A confidential client of another party, whose library sends no PKCE, may send a nonce instead. The client must \
            compare it with the one in its ID token.
            """
        }
    }
}

extension ClientRegistration {
    /// PKCE is left out only where a nonce can take its place, and where a stolen code is worth little: never for an app, which has no
    /// secret, nor for a client of the operator's own, whose sessions can do more.
    func checkPKCE(_ redirectURIs: [RedirectURI], in environment: ServerSettings.Environment) throws {
        guard settings.withoutPKCE else { return }
        guard kind == .confidential else {
            throw AdministrationRefusal(
                "An app has no secret: it always needs PKCE. Leave out --without-pkce.", code: "contradiction")
        }
        guard !settings.firstParty, !settings.guestTokens else {
            throw AdministrationRefusal(
                "A client of your own always needs PKCE: leave out --without-pkce, or make the client another party's.",
                code: "contradiction")
        }
        // Another program would redeem a code that it cannot tie to a request.
        guard settings.redeemer == nil else {
            throw AdministrationRefusal(
                "A client without PKCE redeems its codes itself: leave out --redeemer.", code: "contradiction")
        }
        guard scopes.contains("openid") else {
            throw AdministrationRefusal(
                "Without PKCE, the nonce in the ID token protects the code: --without-pkce needs the scope openid.",
                code: "contradiction")
        }
        guard !redirectURIs.isEmpty, redirectURIs.allSatisfy({ $0.isProtected(in: environment) }) else {
            throw AdministrationRefusal(
                "--without-pkce needs redirect URIs, and all of them with https; a sandbox also takes http on loopback.",
                code: "contradiction")
        }
    }
}

extension RedirectURI {
    /// Whether a code gets there over TLS. In a sandbox, a loopback address is as good.
    func isProtected(in environment: ServerSettings.Environment) -> Bool {
        kind == .https || (environment == .sandbox && (kind == .loopback || kind == .localhost))
    }
}
