import AppleStandIn
import Core
import HTTPTypes
import Kernel
import Operations
import Tokens
import WalletAuthWire
import Web

/// The sandbox's first page at `/`: it creates an account and a client, and makes a test sign-in. Only a sandbox has these routes, and they
/// answer only this machine.
///
/// The test sign-in is a client of its own, which redeems its code and reads userinfo as any other would, without the network between.
struct SandboxEndpoints: Sendable {
    private let pages: Pages
    private let accounts: AccountAdministration
    private let clients: ClientAdministration
    private let tokens: Tokens
    private let hosts: LocalHosts
    private let issuer: Issuer
    private let creations: SealedState<SandboxCreation>
    private let signIns: SealedState<SandboxSignedIn>
    private let clock: any Clock
    private let random: any RandomBytes

    static let pages: [any PageValues.Type] = [SandboxHomeValues.self, SandboxSignInValues.self]

    private static let root = "/"
    private static let accountsPath = "/sandbox/accounts"
    private static let clientsPath = "/sandbox/clients"
    static let signInPath = "/sandbox/sign-in"
    private static let callbackPath = "/sandbox/sign-in/callback"
    private static let signedInPath = "/sandbox/sign-in/done"
    private static let scope = "openid profile email"
    /// The redirect URI of a created client, as on Linux, where the SDK opens a listener for it.
    /// Where an iPhone's app and a program on Linux receive the callback.
    private static let appRedirectURI = "com.example.wallet:/callback"
    private static let loopbackRedirectURI = "http://127.0.0.1/callback"

    init(
        pages: Pages, accounts: AccountAdministration, clients: ClientAdministration, tokens: Tokens,
        sealing: SealingKeys, clock: any Clock, random: any RandomBytes
    ) {
        self.pages = pages
        self.accounts = accounts
        self.clients = clients
        self.tokens = tokens
        self.clock = clock
        self.random = random
        creations = SealedState(sealing, purpose: .page, label: "sandbox-creation", lifetime: .seconds(3600))
        signIns = SealedState(sealing, purpose: .page, label: "sandbox-sign-in", lifetime: .seconds(3600))
        issuer = pages.issuer
        hosts = LocalHosts(issuer: issuer)
    }

    var routes: [Route] {
        [
            Route(.get, Self.root, .page, home),
            Route(.post, Self.accountsPath, body: .form, .page, createAccount),
            Route(.post, Self.clientsPath, body: .form, .page, createClient),
            Route(.get, Self.signInPath, .page, beginSignIn),
            Route(.get, Self.callbackPath, .page, finishSignIn),
            Route(.get, Self.signedInPath, .page, signedIn),
        ]
    }

    @Sendable func home(_ request: EndpointRequest) async throws -> EndpointResponse {
        try check(request, at: Self.root)
        return page(
            try request.query()["created"].flatMap { creations.open($0, now: clock.now()) }, request.language)
    }

    // MARK: - An account and a client

    @Sendable func createAccount(_ request: EndpointRequest) async throws -> EndpointResponse {
        if let refusal = try refusal(of: request, at: Self.accountsPath) { return refusal }
        let name = "ada-" + Self.digits(random.bytes(6))
        let password = Base64URL.encode(random.bytes(12))
        var registration = AccountRegistration(username: name, password: password)
        let email = "\(name)@example.com"
        registration.email = email
        registration.emailVerified = true
        registration.profile.locale = request.language.rawValue
        let made = try await accounts.create(registration).document()
        return try show(
            .account(id: made["accountId"]?.string ?? "", username: name, email: email, password: password))
    }

    @Sendable func createClient(_ request: EndpointRequest) async throws -> EndpointResponse {
        if let refusal = try refusal(of: request, at: Self.clientsPath) { return refusal }
        var registration = ClientRegistration(name: "My app", kind: .public)
        registration.redirectURIs = [Self.appRedirectURI, Self.loopbackRedirectURI]
        registration.scopes = Self.scope.split(separator: " ").map(String.init) + ["offline_access"]
        registration.firstParty = true
        // The app may be the terminal wallet, or run in a simulator: their passkeys are in software.
        registration.passkeyOrigins = PasskeyRelyingParty(issuer: issuer).map { [$0.appleOrigin] } ?? []
        let made = try await clients.create(registration).document()
        return try show(.client(id: made["clientId"]?.string ?? ""))
    }

