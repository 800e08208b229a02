import HTTPTypes
import Hummingbird
import Logging
import WalletAuthVerifier
import WalletAuthWire

/// The backend, from its parts to its routes.
struct Backend: Sendable {
    let verifier: AccessTokenVerifier
    let operations: WalletOperations
    let ledger: Ledger
    /// The shop, if there are audit keys to verify signatures with.
    var shop: ShopEndpoints?

    /// The scope for reading.
    static let reading = "accounts"
    /// The scope for paying.
    static let paying = "payments"

    /// What an app can learn before its first request.
    static func metadata() throws -> ResourceMetadata {
        ResourceMetadata(scopes: try Scope("\(reading) \(paying)"), requiresProofOfPossession: true)
    }

    func router() throws -> Router<BackendContext> {
        let balance = BalanceEndpoint(ledger: ledger)
        let payees = PayeeEndpoints(ledger: ledger)
        let transfers = TransferEndpoint(ledger: ledger, operations: operations)

        let router = Router(context: BackendContext.self)
        router.add(middleware: RequestLog())
        router.add(middleware: Faults())
        router.get("health") { _, _ in HTTPResponse.Status.ok }
        if let metadata = verifier.metadata {
            router.get(RouterPath(metadata.path)) { _, _ in Response(metadata) }
        }
        people(router, AccessRequirement(scope: try Scope(Self.reading), binding: .proofOfPossession))
            .get("balance", use: balance.show)
            .get("payees", use: payees.list)
        // A stolen password must not be enough to choose a payee: that requires a sign-in with two factors.
        people(
            router,
            AccessRequirement(
                scope: try Scope(Self.paying), acrValues: AuthenticationStrength.twoFactors,
                binding: .proofOfPossession)
        )
        .post("payees", use: payees.add)
        .delete("payees/:name", use: payees.remove)
        // The authorization server decides what a payment requires, by its amount, payee and history.
        people(router, AccessRequirement(scope: try Scope(Self.paying), binding: .proofOfPossession))
            .post("transfers", use: transfers.create)
        shop?.addRoutes(to: router)
        return router
    }

    /// Adds routes for signed-in people with a requirement.
    private func people(
        _ router: Router<BackendContext>, _ requirement: AccessRequirement
    ) -> RouterGroup<PersonContext> {
        router.group().add(middleware: AccessMiddleware(verifier: verifier, requirement: requirement))
            .group(context: PersonContext.self)
    }
}
