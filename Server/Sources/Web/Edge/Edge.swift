package import Kernel
package import Logging

/// What the endpoints of every feature share.
package struct Edge: Sendable {
    package let pages: Pages
    package let faults: FaultAnswers
    package let proofs: ProofOfPossession
    package let environment: ServerSettings.Environment

    /// - Parameters:
    ///   - pages: with the templates of every feature.
    ///   - logger: gets the details of failures, under the trace id that the client is given.
    package init(pages: Pages, proofs: ProofOfPossession, environment: ServerSettings.Environment, logger: Logger) {
        self.pages = pages
        faults = FaultAnswers(pages: pages, logger: logger)
        self.proofs = proofs
        self.environment = environment
    }
}