    /// Sends the browser to the page that shows what a button created. Loading that page again creates nothing.
    private func show(_ creation: SandboxCreation) throws -> EndpointResponse {
        var query = FormParameters()
        query.append("created", try creations.seal(creation, now: clock.now()))
        return EndpointResponse(
            status: .seeOther, headers: [.location: issuer.pathPrefix + Self.root + "?" + query.encoded])
    }

    private static func digits(_ bytes: [UInt8]) -> String { bytes.map { String($0 % 10) }.joined() }

    private func page(_ creation: SandboxCreation?, _ language: Language) -> EndpointResponse {
        let path = { issuer.pathPrefix + $0 }
        let text = language.sandbox
        return pages.sandboxHome(
            SandboxHomeValues(
                created: creation.map { values(of: $0, language) },
                tasks: [
                    .init(
                        heading: text[.accountHeading], lead: text[.accountLead], action: path(Self.accountsPath),
                        button: text[.accountLabel]),
                    .init(
                        heading: text[.clientHeading], lead: text[.clientLead], action: path(Self.clientsPath),
                        button: text[.clientLabel]),
                ],
                signIn: .init(
                    heading: text[.signInHeading], lead: text[.signInLead], address: path(Self.signInPath),
                    label: text[.signInLabel]),
                pagesHeading: text[.pagesHeading],
                links: [
                    .init(
                        address: path(PageEndpoints.outboxPath), label: text[.outboxHeading], note: text[.outboxNote]),
                    .init(
                        address: path(Endpoints.accountPage.path), label: text[.accountPageLabel],
                        note: [text[.accountNote], passkeyNote(text)].compactMap(\.self).joined(separator: ". ")),
                    .init(
                        address: path(AppleStandInEndpoints.root), label: text[.standIn], note: text[.standInNote]),
                ], scriptSource: creation == nil ? nil : pages.assetPath(pages.assets.copyScriptName)), language)
    }

    /// Why no page has passkeys; `nil` where they work.
    private func passkeyNote(_ text: Texts<SandboxText>) -> String? {
        guard PasskeyRelyingParty(issuer: issuer) == nil else { return nil }
        return text[.passkeyNote, ["issuer": "http://localhost:\(issuer.port)"]]
    }

    private func values(of creation: SandboxCreation, _ language: Language) -> SandboxHomeValues.Created {
        let text = language.sandbox
        switch creation {
        case .account(let id, let username, let email, let password):
            var query = FormParameters()
            query.append("login_hint", username)
            return .init(
                heading: text[.accountCreated], lead: text[.accountCreatedLead],
                facts: [
                    .init(name: text[.accountIDLabel], value: id),
                    .init(name: language.text[.usernameLabel], value: username),
                    .init(name: text[.emailLabel], value: email),
                    .init(name: language.text[.passwordLabel], value: password, copy: CopyButton(in: language)),
                ], code: nil, copyCode: nil,
                next: LinkValues(
                    address: issuer.pathPrefix + Self.signInPath + "?" + query.encoded,
                    label: text[.signInAsLabel, ["user": username]]))
        case .client(let id):
            return .init(
                heading: text[.clientCreated], lead: text[.clientCreatedLead],
                facts: [
                    .init(name: text[.clientIDLabel], value: id),
                    .init(name: text[.redirectLabel], value: Self.appRedirectURI),
                    .init(name: text[.redirectLabel], value: Self.loopbackRedirectURI),
                ],
                code: """
                    import Foundation
                    import WalletAuth
                    #if os(Linux)
                        import FoundationNetworking
                        import WalletAuthLoopback
                    #endif

                    let issuer = URL(string: "\(issuer.rawValue)")!
                    let clientID = "\(id)"
                    #if os(Linux)
                        let callback = URL(string: "\(Self.loopbackRedirectURI)")!
                        let ports: Wallet.Ports? = .linux(
                            clientID: clientID, userAgent: LoopbackUserAgent(opener: SystemBrowser.openOrPrint))
                    #else
                        let callback = URL(string: "\(Self.appRedirectURI)")!
                        let ports: Wallet.Ports? = nil
                    #endif
                    do {
                        let wallet = try Wallet(configuration: .init(
                            environment: .sandbox(issuer: issuer), clientID: clientID,
                            signIn: .full(redirectURI: callback), scopes: ["openid", "profile"], ports: ports))
                        try await wallet.restore()   // at launch
                        try await wallet.signIn()    // from a button
                        let (data, _) = try await wallet.perform(URLRequest(url: issuer.appending(path: "oauth2/userinfo")))
                        print(String(decoding: data, as: UTF8.self))
                    } catch {
                        print(error)
                    }
                    """, copyCode: CopyButton(in: language), next: nil)
        }
    }

