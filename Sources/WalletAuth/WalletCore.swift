import Crypto
import Foundation
import WalletAuthTransport
import WalletAuthWire

/// Assembles the parts of a wallet and runs its calls.
final class WalletCore: Sendable {
    let configuration: Wallet.Configuration
    let keeper: SessionKeeper
    let logoutHooks = LogoutHooks()
    let discovery: ServerDiscovery
    let receiver: CallbackReceiver
    let tokens: TokenRenewer
    let revoker: Revoker
    let external: ExternalTokens
    let browser: BrowserSignIn
    let binding: DeviceBinding
    let redemption: CodeRedemption
    let nativeLogin: NativeLogin
    let appleCredentials: AppleCredentialWatch
    let detailsCall: AuthenticationDetailsCall
    let calls: SessionCalls
    let consentCalls: ConsentCalls
    let consents: PendingConsents
    let consentPages: ConsentPages
    let enroller: DeviceEnroller
    let deviceAuthentication: DeviceAuthentication
    let time: any TimeSource
    let log: DiagnosticsLog
    private let settingUp = SingleFlight<Wallet.SetUpOutcome>(.endsWithItsLastCaller)

    var changes: TokenChangeBroadcast { keeper.changes }

    init(configuration: Wallet.Configuration) throws {
        self.configuration = configuration
        let checked = try CheckedConfiguration(configuration)
        let ports = configuration.ports ?? Wallet.Ports.platform(for: configuration)
        let namespace = checked.namespace
        time = ports.time
        let environment = configuration.environment
        let clock = ServerClock(time: ports.time)
        keeper = SessionKeeper(store: ports.store, time: ports.time, clock: clock, namespace: namespace)
        let exchange = Exchange(transport: ports.transport, time: ports.time, clock: clock)
        log = DiagnosticsLog(clock: clock)
        discovery = ServerDiscovery(issuer: checked.issuer, environment: environment, exchange: exchange)
        binding = DeviceBinding(keys: ports.keys, store: ports.store, namespace: namespace)
        let endpoint = TokenEndpointClient(
            clientID: checked.clientID, exchange: exchange, discovery: discovery, binding: binding)
        let grants = SessionGrant(issuer: checked.issuer, clientID: checked.clientID)
        revoker = Revoker(keeper: keeper, endpoint: endpoint, log: log)
        redemption = CodeRedemption(keeper: keeper, endpoint: endpoint, grants: grants, revoker: revoker)
        receiver = CallbackReceiver(keeper: keeper, discovery: discovery, issuer: checked.issuer)
        tokens = TokenRenewer(
            keeper: keeper, endpoint: endpoint, grants: grants, binding: binding, time: ports.time,
            log: log, revoker: revoker)
        let destinations = TokenDestinations(
            environment: environment, listed: configuration.resources.listed)
        appleCredentials = AppleCredentialWatch(
            states: ports.appleCredentials, keeper: keeper, revoker: revoker, time: ports.time,
            log: log)
        external = ExternalTokens(
            keeper: keeper, discovery: discovery, exchange: exchange, binding: binding, destinations: destinations,
            time: ports.time)
        browser = BrowserSignIn(
            configuration: configuration, clientID: checked.clientID, userAgent: ports.userAgent, keeper: keeper,
            discovery: discovery,
            binding: binding, receiver: receiver, redemption: redemption)
        detailsCall = AuthenticationDetailsCall(
            issuer: checked.issuer, keeper: keeper, exchange: exchange, environment: environment)
        calls = SessionCalls(
            issuer: checked.issuer, exchange: exchange, discovery: discovery, tokens: tokens, binding: binding,
            destinations: destinations)
        consentCalls = ConsentCalls(calls: calls, keeper: keeper)
        consents = PendingConsents(store: ports.store, keeper: keeper, namespace: namespace)
        consentPages = ConsentPages(
            userAgent: ports.userAgent, returnURL: configuration.pageReturnURL, environment: environment)
        enroller = DeviceEnroller(
            issuer: checked.issuer, namespace: namespace, keys: ports.keys,
            enrollments: EnrollmentStore(store: ports.store, namespace: namespace), calls: calls, tokens: tokens,
            keeper: keeper, binding: binding)
        nativeLogin = NativeLogin(
            clientID: checked.clientID, scopes: configuration.scopes, merchantID: configuration.merchantID,
            exchange: exchange, discovery: discovery, binding: binding, redemption: redemption, enroller: enroller,
            log: log)
        deviceAuthentication = DeviceAuthentication(
            enroller: enroller, exchange: exchange, discovery: discovery, binding: binding, tokens: tokens,
            nativeLogin: nativeLogin, log: log, extensionStorage: ExtensionStorage(),
            history: ApprovalHistory(
                enrollments: enroller.enrollments, namespace: namespace, clock: clock,
                log: log),
            biometricLimit: BiometricLimit(
                policy: configuration.biometricPolicy, store: ports.store, clock: clock, discovery: discovery))
    }

    // MARK: What memory knows

    var isLoggedIn: Bool {
        switch keeper.reading() {
        case .notLoaded, .signedOut: false
        case .fresh, .aging: true
        case .expired: keeper.snapshot.holding?.session.refreshToken != nil
        }
    }

