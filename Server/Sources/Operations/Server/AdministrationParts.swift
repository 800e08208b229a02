internal import Consent
internal import Kernel
internal import SignIn
internal import Store

// What commands use of the server.

extension AccountAdministration: AdministrationParts {
    package init(_ administration: Administration) {
        let context = administration.server.context
        self.init(
            database: context.database, clock: context.clock, random: context.random,
            vault: AccountVault(context.sealing), auditLog: context.auditLog, keyRing: context.keyRing,
            passwords: context.passwords, compromised: administration.server.signIn.passwords.compromised,
            verification: administration.server.signIn.passwords,
            pinRemoval: { try AccountPINRemoval(of: $0, in: context.auditLog, origin: nil, now: $1) },
            changes: context.changes, dependents: context.dependents,
            undeliverable: context.settings.undeliverableFactors, flows: administration.server.flows,
            ability: OperatorAbility(context), links: OperatorLinks(administration),
            identityCooling: context.settings.devices.coolingPeriod,
            emailAfterProvider: EmailAfterProvider(sealing: context.sealing, vendors: context.vendors),
            hidesAddresses: administration.role == .support)
    }
}

extension AccountReport: AdministrationParts {
    init(_ administration: Administration) {
        let context = administration.server.context
        self.init(
            database: context.database, clock: context.clock, vault: AccountVault(context.sealing),
            deviceVault: DeviceVault(context.sealing), verification: administration.server.signIn.passwords,
            issuer: context.settings.issuer, lockout: context.settings.lockout, gate: administration.server.signIn.gate,
            keyRing: context.keyRing, undeliverable: context.settings.undeliverableFactors,
            flows: administration.server.flows, search: AccountSearch(context))
    }
}

extension AccountExport: AdministrationParts {
    init(_ administration: Administration) {
        let context = administration.server.context
        self.init(
            database: context.database, clock: context.clock, sealing: context.sealing, auditLog: context.auditLog,
            operations: administration.server.consent.operations, flows: administration.server.flows)
    }
}

extension ClientConsentAdministration: AdministrationParts {
    init(_ administration: Administration) {
        let context = administration.server.context
        self.init(
            database: context.database, clock: context.clock, auditLog: context.auditLog, clients: context.clients,
            search: AccountSearch(context))
    }
}

extension DeviceAdministration: AdministrationParts {
    init(_ administration: Administration) {
        let context = administration.server.context
        self.init(
            database: context.database, clock: context.clock, auditLog: context.auditLog,
            accounts: AccountVault(context.sealing), vault: DeviceVault(context.sealing),
            verification: administration.server.signIn.passwords, removal: administration.server.signIn.removal,
            search: AccountSearch(context))
    }
}

extension PasskeyAdministration: AdministrationParts {
    init(_ administration: Administration) {
        let context = administration.server.context
        self.init(
            database: context.database, clock: context.clock, auditLog: context.auditLog,
            accounts: AccountVault(context.sealing), vault: PasskeyVault(context.sealing),
            issuer: context.settings.issuer, removal: PasskeyRemoval(clock: context.clock, party: context.passkeyParty),
            search: AccountSearch(context))
    }
}

extension ClientAdministration: AdministrationParts {
    package init(_ administration: Administration) {
        let context = administration.server.context
        self.init(
            database: context.database, clock: context.clock, clocks: context.clocks, random: context.random,
            auditLog: context.auditLog, directory: context.clients, changes: context.changes,
            dependents: context.dependents, published: context.clientKeys,
            notices: NoticeReceivers(
                random: context.random, vault: Vault<WebhookField>(context.sealing),
                transport: context.webhookTransport),
            environment: context.settings.environment, issuer: context.settings.issuer)
    }
}

extension MerchantAdministration: AdministrationParts {
    init(_ administration: Administration) {
        let context = administration.server.context
        self.init(
            database: context.database, clock: context.clock, random: context.random, auditLog: context.auditLog)
    }
}