    // MARK: - The test sign-in

    /// Sends the browser to the sign-in, with a challenge whose verifier it keeps in a cookie.
    @Sendable func beginSignIn(_ request: EndpointRequest) async throws -> EndpointResponse {
        try check(request, at: Self.signInPath)
        try await registerTestClient()
        let attempt = SandboxSignIn(
            verifier: try CodeVerifier(random: random.bytes(32)), state: Base64URL.encode(random.bytes(16)),
            nonce: Base64URL.encode(random.bytes(16)))
        var query = FormParameters()
        query.append("response_type", "code")
        query.append("client_id", ClientRegistration.sandboxSignInID)
        query.append("redirect_uri", issuer.url(path: Self.callbackPath))
        query.append("scope", Self.scope)
        query.append("state", attempt.state)
        query.append("nonce", attempt.nonce)
        query.append("login_hint", try request.query()["login_hint"])
        query.append("code_challenge", CodeChallenge(verifier: attempt.verifier).rawValue)
        query.append("code_challenge_method", "S256")
        return EndpointResponse(
            status: .seeOther,
            headers: [
                .location: issuer.pathPrefix + Endpoints.authorize.path + "?" + query.encoded,
                .setCookie: attempt.cookie(path: issuer.pathPrefix + Self.callbackPath),
            ])
    }

    /// Redeems the code, and sends the browser to what the ID token and userinfo say: a code is worth nothing when this is loaded again.
    @Sendable func finishSignIn(_ request: EndpointRequest) async throws -> EndpointResponse {
        try check(request, at: Self.callbackPath)
        let answer = try request.query()
        guard let attempt = SandboxSignIn(request.headers) else {
            return pages.fault(.expiredPage, status: .badRequest, code: nil, request.context)
        }
        // The browser keeps one attempt, the newest.
        guard answer["state"] == attempt.state else {
            return pages.sandboxSignIn(.superseded, again: again, request.language)
        }
        if let error = answer["error"] {
            return pages.sandboxSignIn(
                .refused(error, answer["error_description"]), again: again, request.language)
        }
        let client = ClientAuthentication.none(try ClientID(ClientRegistration.sandboxSignInID))
        let outcome = try await tokens.grants.token(
            TokenRequest(
                client: client,
                grant: .authorizationCode(
                    AuthorizationCode(try answer.required("code")),
                    redirectURI: RedirectURI(issuer.url(path: Self.callbackPath)), verifier: attempt.verifier)),
            proof: PresentedProof(header: nil, method: "POST", path: Endpoints.token.path), origin: request.origin)
        guard case .success(let granted) = outcome else {
            return pages.fault(.expiredPage, status: .badRequest, code: nil, request.context)
        }
        let claims = try granted.idToken.map { try SandboxSignIn.claims(of: $0) } ?? JSONObject()
        let known = try await tokens.userInfo.claims(
            .bearer(granted.accessToken),
            proof: PresentedProof(header: nil, method: "GET", path: Endpoints.userInfo.path))
        guard case .success(let userInfo) = known, claims["nonce"]?.string == attempt.nonce else {
            return pages.fault(.expiredPage, status: .badRequest, code: nil, request.context)
        }
        // Nothing uses the session from here on, and the account's list would have one more row for each try.
        _ = try await tokens.revocation.revoke(
            TokenStateRequest(client: client, token: PresentedToken(granted.accessToken.reveal())),
            proof: PresentedProof(header: nil, method: "POST", path: Endpoints.revoke.path), origin: request.origin)
        var query = FormParameters()
        query.append(
            "result",
            try signIns.seal(
                SandboxSignedIn(
                    idToken: String(decoding: claims.bytes, as: UTF8.self),
                    userInfo: String(decoding: userInfo.claims.bytes, as: UTF8.self)), now: clock.now()))
        return EndpointResponse(
            status: .seeOther, headers: [.location: issuer.pathPrefix + Self.signedInPath + "?" + query.encoded])
    }

