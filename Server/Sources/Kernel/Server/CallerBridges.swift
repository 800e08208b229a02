extension Callers {
    /// For flows that still hold the context.
    package convenience init(context: ServerContext) {
        self.init(
            database: context.database, issuer: context.settings.issuer, clients: context.clients,
            accessTokens: context.accessTokens, proofs: context.proofs, clock: context.clock, logger: context.logger)
    }
}
