internal import Apple
internal import AppleStandIn
internal import Consent
package import Kernel
internal import Loyalty
package import Operations
internal import SignIn
internal import Tokens
internal import Transactions
internal import Web

/// The features of the server, in the lists that the program needs. The events and messages of those below `Operations` are joined there.
package enum Features {
    /// Rows that end with an account or a device.
    package static let dependentRows: [any DependentRows] = [TransactionRows(), AppleRows(), LoyaltyRows()]

    /// Identity providers with a protocol of their own.
    package static let vendors: [any ProviderVendor] = [AppleVendor()]

    /// What operators see of the features above ``Administration``.
    package static func administered(in server: AuthorizationServer) -> [any AdministeredFlow] {
        [TransactionFlows(server), AppleFlows(context: server.context), LoyaltyFlows(server)]
    }

    static let pages: [any PageValues.Type] =
        SignInFeatures.pages + ConsentFeature.pages + TransactionFeature.pages + AppleStandInEndpoints.pages
        + PageEndpoints.pages

    static let pieces = SignInFeatures.pieces

    /// - Throws: ``PageTemplates/Fault`` if a template is broken.
    static func templates() throws(PageTemplates.Fault) -> PageTemplates {
        try PageTemplates(pages: pages, pieces: pieces)
    }

    static func routes(_ edge: Edge, _ server: AuthorizationServer) -> [Route] {
        let (signIn, transactions) = (server.signIn, TransactionFlows(server))
        return SignInFeatures.routes(edge, signIn, transactions: transactions.pinSubject)
            + TokenFeature.routes(edge, server.tokens)
            + ConsentFeature.routes(edge, server.consent, authorization: signIn.authorization)
            + TransactionFeature.routes(edge, transactions) + LoyaltyFeature.routes(edge, LoyaltyFlows(server))
            + AppleFeature.routes(edge, AppleFlows(context: server.context))
    }

    /// The routes of the stand-in for Apple. In production there are none, whatever the configuration.
    static func sandboxRoutes(_ edge: Edge, _ context: ServerContext) -> [Route] {
        guard edge.environment == .sandbox else { return [] }
        return AppleStandInEndpoints(
            pages: edge.pages, http: context.providerHTTP, clock: context.clock, random: context.random
        ).routes
    }
}