    /// The claims of a test sign-in that is over.
    @Sendable func signedIn(_ request: EndpointRequest) async throws -> EndpointResponse {
        try check(request, at: Self.signedInPath)
        guard let kept = try signIns.open(request.query().required("result"), now: clock.now()) else {
            return pages.fault(.expiredPage, status: .badRequest, code: nil, request.context)
        }
        return pages.sandboxSignIn(
            .done(
                idToken: try JSONValue.object(parsing: Array(kept.idToken.utf8)),
                userInfo: try JSONValue.object(parsing: Array(kept.userInfo.utf8))), again: again, request.language)
    }

    private var again: (signIn: String, home: String) {
        (issuer.pathPrefix + Self.signInPath, issuer.pathPrefix + Self.root)
    }

    /// Registers the client of the test sign-in, unless it is.
    private func registerTestClient() async throws {
        var registration = ClientRegistration(name: "Test sign-in", kind: .public)
        registration.id = ClientRegistration.sandboxSignInID
        registration.redirectURIs = [issuer.url(path: Self.callbackPath)]
        registration.scopes = Self.scope.split(separator: " ").map(String.init)
        registration.firstParty = true
        // Tokens without a key: the browser keeps none for it.
        registration.requiresDPoP = false
        do { _ = try await clients.create(registration) } catch let refusal as AdministrationRefusal {
            guard refusal.code == "taken" else { throw refusal }
        }
    }

    // MARK: - Who may call

    /// - Throws: ``RequestFault/unknownPath`` for any other machine, as in production.
    private func check(_ request: EndpointRequest, at path: String) throws(RequestFault) {
        guard request.context.client.isDirectLoopback else { throw .unknownPath }
        try hosts.check(request, at: path)
    }

    /// The refusal of a form that another site sent.
    private func refusal(of request: EndpointRequest, at path: String) throws -> EndpointResponse? {
        try check(request, at: path)
        guard !hosts.isOfThisSite(request) else { return nil }
        return pages.fault(
            .malformedRequest("The form was sent by another site."), status: .forbidden, code: "access_denied",
            request.context)
    }
}

/// What a button of the first page created, sealed in the address of the page that shows it.
private enum SandboxCreation: Codable, Sendable {
    case account(id: String, username: String, email: String, password: String)
    case client(id: String)
}

/// What a test sign-in ended with, as JSON, sealed in the address of the page that shows it.
private struct SandboxSignedIn: Codable, Sendable {
    let idToken: String
    let userInfo: String
}

/// A test sign-in under way, as the browser keeps it.
private struct SandboxSignIn {
    let verifier: CodeVerifier
    let state: String
    let nonce: String

    private static let name = "wa_sandbox_sign_in"

    init(verifier: CodeVerifier, state: String, nonce: String) {
        self.verifier = verifier
        self.state = state
        self.nonce = nonce
    }

    /// - Returns: `nil` without the cookie.
    init?(_ headers: HTTPFields) {
        let pairs = headers[values: .cookie].flatMap { field in
            field.split(separator: ";").map { pair in pair.drop { $0 == " " } }
        }
        guard let pair = pairs.first(where: { $0.hasPrefix(Self.name + "=") }) else { return nil }
        let parts = pair.dropFirst(Self.name.count + 1).split(separator: ".").map(String.init)
        guard parts.count == 3, let verifier = try? CodeVerifier(parts[0]) else { return nil }
        self.init(verifier: verifier, state: parts[1], nonce: parts[2])
    }

    func cookie(path: String) -> String {
        "\(Self.name)=\(verifier.reveal()).\(state).\(nonce); Path=\(path); HttpOnly; SameSite=Lax; Max-Age=3600"
    }

    /// The claims of an ID token from this very server, whose signature needs no check here.
    static func claims(of token: IDToken) throws -> JSONObject {
        try JSONValue.object(parsing: CompactJWS(token.reveal()).unverifiedPayload)
    }
}
