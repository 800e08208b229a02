internal import Consent
package import Kernel
internal import SignIn
internal import Store

// What commands and periodic work use of the server, made of the context. Nothing else in this target sees it, except the
// opening of the server.

extension AccountAdministration: AdministrationParts {
    package init(_ context: ServerContext, _ flows: [any AdministeredFlow]) {
        self.init(
            database: context.database, clock: context.clock, random: context.random,
            vault: AccountVault(context.sealing), auditLog: context.auditLog, keyRing: context.keyRing,
            passwords: context.passwords, compromised: CompromisedPasswords(context: context),
            pinRemoval: { try AccountPINRemoval(of: $0, in: context.auditLog, origin: nil, now: $1) },
            changes: context.changes, dependents: context.dependents,
            undeliverable: context.settings.undeliverableFactors, flows: flows)
    }
}

extension AccountReport: AdministrationParts {
    init(_ context: ServerContext, _ flows: [any AdministeredFlow]) {
        self.init(
            database: context.database, clock: context.clock, vault: AccountVault(context.sealing),
            deviceVault: DeviceVault(context.sealing), verification: PasswordVerification(context: context),
            issuer: context.settings.issuer, lockout: context.settings.lockout, flows: flows)
    }
}

extension AccountExport: AdministrationParts {
    init(_ context: ServerContext, _ flows: [any AdministeredFlow]) {
        self.init(
            database: context.database, clock: context.clock, sealing: context.sealing, auditLog: context.auditLog,
            operations: ConsentFlows(context: context).operations, flows: flows)
    }
}

extension ClientConsentAdministration: AdministrationParts {
    init(_ context: ServerContext, _ flows: [any AdministeredFlow]) {
        self.init(
            database: context.database, clock: context.clock, auditLog: context.auditLog, clients: context.clients)
    }
}

extension DeviceAdministration: AdministrationParts {
    init(_ context: ServerContext, _ flows: [any AdministeredFlow]) {
        self.init(
            database: context.database, clock: context.clock, auditLog: context.auditLog,
            accounts: AccountVault(context.sealing), vault: DeviceVault(context.sealing),
            verification: PasswordVerification(context: context), removal: DeviceRemoval(context: context))
    }
}

extension PasskeyAdministration: AdministrationParts {
    init(_ context: ServerContext, _ flows: [any AdministeredFlow]) {
        self.init(
            database: context.database, clock: context.clock, auditLog: context.auditLog,
            accounts: AccountVault(context.sealing), vault: PasskeyVault(context.sealing),
            issuer: context.settings.issuer, removal: PasskeyRemoval(clock: context.clock, party: context.passkeyParty))
    }
}

extension ClientAdministration: AdministrationParts {
    package init(_ context: ServerContext, _ flows: [any AdministeredFlow]) {
        self.init(
            database: context.database, clock: context.clock, random: context.random, auditLog: context.auditLog,
            directory: context.clients, changes: context.changes, dependents: context.dependents)
    }
}

extension MerchantAdministration: AdministrationParts {
    init(_ context: ServerContext, _ flows: [any AdministeredFlow]) {
        self.init(
            database: context.database, clock: context.clock, random: context.random, auditLog: context.auditLog)
    }
}

extension BrandAdministration: AdministrationParts {
    init(_ context: ServerContext, _ flows: [any AdministeredFlow]) {
        self.init(
            database: context.database, clock: context.clock, random: context.random, auditLog: context.auditLog)
    }
}

extension ProviderAdministration: AdministrationParts {
    package init(_ context: ServerContext, _ flows: [any AdministeredFlow]) {
        self.init(
            database: context.database, clock: context.clock, auditLog: context.auditLog,
            vault: context.providerVault, vendors: context.vendors, documents: context.providers,
            http: context.providerHTTP, environment: context.settings.environment, issuer: context.settings.issuer)
    }
}

extension OutboxAdministration: AdministrationParts {
    init(_ context: ServerContext, _ flows: [any AdministeredFlow]) {
        self.init(
            database: context.database, clock: context.clock, auditLog: context.auditLog, activity: context.outbox)
    }
}

extension KeyAdministration: AdministrationParts {
    init(_ context: ServerContext, _ flows: [any AdministeredFlow]) {
        self.init(
            database: context.database, clock: context.clock, clocks: context.clocks, auditLog: context.auditLog,
            ring: context.keyRing, rotation: context.keyRotation)
    }
}

extension ClockAdministration: AdministrationParts {
    init(_ context: ServerContext, _ flows: [any AdministeredFlow]) {
        self.init(
            database: context.database, time: context.clock, monitor: context.clocks, auditLog: context.auditLog)
    }
}

extension AuditAdministration: AdministrationParts {
    init(_ context: ServerContext, _ flows: [any AdministeredFlow]) {
        self.init(
            database: context.database, clock: context.clock, audit: Audit(context: context),
            kinds: Administration.eventKinds + flows.flatMap { type(of: $0).eventKinds })
    }
}

extension DatabaseAdministration: AdministrationParts {
    init(_ context: ServerContext, _ flows: [any AdministeredFlow]) {
        self.init(
            store: context.database, engine: context.maintenance, writes: context.writes, clock: context.clock,
            clocks: context.clocks, expired: ExpiredRows(database: context.database, clocks: context.clocks))
    }
}

extension RestoredFactorsReport: AdministrationParts {
    init(_ context: ServerContext, _ flows: [any AdministeredFlow]) {
        self.init(database: context.database, sealing: context.sealing, restoredAt: context.restoredAt)
    }
}

extension IssuerChange: AdministrationParts {
    init(_ context: ServerContext, _ flows: [any AdministeredFlow]) {
        self.init(
            database: context.database, clock: context.clock, auditLog: context.auditLog,
            environment: context.settings.environment)
    }
}

extension Maintenance {
    init(context: ServerContext) {
        self.init(
            database: context.database, clock: context.clock, clocks: context.clocks, keyRing: context.keyRing,
            keyRotation: context.keyRotation, lockout: PINLockout(context: context),
            expired: ExpiredRows(database: context.database, clocks: context.clocks), audit: Audit(context: context))
    }
}

extension Discovery {
    init(context: ServerContext) {
        self.init(
            clock: context.clock, keyRing: context.keyRing, clients: context.clients, settings: context.settings)
    }
}
