internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire
internal import Web

/// Sign-out that a client asks for (OpenID Connect RP-Initiated Logout 1.0).
///
/// An ID token with this server's signature says which session of which client ends, and whose it is. The browser's session ends with it
/// if both are of one sign-in. Otherwise a page asks first, and ends the browser's session alone.
///
/// This folder owns the request, its check and its page. It does not own what ends: see `BrowserSessions` and `Kernel/Sessions`.
struct Logout: Sendable {
    let database: any Database
    let clock: any Clock
    let clients: ClientDirectory
    let sessions: BrowserSessionCookies
    let hints: IDTokenHints
    let seal: PageSeal
    let states: SealedState<LogoutState>
    let auditLog: AuditLog

    /// A client's request.
    /// - Throws: `MalformedValue` for parameters that cannot be read.
    func begin(
        _ parameters: FormParameters, cookies: BrowserCookies, origin: RequestOrigin
    ) async throws -> LogoutAnswer {
        let now = clock.now()
        var request = try LogoutRequest(parameters)
        try await hints.keyRing.refreshIfStale(now: now)
        let sent = try? parameters["id_token_hint"].map { try IDToken($0) }
        var hint = sent.flatMap { hints.claims(of: $0) }.flatMap(LogoutHint.init)
        if let hint {
            guard request.clientID == nil || request.clientID == hint.client else {
                return LogoutAnswer(outcome: .refused(.otherClient))
            }
            if try await clients.find(hint.client, now: now) != nil { request.clientID = hint.client }
        }
        let destination: Destination
        switch try await self.destination(of: request, now: now) {
        case .failure(let fault): return LogoutAnswer(outcome: .refused(fault))
        case .success(let found): destination = found
        }
        // It was deleted, and its sessions with it.
        if destination.client == nil { hint = nil }
        let session = try await sessions.find(cookies.session, now: now)
        if let session, hint?.isOfSignIn(in: session) != true {
            // The person's sign-in elsewhere: what the client has of it ends, and whether this browser's does too, the person says.
            if let hint, hint.account == session.accountID {
                try await end(hint, browser: nil, origin: origin, now: now)
            }
            return try await ask(about: session, request, destination, cookies: cookies, now: now)
        }
        // Nothing is there to end, and nothing in the address to hide.
        if session == nil, hint == nil, parameters["id_token_hint"] == nil, destination.location == nil {
            return LogoutAnswer(
                outcome: .signedOut(try await appearance(of: destination.client), locales: request.locales))
        }
        if let hint { try await end(hint, browser: cookies.session, origin: origin, now: now) }
        return try await over(request, destination, ending: session != nil)
    }

    /// The button of the page.
    func submit(
        request sealed: String, csrf: String, cookies: BrowserCookies
    ) async throws -> LogoutAnswer {
        let now = clock.now()
        guard let state = states.open(sealed, now: now) else { return LogoutAnswer(outcome: .refused(.stalePage)) }
        let destination: Destination
        switch try await self.destination(of: state.request, now: now) {
        case .failure(let fault): return LogoutAnswer(outcome: .refused(fault))
        case .success(let found): destination = found
        }
        guard let session = try await sessions.find(cookies.session, now: now) else {
            // The form has arrived twice, or the person has signed out elsewhere.
            return try await over(state.request, destination, ending: false)
        }
        guard let binding = cookies.binding, ConstantTime.equal(state.binding, PageSeal.digest(of: binding)),
            seal.isGenuine(csrf, for: sealed, binding: binding, now: now), session.idHash == state.session
        else { return LogoutAnswer(outcome: .refused(.stalePage)) }
        try await sessions.end(cookies.session)
        return try await over(state.request, destination, ending: true)
    }

    // MARK: - The client

    /// Where the browser goes in the end.
    private struct Destination: Sendable {
        /// The client that asks, if it is known.
        var client: RegisteredClient?
        /// Its registered URI with the state; `nil` to stay here.
        var location: String?
    }

