package import Kernel

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

extension PINEvaluation {
    package init(context: ServerContext, transactions: any PINSubject) {
        self.init(
            database: context.database, sealing: context.sealing, lockout: PINLockout(context: context),
            transactions: transactions)
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

extension DeviceAdmission {
    package init(context: ServerContext) { self.init(clients: context.clients) }
}

extension PINLockout {
    package init(context: ServerContext) {
        self.init(database: context.database, sealing: context.sealing, auditLog: context.auditLog)
    }
}
