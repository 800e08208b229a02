public import AuthStore

/// The authorization server without its transport: every flow that the endpoints, the pages and the administration call.
///
/// Each flow takes a validated request and answers with an outcome, an enum that says what to tell the client. It
/// throws infrastructure errors only (the database is gone, a disk is full), which are answered with 503 or 500.
public struct AuthorizationServer: Sendable {
    /// What the flows share. The edge needs its settings and its logger.
    public let context: ServerContext
    /// The flows of targets above this one, as far as administration has to know them.
    private let flows: [any AdministeredFlow]

    /// The engine's write-ahead log; `nil` where it has none of its own.
    public var log: WriteAheadLog? { context.maintenance?.log }

    /// Why writes fail; `nil` where one reached the disk within the last second.
    public func writeFailure() async -> StoreError? { await context.writes.failure() }

    /// Metadata documents and the key set.
    public var discovery: Discovery { Discovery(context: context) }
    /// The authorization endpoint, the hosted pages behind it, and brands' authentication details.
    public var authorization: Authorization { Authorization(context: context) }
    /// Native sign-in without a browser.
    public var nativeSignIn: NativeSignIn { NativeSignIn(context: context) }
    /// Login nonces, for backends.
    public var loginNonces: LoginNonceIssuer { LoginNonceIssuer(context: context) }
    /// The devices of an account.
    public var devices: EnrolledDevices { EnrolledDevices(context: context) }
    /// What somebody signs in with beside the password, and the password.
    public var security: AccountSecurity { AccountSecurity(context: context) }
    /// Who an account's holder is at identity providers.
    public var identities: AccountIdentities { AccountIdentities(context: context) }
    /// The account's own page in the browser.
    public var accountPages: AccountPages { AccountPages(context: context) }
    /// The PINs of devices.
    public var pins: DevicePINs { DevicePINs(context: context) }
    /// The keys of devices that sign behind their holders' presence.
    public var biometrics: DeviceBiometrics { DeviceBiometrics(context: context) }
    /// Long-lived sessions: the device authentication tokens.
    public var deviceTokens: DeviceAuthenticationTokens { DeviceAuthenticationTokens(context: context) }
    /// Wallet operations, for backends.
    public var operations: RequestedOperations { RequestedOperations(context: context) }
    /// SCA events, for the apps of those who are to agree.
    public var consents: ConsentEvents { ConsentEvents(context: context) }
    /// The page on which a person agrees to an operation in the browser.
    public var consentPages: ConsentPages { ConsentPages(context: context) }
    /// The token endpoint, revocation, introspection and userinfo.
    public var tokens: Tokens { Tokens(context: context) }
    /// Who calls a protected resource, checked ahead of the flow that it calls.
    public var callers: Callers { Callers(context: context) }
    /// Nonces for DPoP proofs.
    public var proofs: ProofOfPossession { ProofOfPossession(context: context) }
    /// What the command line and the administration socket do.
    public var administration: Administration { Administration(context: context, flows: flows) }
    /// The audit log and its checkpoints.
    public var audit: Audit { Audit(context: context) }
    /// The periodic maintenance: the sweep of what has expired, and the keys' reloading.
    public var maintenance: Maintenance { Maintenance(context: context) }

    /// - Parameters:
    ///   - context: what the flows share; made by ``ServerContext/open(database:maintenance:masterKey:epoch:checkpoints:settings:logger:providerHTTP:vendors:breaches:clock:random:)``.
    ///   - flows: the flows of targets above this one.
    public init(context: ServerContext, flows: [any AdministeredFlow] = []) {
        self.context = context
        self.flows = flows
    }
}