    /// Without a client, no URI is registered, and the browser stays here.
    private func destination(
        of request: LogoutRequest, now: Timestamp
    ) async throws -> Result<Destination, LogoutFault> {
        guard let id = request.clientID else { return .success(Destination()) }
        guard let client = try await clients.find(id, now: now) else { return .failure(.unknownClient) }
        guard let text = request.returnURI else { return .success(Destination(client: client)) }
        guard let uri = try? RedirectURI(text), client.allows(postLogoutRedirectURI: uri) else {
            return .failure(
                .unregisteredURI(RedirectMismatch(received: text, registered: client.postLogoutRedirectURIs)))
        }
        var parameters = FormParameters()
        parameters.append("state", request.state?.rawValue)
        return .success(Destination(client: client, location: uri.appending(parameters)))
    }

    private func appearance(of client: RegisteredClient?) async throws -> BrandAppearance {
        try await .of(client?.accountBrand ?? BrandID(BrandSettings.defaultBrand), in: database)
    }

    // MARK: - The end

    /// Ends the session of the browser and that of the client, in one transaction.
    /// - Parameter cookie: the browser's; `nil` to end the client's alone.
    private func end(
        _ hint: LogoutHint, browser cookie: String?, origin: RequestOrigin, now: Timestamp
    ) async throws {
        try await sessions.end(cookie) { connection in
            guard let id = hint.session, let session = try Sessions.find(id, on: connection)?.facts,
                session.accountID == hint.account, session.clientID == hint.client.rawValue,
                try Sessions.end(id, because: .signedOut, now: clock.writeTime(since: now), on: connection)
            else { return }
            try auditLog.entry(
                AccountSessionEvent.signedOut, account: session.accountID, client: session.clientID, origin: origin,
                now: now, details: .naming(session: id)
            ).telling(client: session.signedInTo).write(on: connection)
        }
    }

    /// - Parameter isEnding: whether the browser was signed in.
    private func over(
        _ request: LogoutRequest, _ destination: Destination, ending isEnding: Bool
    ) async throws -> LogoutAnswer {
        let cookies: [CookieChange] =
            isEnding
            ? [CookieChange(cookie: .session), CookieChange(cookie: .binding, value: seal.newBinding())] : []
        guard let location = destination.location, let client = destination.client else {
            let page = hints.issuer.url(path: Endpoints.endSession.path)
            return LogoutAnswer(outcome: .plain(location: request.plainAddress(at: page)), cookies: cookies)
        }
        let way = LogoutReturn(
            location: location, app: client.name, appearance: try await appearance(of: client),
            locales: request.locales)
        return LogoutAnswer(outcome: .leave(way), cookies: cookies)
    }

    private func ask(
        about session: BrowserSessionRecord, _ request: LogoutRequest, _ destination: Destination,
        cookies: BrowserCookies, now: Timestamp
    ) async throws -> LogoutAnswer {
        let binding = seal.binding(cookies.binding)
        let state = LogoutState(request: request, binding: PageSeal.digest(of: binding), session: session.idHash)
        let sealed = try states.seal(state, now: now)
        let names = try await database.read { try Accounts.names(of: session.accountID, on: $0) }
        let page = LogoutPage(
            request: sealed, csrf: seal.token(for: sealed, binding: binding, key: try seal.keyRing.active(.page)),
            username: names.first ?? "", location: destination.location,
            appearance: try await appearance(of: destination.client), locales: request.locales)
        return LogoutAnswer(
            outcome: .asking(page),
            cookies: binding == cookies.binding ? [] : [CookieChange(cookie: .binding, value: binding)])
    }
}

/// Whom a genuine ID token names, and which session of which client.
private struct LogoutHint: Sendable {
    var account: UniqueID
    var client: ClientID
    var session: UniqueID?
    /// When the person signed in; `nil` if that was for a device that another one showed.
    private var signedInAt: NumericDate?

    /// Whether it comes from the sign-in that opened a browser's session.
    func isOfSignIn(in browser: BrowserSessionRecord) -> Bool {
        account == browser.accountID && signedInAt?.secondsSince1970 == browser.authTime.seconds
    }

    /// - Returns: `nil` for an ID token that is not for exactly one client.
    init?(_ claims: IDTokenClaims) {
        guard claims.audience.count == 1, let client = claims.audience.first.flatMap({ try? ClientID($0) }),
            let account = UniqueID(uuid: claims.subject)
        else { return nil }
        self.account = account
        self.client = client
        signedInAt = claims.amr.contains(AuthenticationStrength.userCode) ? nil : claims.authenticatedAt
        session = claims.sessionID.flatMap { try? SessionID($0) }.flatMap { UniqueID(bytes: $0.bytes) }
    }
}
