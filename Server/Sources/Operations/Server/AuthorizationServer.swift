package import Consent
package import Kernel
package import SignIn
package import Store
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
    private let flows: [any AdministeredFlow]

    /// The engine's write-ahead log; `nil` if the engine has none of its own.
    package var log: WriteAheadLog? { context.maintenance?.log }

    /// The engine's connections; `nil` if it has none.
    package var connections: ConnectionMetrics? { context.database.connectionMetrics }

    /// The error that writes fail with, or the damage that a statement has met; `nil` if a write reached the disk within the last
    /// second.
    package func writeFailure() async -> StoreError? { await context.writes.failure() }

    package var discovery: Discovery { Discovery(context: context) }
    package let signIn: SignInFlows
    package let operations: RequestedOperations
    /// SCA events, for the app of the person who must consent.
    package let consents: ConsentEvents
    /// The pages for consent in the browser.
    package let consentPages: ConsentPages
    /// The token endpoint, revocation, introspection and userinfo.
    package let tokens: Tokens
    /// Authenticates the caller of a protected resource before the flow runs.
    package let callers: Callers
    package var proofs: ProofOfPossession { context.proofs }
    /// For the command line and the administration socket.
    package var administration: Administration { Administration(context: context, flows: flows) }
    package var audit: Audit { Audit(context: context) }
    /// Periodic work: sweeping expired rows, reloading keys.
    package var maintenance: Maintenance { Maintenance(context: context) }

    /// - Parameter flows: the flows of targets above this one.
    package init(context: ServerContext, flows: [any AdministeredFlow] = []) {
        self.context = context
        self.flows = flows
        signIn = SignInFlows(context: context)
        let consent = ConsentFlows(context: context)
        (operations, consents, consentPages) = (consent.operations, consent.events, consent.pages)
        callers = Callers(context: context)
        tokens = Tokens(context: context)
    }
}