extension BrandAdministration: AdministrationParts {
    init(_ administration: Administration) {
        let context = administration.server.context
        self.init(
            database: context.database, clock: context.clock, random: context.random, auditLog: context.auditLog)
    }
}

extension ProviderAdministration: AdministrationParts {
    package init(_ administration: Administration) {
        let context = administration.server.context
        self.init(
            database: context.database, clock: context.clock, auditLog: context.auditLog,
            vault: context.providerVault, vendors: context.vendors, documents: context.providers,
            formerSystems: context.formerSystems, http: context.providerHTTP,
            environment: context.settings.environment, issuer: context.settings.issuer)
    }
}

extension OutboxAdministration: AdministrationParts {
    init(_ administration: Administration) {
        let context = administration.server.context
        self.init(
            database: context.database, clock: context.clock, auditLog: context.auditLog, activity: context.outbox,
            messages: administration.caller == nil ? administration.server.messages : nil)
    }
}

extension WebhookAdministration: AdministrationParts {
    init(_ administration: Administration) {
        let context = administration.server.context
        self.init(
            database: context.database, clock: context.clock, clocks: context.clocks, random: context.random,
            auditLog: context.auditLog, vault: Vault<WebhookField>(context.sealing),
            transport: context.webhookTransport, activity: context.webhooks)
    }
}

extension KeyAdministration: AdministrationParts {
    init(_ administration: Administration) {
        let context = administration.server.context
        self.init(
            database: context.database, clock: context.clock, clocks: context.clocks, auditLog: context.auditLog,
            ring: context.keyRing, rotation: context.keyRotation, issuer: context.settings.issuer,
            schedule: context.settings.signingKeys)
    }
}

extension ClockAdministration: AdministrationParts {
    init(_ administration: Administration) {
        let context = administration.server.context
        self.init(
            database: context.database, time: context.clock, monitor: context.clocks, auditLog: context.auditLog)
    }
}

extension AuditAdministration: AdministrationParts {
    init(_ administration: Administration) {
        let context = administration.server.context
        self.init(
            database: context.database, clock: context.clock, audit: context.audit, auditLog: context.auditLog,
            kinds: Administration.eventKinds + administration.server.flows.flatMap { type(of: $0).eventKinds },
            operations: administration.server.consent.operations, flows: administration.server.flows,
            search: AccountSearch(context))
    }
}

extension DatabaseAdministration: AdministrationParts {
    init(_ administration: Administration) {
        let context = administration.server.context
        self.init(
            store: context.database, engine: context.maintenance, writes: context.writes, clock: context.clock,
            clocks: context.clocks, expired: ExpiredRows(database: context.database, clocks: context.clocks))
    }
}

extension RestoredFactorsReport: AdministrationParts {
    init(_ administration: Administration) {
        let context = administration.server.context
        self.init(database: context.database, sealing: context.sealing, restoredAt: context.restoredAt)
    }
}

extension IssuerChange: AdministrationParts {
    init(_ administration: Administration) {
        let context = administration.server.context
        self.init(
            database: context.database, clock: context.clock, auditLog: context.auditLog,
            environment: context.settings.environment)
    }
}

extension OperatorAdministration: AdministrationParts {
    init(_ administration: Administration) {
        let context = administration.server.context
        self.init(
            database: context.database, clock: context.clock, auditLog: context.auditLog,
            ability: OperatorAbility(context), links: OperatorLinks(administration))
    }
}

extension OperatorLinks {
    fileprivate init(_ administration: Administration) {
        let context = administration.server.context
        self.init(
            issuer: context.settings.issuer, random: context.random, auditLog: context.auditLog,
            caller: administration.caller)
    }
}

extension SessionAdministration: AdministrationParts {
    init(_ administration: Administration) {
        let context = administration.server.context
        self.init(
            database: context.database, clock: context.clock, auditLog: context.auditLog, changes: context.changes,
            search: AccountSearch(context), vault: SessionVault(context.sealing))
    }
}

extension AccountSearch {
    init(_ context: ServerContext) { self.init(sealing: context.sealing, clock: context.clock) }
}
