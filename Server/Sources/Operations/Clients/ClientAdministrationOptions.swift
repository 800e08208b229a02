internal import ArgumentParser
internal import Kernel

/// What a client may do at `/admin/v1`. It takes the scope `admin` as well.
struct ClientAdministrationOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            """
            The role of a backend that administers the server for itself, with the scope admin: \(OperatorRole.listed). \
            An app with that scope has the role of the person who signs in.
            """, valueName: "role"),
        completion: .list(OperatorRole.allCases.map(\.rawValue)))
    var adminRole: String?

    @Flag(help: "The role reaches every brand, and not only the client's own.")
    var adminAllBrands = false

    var isRequested: Bool { adminRole != nil || adminAllBrands }
}

extension ClientRegistration {
    /// A token with the scope `admin` is never good without a key: not the person's, nor the backend's.
    /// - Parameter isBound: whether every token needs a proof of a key.
    func checkAdministration(isBound: Bool) throws(AdministrationRefusal) {
        if let role = settings.adminRole, OperatorRole(rawValue: role) == nil {
            throw AdministrationRefusal("--admin-role must be one of \(OperatorRole.listed).", code: "malformed")
        }
        guard scopes.contains(Operators.scope) else {
            guard settings.adminRole == nil, !settings.adminAllBrands else {
                throw AdministrationRefusal(
                    "--admin-role and --admin-all-brands need the scope admin: add --scope admin.",
                    code: "contradiction")
            }
            return
        }
        // It would hold the tokens of the operators.
        guard settings.redeemer == nil else {
            throw AdministrationRefusal(
                "A client with the scope admin redeems its codes itself: leave out --redeemer.", code: "contradiction")
        }
        switch kind {
        case .public:
            guard settings.firstParty, isBound else {
                throw AdministrationRefusal(
                    "Only an app of your own whose tokens are bound to a key may have the scope admin: add "
                        + "--first-party, and leave out --allow-bearer.", code: "contradiction")
            }
            guard settings.adminRole == nil, !settings.adminAllBrands else {
                throw AdministrationRefusal(
                    "In an app, the person who signs in has the role: leave out --admin-role and --admin-all-brands.",
                    code: "contradiction")
            }
        case .confidential:
            guard authenticationMethod == RegisteredAuthenticationMethod.privateKeyJWT.rawValue, isBound,
                settings.jwksURI == nil, redirectURIs.isEmpty, settings.adminRole != nil
            else {
                throw AdministrationRefusal(
                    "A backend with the scope admin needs --auth-method private_key_jwt, --jwks, --require-dpop and "
                        + "--admin-role, and signs no one in: leave out --redirect-uri.", code: "contradiction")
            }
        }
    }
}