    var identity: Wallet.SignedInIdentity? {
        guard let session = keeper.snapshot.holding?.session else { return nil }
        return Wallet.SignedInIdentity(
            subject: session.owner.subject, merchantID: session.owner.merchantID, sessionID: session.owner.sessionID,
            scopes: session.scopes, tokenType: session.tokenType, accessTokenExpiresAt: session.life.endsAt?.date,
            acr: session.authentication?.acr, authenticatedAt: session.authentication?.authenticatedAt?.date)
    }

    /// Runs one call to the issuer's resources for the signed-in account.
    /// - Parameters:
    ///   - isRepeatable: marks a call that may be repeated after a lost response.
    ///   - body: the body, checked before anything is sent.
    ///   - read: reads the members of the response.
    func call<Answer>(
        _ operation: WalletError.Operation, _ method: Endpoint.Method, _ path: String,
        _ body: @autoclosure () throws -> JSONObject? = nil, isRepeatable: Bool = false,
        _ read: (JSONObject) throws -> Answer = { _ in }
    ) async throws -> Answer {
        try await log.during(operation) {
            try read(
                try await calls.send(
                    method, path, try body(), idempotencyKey: isRepeatable ? Randomness.token() : nil,
                    during: operation))
        }
    }

    // MARK: Tokens

    func refresh() async throws {
        if case .notLoaded = keeper.reading() {
            try await log.during(.refresh) { try await keeper.load() }
        }
        guard let holding = keeper.snapshot.holding else {
            // Throws the reason no one is signed in.
            _ = try await tokens.ticket(of: nil, during: .refresh)
            return
        }
        guard holding.origin == .stored else {
            throw WalletError(
                .wrongSignInMode, .misconfigured, during: .refresh, reason: "the app renews this session")
        }
        try await tokens.renew(holding.ticket)
    }

    // MARK: Setting up

    func setUp() async throws -> Wallet.SetUpOutcome {
        try await settingUp.run { [self] in
            // Even if this throws: revocations of earlier sign-outs do not wait for a sign-in.
            defer { revoker.sendInBackground() }
            return try await log.during(.setUp) { try await signInIfNeeded() }
        }
    }

    private func signInIfNeeded() async throws -> Wallet.SetUpOutcome {
        appleCredentials.begin()
        if case .external(let token, let expiresAt) = configuration.signIn {
            if keeper.snapshot.holding != nil, isLoggedIn { return .restored }
            try await external.begin(token, expiresAt: expiresAt)
            return .signedIn
        }
        try await keeper.load()
        await appleCredentials.check()
        // A page in the browser may stay open indefinitely.
        revoker.sendInBackground()
        if try await restore() { return .restored }
        switch configuration.signIn {
        case .full(let redirectURI):
            switch try await browser.signIn(redirectURI: redirectURI) {
            case .signedIn: return .signedIn
            case .opened: return .awaitingCallback
            }
        case .partial(let response?):
            try await redeem(response)
            return .signedIn
        case .partial(nil), .external:
            _ = try await tokens.ticket(of: nil, during: .setUp)
            return .restored
        }
    }

    /// Continues with the stored session.
    /// - Returns: whether there is one. Neither a missing network nor an answer that says nothing about it ends the
    ///   session: it is renewed at its next use, and until then ``renewalFailure`` has the error.
    private func restore() async throws -> Bool {
        if case .partial(let response?) = configuration.signIn, try await isNew(response) { return false }
        do {
            _ = try await tokens.ticket(of: nil, during: .setUp)
            return true
        } catch let error as WalletError {
            switch error.outcome {
            case .signedOut: return false
            case .keyLost:
                if case .full = configuration.signIn { return false }
                throw error
            case .storeUnavailable: throw error
            case .misconfigured where error.code == .keysUnavailable: throw error
            default: return keeper.snapshot.holding != nil
            }
        }
    }

    var renewalFailure: WalletError? {
        keeper.snapshot.generation.flatMap { tokens.failure(of: $0) }
    }

    private func isNew(_ response: OAuthCodeResponse) async throws -> Bool {
        guard let code = try? AuthorizationCode(response.code) else { return true }
        return try await !keeper.change { $0.hasSent(code) }
    }

    private func redeem(_ response: OAuthCodeResponse) async throws {
        let request: CodeRedemption.Request
        do {
            request = CodeRedemption.Request(
                code: try AuthorizationCode(response.code), verifier: response.challenge.verifier,
                redirectURI: try response.redirectURI.map { try RedirectURI($0.absoluteString) },
                nonce: try response.nonce.map { try Nonce($0) }, scopes: configuration.scopes,
                key: try await keyForSignIn(), login: nil)
        } catch let malformed as MalformedValue {
            throw WalletError(
                .invalidConfiguration, .misconfigured, during: .setUp,
                reason: "the code response is malformed: \(malformed)")
        }
        try await redemption.redeem(request, during: .setUp)
    }

    func keyForSignIn() async throws -> BoundKey? {
        try await binding.keyForSignIn(at: try await discovery.metadata())
    }
}
