package import Kernel
internal import WalletAuthWire
package import Web

// Parts that the builders of several targets make from the server's context. No flow calls these.

extension AddressAttempts {
    init(context: ServerContext) {
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

extension SecondFactorRules {
    package convenience init(context: ServerContext) {
        self.init(
            undeliverable: context.settings.undeliverableFactors, party: context.passkeyParty,
            coolingPeriod: context.settings.devices.coolingPeriod,
            emailAfterProvider: EmailAfterProvider(sealing: context.sealing, vendors: context.vendors))
    }
}

extension PasskeyAuthentication {
    package init(context: ServerContext) {
        self.init(
            database: context.database, party: context.passkeyParty, challenges: PasskeyChallenges(context.sealing),
            auditLog: context.auditLog, logger: context.logger)
    }
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

extension FactorCodes {
    package init(context: ServerContext, use: Use) {
        self.init(keyRing: context.keyRing, random: context.random, use: use)
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

extension DeviceRemoval {
    package init(context: ServerContext) {
        self.init(
            database: context.database, sealing: context.sealing, auditLog: context.auditLog,
            dependents: context.dependents, changes: context.changes, clock: context.clock)
    }
}

extension PINLockout {
    package init(context: ServerContext) {
        self.init(database: context.database, sealing: context.sealing, auditLog: context.auditLog)
    }
}

extension DeviceAssertions {
    package convenience init(context: ServerContext) {
        self.init(
            database: context.database, issuer: context.settings.issuer, environment: context.settings.environment,
            sealing: context.sealing, auditLog: context.auditLog, logger: context.logger)
    }
}
