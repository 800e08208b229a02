package import Consent
package import Kernel
package import SignIn
package import Tokens

/// The authorization server without its transport. Endpoints, pages and administration call its flows.
///
/// A flow takes a validated request and returns an outcome: an enum that says how to answer the client. It throws only for
/// infrastructure errors (lost database, full disk), which the edge answers with 503 or 500.
///
/// The folder opens the server and lists its flows, messages and numbers. It decides nothing.
package struct AuthorizationServer: Sendable {
    /// Shared by the flows. The edge needs its settings and its logger.
    package let context: ServerContext
    /// Flows of targets above this one, as far as administration has to know them.
    package var flows: [any AdministeredFlow] = []

    package let discovery: Discovery
    package let signIn: SignInFlows
    package let consent: ConsentFlows
    /// The token endpoint, revocation, introspection and userinfo.
    package let tokens: Tokens
    /// Authenticates the caller of a protected resource before the flow runs.
    package let callers: Callers
    /// For the command line and the administration socket.
    package var administration: Administration { Administration(server: self) }
    /// Periodic work: sweeping expired rows, reloading keys.
    package var maintenance: Maintenance {
        Maintenance(
            database: context.database, clock: context.clock, clocks: context.clocks, keyRing: context.keyRing,
            keyRotation: context.keyRotation, lockout: signIn.lockout,
            expired: ExpiredRows(database: context.database, clocks: context.clocks),
            erasures: DueErasures(
                database: context.database, clock: context.clock, auditLog: context.auditLog, changes: context.changes,
                dependents: context.dependents, logger: context.logger),
            webhooks: WebhookSurplus(
                database: context.database, webhooks: context.webhooks, logger: context.logger),
            audit: context.audit)
    }

    package init(context: ServerContext) {
        self.context = context
        discovery = Discovery(
            clock: context.clock, keyRing: context.keyRing, clients: context.clients, settings: context.settings)
        signIn = SignInFlows(context: context)
        consent = ConsentFlows(context: context, signIn: signIn)
        tokens = Tokens(context: context, signIn: signIn)
        callers = Callers(
            database: context.database, issuer: context.settings.issuer, clients: context.clients,
            accessTokens: context.accessTokens, proofs: context.proofs, clock: context.clock, logger: context.logger)
    }
}
