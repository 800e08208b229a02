package import Kernel
package import Logging

/// What the endpoints of every feature share.
package struct Edge: Sendable {
    package let context: ServerContext
    package let pages: Pages
    package let faults: FaultAnswers
    package let proofs: ProofOfPossession

    /// - Parameters:
    ///   - pages: with the templates of every feature.
    ///   - logger: gets the details of failures, under the trace id that the client is given.
    package init(context: ServerContext, pages: Pages, logger: Logger) {
        self.context = context
        self.pages = pages
        faults = FaultAnswers(pages: pages, logger: logger)
        proofs = context.proofs
    }
}
