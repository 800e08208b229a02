internal import Core
package import Kernel
package import SignIn
internal import WalletAuthWire
package import Web

/// What consent to wallet operations adds to the server.
package enum ConsentFeature {
    package static let events: [any SecurityEventKind] = OperationEvent.allCases
    package static let messages: [any SecurityMessageKind] = ConsentMessage.Kind.allCases
    package static let pages: [any PageValues.Type] = [ConsentValues.self]

    package static func routes(_ edge: Edge, _ flows: ConsentFlows, authorization: Authorization) -> [Route] {
        WalletOperationEndpoints(operations: flows.operations, faults: edge.faults).routes
            + SCAEventEndpoints(events: flows.events, answers: ConsentAnswers(faults: edge.faults)).routes
            + ApprovalEndpoints(approvals: flows.approvals, answers: ApprovalAnswers(edge.faults)).routes
            + ConsentPageEndpoint(consentPages: flows.pages, authorize: AuthorizeEndpoint(edge, authorization)).routes
    }
}

/// The flows of consent, built once.
package struct ConsentFlows: Sendable {
    package let operations: RequestedOperations
    /// For the app of the person who must consent.
    package let events: ConsentEvents
    /// For another device of that person.
    package let approvals: PhoneApprovals
    /// For the browser.
    package let pages: ConsentPages

    package init(context: ServerContext, signIn: SignInFlows) {
        let (sealing, settings) = (context.sealing, context.settings)
        let party = context.passkeyParty
        let ledger = OperationLedger(
            database: context.database, clock: context.clock, vault: OperationVault(sealing),
            auditLog: context.auditLog)
        let factors = ConsentFactors(
            secondFactors: signIn.secondFactors, undeliverable: settings.undeliverableFactors,
            biometricKeys: settings.biometricKeyRule, party: party, clients: context.clients,
            accounts: AccountVault(sealing), pushes: signIn.approvalPushes)
        operations = RequestedOperations(
            ledger: ledger, factors: factors, settings: settings.sca, issuer: settings.issuer,
            keyRing: context.keyRing, random: context.random, audit: context.audit)
        events = ConsentEvents(
            ledger: ledger, factors: factors,
            verification: AttemptVerification(
                database: context.database, vault: ledger.vault,
                codes: FactorCodes(keyRing: context.keyRing, random: context.random, use: .consent),
                authenticators: AuthenticatorVault(sealing),
                passkeys: AppPasskeyConsents(
                    passkeys: signIn.passkeys, challenges: PasskeyChallenges(sealing), vault: ledger.vault)),
            assertions: signIn.assertions, challenges: DeviceChallenges(sealing: sealing),
            seal: ConsentSeal(sealing: sealing, pages: signIn.pageSeal, issuer: settings.issuer),
            keyRing: context.keyRing, random: context.random, idleLimit: settings.sca.policy.idleLimit,
            limits: settings.codes)
        approvals = PhoneApprovals(events: events, clients: context.clients, devices: DeviceVault(sealing))
        pages = ConsentPages(
            events: events, clients: context.clients,
            factors: PageFactors(
                passwords: context.passwords, party: party, challenges: PasskeyChallenges(sealing),
                passkeys: signIn.passkeys, accountPINs: signIn.accountPINs,
                coolingPeriod: context.settings.devices.coolingPeriod))
    }
}
