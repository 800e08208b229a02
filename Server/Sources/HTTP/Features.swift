package import Apple
internal import AppleStandIn
internal import Consent
package import Kernel
internal import Loyalty
package import Operations
internal import SignIn
internal import Tokens
internal import Transactions
internal import Web

/// The features of the server, in the lists that the program needs, and the flows of those above `Operations`, built once. The events
/// and messages of those below are joined there.
package struct Features: Sendable {
    package let server: AuthorizationServer
    package let apple: AppleFlows
    private let transactions: TransactionFlows
    private let loyalty: LoyaltyFlows

    package init(context: ServerContext) {
        var server = AuthorizationServer(context: context)
        transactions = TransactionFlows(server)
        apple = AppleFlows(context: context)
        loyalty = LoyaltyFlows(server)
        server.flows = [transactions, apple, loyalty]
        self.server = server
    }

    /// Rows that end with an account or a device.
    package static let dependentRows: [any DependentRows] = [
        ConsentRows(), TransactionRows(), AppleRows(), LoyaltyRows(),
    ]

    /// Identity providers with a protocol of their own.
    package static let vendors: [any ProviderVendor] = [AppleVendor()]

    static let pages: [any PageValues.Type] =
        SignInFeatures.pages + ConsentFeature.pages + TransactionFeature.pages + AppleStandInEndpoints.pages
        + PageEndpoints.pages + SandboxEndpoints.pages + AdminFeature.pages

    static let pieces = SignInFeatures.pieces + AdminFeature.pieces

    /// - Throws: ``PageTemplates/Fault`` if a template is broken.
    static func templates() throws(PageTemplates.Fault) -> PageTemplates {
        try PageTemplates(pages: pages, pieces: pieces)
    }

    func routes(_ edge: Edge) -> [Route] {
        SignInFeatures.routes(edge, server.signIn)
            + TokenFeature.routes(edge, server.tokens)
            + ConsentFeature.routes(edge, server.consent, authorization: server.signIn.authorization)
            + TransactionFeature.routes(edge, transactions) + LoyaltyFeature.routes(edge, loyalty)
            + AppleFeature.routes(edge, apple) + OperationsFeature.routes(edge, server)
            + ProvisioningFeature.routes(edge, server)
    }

    /// The routes for operators, as far as they are configured.
    /// - Throws: an error if the options of a command cannot be described.
    func operatorRoutes(_ edge: Edge) throws -> [Route] { try AdminFeature.routes(edge, server) }

    /// The routes of the sandbox's first page and of the stand-in for Apple. In production there are none, whatever the configuration.
    func sandboxRoutes(_ edge: Edge) -> [Route] {
        guard edge.environment == .sandbox else { return [] }
        let context = server.context
        let home = SandboxEndpoints(
            pages: edge.pages, accounts: AccountAdministration(server.administration),
            clients: ClientAdministration(server.administration), tokens: server.tokens, sealing: context.sealing,
            clock: context.clock, random: context.random)
        let apple = AppleStandInEndpoints(
            pages: edge.pages, http: context.providerHTTP, database: context.database,
            signInPath: SandboxEndpoints.signInPath, clock: context.clock, random: context.random)
        return home.routes + apple.routes
    }
}
