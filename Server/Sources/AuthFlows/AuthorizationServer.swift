package import AuthStore

/// The authorization server without its transport: every flow that the endpoints, the pages and the administration call.
///
/// Each flow takes a validated request and answers with an outcome, an enum that says what to tell the client. It
/// throws infrastructure errors only (the database is gone, a disk is full), which are answered with 503 or 500.
package struct AuthorizationServer: Sendable {
    /// What the flows share. The edge needs its settings and its logger.
    package let context: ServerContext
    /// The flows of targets above this one, as far as administration has to know them.
    private let flows: [any AdministeredFlow]

    /// The engine's write-ahead log; `nil` where it has none of its own.
    package var log: WriteAheadLog? { context.maintenance?.log }

    /// Why writes fail; `nil` where one reached the disk within the last second.
    package func writeFailure() async -> StoreError? { await context.writes.failure() }

    /// Metadata documents and the key set.
    package var discovery: Discovery { Discovery(context: context) }
    /// The authorization endpoint, the hosted pages behind it, and brands' authentication details.
    package var authorization: Authorization { Authorization(context: context) }
    /// Native sign-in without a browser.
    package var nativeSignIn: NativeSignIn { NativeSignIn(context: context) }
    /// Login nonces, for backends.
    package var loginNonces: LoginNonceIssuer { LoginNonceIssuer(context: context) }
    /// The devices of an account.
    package var devices: EnrolledDevices { EnrolledDevices(context: context) }
    /// What somebody signs in with beside the password, and the password.
    package var security: AccountSecurity { AccountSecurity(context: context) }
    /// Who an account's holder is at identity providers.
    package var identities: AccountIdentities { AccountIdentities(context: context) }
    /// The account's own page in the browser.
    package var accountPages: AccountPages { AccountPages(context: context) }
    /// The PINs of devices.
    package var pins: DevicePINs { DevicePINs(context: context) }
    /// The keys of devices that sign behind their holders' presence.
    package var biometrics: DeviceBiometrics { DeviceBiometrics(context: context) }
    /// Long-lived sessions: the device authentication tokens.
    package var deviceTokens: DeviceAuthenticationTokens { DeviceAuthenticationTokens(context: context) }
    /// Wallet operations, for backends.
    package var operations: RequestedOperations { RequestedOperations(context: context) }
    /// SCA events, for the apps of those who are to agree.
    package var consents: ConsentEvents { ConsentEvents(context: context) }
    /// The page on which a person agrees to an operation in the browser.
    package var consentPages: ConsentPages { ConsentPages(context: context) }
    /// The token endpoint, revocation, introspection and userinfo.
    package var tokens: Tokens { Tokens(context: context) }
    /// Who calls a protected resource, checked ahead of the flow that it calls.
    package var callers: Callers { Callers(context: context) }
    /// Nonces for DPoP proofs.
    package var proofs: ProofOfPossession { ProofOfPossession(context: context) }
    /// What the command line and the administration socket do.
    package var administration: Administration { Administration(context: context, flows: flows) }
    /// The audit log and its checkpoints.
    package var audit: Audit { Audit(context: context) }
    /// The periodic maintenance: the sweep of what has expired, and the keys' reloading.
    package var maintenance: Maintenance { Maintenance(context: context) }

    /// - Parameters:
    ///   - context: what the flows share; made by ``ServerContext/open(database:maintenance:masterKey:epoch:checkpoints:settings:logger:providerHTTP:vendors:breaches:clock:random:)``.
    ///   - flows: the flows of targets above this one.
    package init(context: ServerContext, flows: [any AdministeredFlow] = []) {
        self.context = context
        self.flows = flows
    }
}
