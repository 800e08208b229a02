package import Core
package import Kernel
package import Store
package import WalletAuthWire

// For flows that still hold the context.

struct StepUp: Sendable {
    let context: ServerContext
}

extension StepUpPolicy {
    init(_ stepUp: StepUp, _ call: any FactorCaller) { self.init(context: stepUp.context, call: call) }
}

extension EnrolledDevices {
    package init(context: ServerContext) {
        let (challenges, stepUp) = (DeviceChallenges(context: context), StepUp(context: context))
        self.init(
            database: context.database, sealing: context.sealing, auditLog: context.auditLog, challenges: challenges,
            enrollment: DeviceEnrollment(
                database: context.database, issuer: context.settings.issuer, rules: context.settings.devices,
                sealing: context.sealing, auditLog: context.auditLog, challenges: challenges, stepUp: stepUp,
                logger: context.logger),
            removal: DeviceRemoval(context: context), codes: InstanceCodes(context: context), stepUp: stepUp)
    }
}

extension DeviceRemoval {
    package init(context: ServerContext) {
        self.init(
            database: context.database, sealing: context.sealing, auditLog: context.auditLog,
            dependents: context.dependents, changes: context.changes, clock: context.clock)
    }
}

extension DeviceRecognition {
    init(context: ServerContext) {
        self.init(
            database: context.database, issuer: context.settings.issuer, keyRing: context.keyRing,
            logger: context.logger)
    }
}

extension InstanceCodes {
    init(context: ServerContext) {
        self.init(
            database: context.database, sealing: context.sealing, auditLog: context.auditLog,
            mail: EmailCodes(context: context))
    }
}

extension DevicePINs {
    package init(context: ServerContext) {
        self.init(
            database: context.database, sealing: context.sealing, auditLog: context.auditLog,
            assertions: DeviceAssertions(context: context), stepUp: StepUp(context: context))
    }
}

extension PINEvaluation {
    package init(context: ServerContext, transactions: any PINSubject) {
        self.init(
            database: context.database, sealing: context.sealing, lockout: PINLockout(context: context),
            transactions: transactions)
    }
}

extension DeviceBiometrics {
    package init(context: ServerContext) {
        self.init(
            database: context.database, environment: context.settings.environment, sealing: context.sealing,
            auditLog: context.auditLog, assertions: DeviceAssertions(context: context),
            stepUp: StepUp(context: context))
    }
}

extension DeviceAuthenticationTokens {
    package init(context: ServerContext) {
        self.init(
            database: context.database, issuer: context.settings.issuer, sealing: context.sealing,
            auditLog: context.auditLog, challenges: DeviceChallenges(context: context),
            passwords: PasswordVerification(context: context), logger: context.logger)
    }
}

extension DeviceChallenges {
    package init(context: ServerContext) { self.init(sealing: context.sealing) }
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

extension SignInAttempt {
    var database: any Database { context.database }
    var assertions: DeviceAssertions { DeviceAssertions(context: context) }
}

package struct SecondFactorRules: Sendable {
    let context: ServerContext

    package init(context: ServerContext) { self.context = context }

    package func usable(
        by account: AccountRecord, after first: FirstFactor, brand: BrandProfile?, on connection: any SQLConnection
    ) throws -> Set<FactorKind> {
        try SecondFactors.usable(by: account, after: first, brand: brand, in: context, on: connection)
    }
}

package struct AccountPINChecks: Sendable {
    let context: ServerContext

    package init(context: ServerContext) { self.context = context }

    package func guesses(from origin: RequestOrigin, at now: Timestamp) -> AccountPINGuesses {
        AccountPINGuesses(context: context, origin: origin, now: now)
    }
}

extension BrandAppearance {
    package static func of(_ brand: BrandID, in context: ServerContext) async throws -> BrandAppearance {
        try await of(brand, in: context.database)
    }
}
