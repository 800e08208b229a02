package import Kernel
package import Store
package import WalletAuthWire
package import Web

// For folders and targets that still hold the context.

extension SignInAttempt {
    var context: ServerContext { checks.context }
}

extension AddressAttempts {
    package init(context: ServerContext) {
        self.init(database: context.database, keyRing: context.keyRing, lockout: context.settings.lockout)
    }
}

extension CompromisedPasswords {
    package init(context: ServerContext) {
        self.init(
            database: context.database, clock: context.clock, vault: AccountVault(context.sealing),
            auditLog: context.auditLog, breaches: context.breaches)
    }
}

extension PasswordVerification {
    package init(context: ServerContext) {
        self.init(
            database: context.database, keyRing: context.keyRing, vault: AccountVault(context.sealing),
            passwords: context.passwords, lockout: context.settings.lockout,
            addresses: AddressAttempts(context: context),
            failures: PasswordFailures(
                database: context.database, clock: context.clock, sealing: context.sealing, auditLog: context.auditLog),
            compromised: CompromisedPasswords(context: context))
    }
}

extension EmailCodes {
    package init(context: ServerContext) {
        self.init(
            database: context.database, keyRing: context.keyRing, vault: AccountVault(context.sealing),
            auditLog: context.auditLog)
    }
}

extension FactorCodes {
    package init(context: ServerContext, use: Use) {
        self.init(keyRing: context.keyRing, random: context.random, use: use)
    }
}

extension SecondFactorRules {
    convenience init(context: ServerContext) {
        self.init(
            undeliverable: context.settings.undeliverableFactors, party: context.passkeyParty,
            coolingPeriod: context.settings.devices.coolingPeriod,
            emailAfterProvider: EmailAfterProvider(context: context))
    }
}

extension SecondFactors {
    package static func usable(
        by account: AccountRecord, after first: FirstFactor, brand: BrandProfile?, in context: ServerContext,
        on connection: any SQLConnection
    ) throws -> Set<FactorKind> {
        try SecondFactorRules(context: context).usable(by: account, after: first, brand: brand, on: connection)
    }
}

extension StepUp {
    convenience init(context: ServerContext) {
        self.init(
            database: context.database, keyRing: context.keyRing, rules: SecondFactorRules(context: context),
            freshness: context.settings.devices.enrollmentFreshness)
    }
}

extension StepUpPolicy {
    init(context: ServerContext, call: any FactorCaller) { self.init(StepUp(context: context), call) }
}

extension FactorChangeBudget {
    init(_ call: any FactorCaller, context: ServerContext) throws { try self.init(call, keyRing: context.keyRing) }
}

extension PasskeyChallenges {
    package init(context: ServerContext) { self.init(context.sealing) }
}

extension PasskeyAuthentication {
    package init(context: ServerContext) {
        self.init(
            database: context.database, party: context.passkeyParty, challenges: PasskeyChallenges(context.sealing),
            auditLog: context.auditLog, logger: context.logger)
    }
}

extension PasskeyRemoval {
    package init(context: ServerContext) { self.init(clock: context.clock, party: context.passkeyParty) }
}

extension AccountPINGuesses {
    package init(context: ServerContext) {
        self.init(
            database: context.database, keyRing: context.keyRing, passwords: context.passwords,
            auditLog: context.auditLog)
    }
}

extension AuthorizationCodes {
    package init(context: ServerContext) {
        self.init(database: context.database, sealing: context.sealing, random: context.random)
    }
}

extension GuestSession {
    static func sealed(in context: ServerContext) -> SealedState<GuestSession> { sealed(by: context.sealing) }
}

extension BrandAppearance {
    package static func of(_ brand: BrandID, in context: ServerContext) async throws -> BrandAppearance {
        try await of(brand, in: context.database)
    }
}

extension PageSeal {
    package init(context: ServerContext) {
        self.init(sealing: context.sealing, keyRing: context.keyRing, random: context.random)
    }
}

extension AuthorizeEndpoint {
    package init(_ edge: Edge) { self.init(edge, SignInFlows(context: edge.context).authorization) }
}

extension SignInGate {
    package convenience init(context: ServerContext) {
        self.init(
            database: context.database, random: context.random, auditLog: context.auditLog,
            secondFactors: SecondFactorRules(context: context),
            consents: ClientConsentMemory(
                database: context.database, random: context.random, auditLog: context.auditLog),
            logger: context.logger)
    }
}
