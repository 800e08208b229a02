internal import Core
package import Kernel
package import Operations
internal import SignIn
package import Store
package import WalletAuthWire

/// All of Sign in with Apple except the sign-in: operators' commands, exports of personal data, and Apple's notifications.
///
/// This target owns Apple's service: client secrets, identity tokens, codes, refresh tokens and their revocation, and Apple's
/// notifications. It does not decide whom a proven identity lets in, and does not own accounts, links or sessions: the flows do, and
/// reach Apple through the port `ProviderVendor`.
package struct AppleFlows: Sendable {
    package let notifications: AppleNotificationFlow
    /// Calls to Apple that no request causes.
    package let maintenance: AppleGrantMaintenance
    private let shared: AppleSharedConsents
    private let database: any Database
    private let sealing: SealingKeys
    private let party: PasskeyRelyingParty?

    package init(context: ServerContext) {
        let (clock, environment) = (context.clock, context.settings.environment)
        database = context.database
        sealing = context.sealing
        party = context.passkeyParty
        let services = AppleServices(context)
        shared = AppleSharedConsents(database: database, sealing: sealing, providers: services.providers)
        let consent = AppleConsent(
            clock: clock, sealing: sealing, auditLog: context.auditLog,
            unlinking: IdentityUnlinking(sealing: sealing, party: party))
        notifications = AppleNotificationFlow(
            database: database, clock: clock, clients: AppleNotificationClients(database: database),
            documents: context.providers, environment: environment, consent: consent, logger: context.logger)
        maintenance = AppleGrantMaintenance(
            database: database, clock: clock, clocks: context.clocks,
            revocation: AppleRevocation(
                database: database, clock: clock, sealing: sealing, auditLog: context.auditLog, shared: shared,
                services: services, logger: context.logger),
            question: AppleQuestion(
                database: database, sealing: sealing, consent: consent, services: services, logger: context.logger))
    }
}

extension AppleServices {
    init(_ context: ServerContext) {
        self.init(
            providers: context.providerVault, http: context.providerHTTP,
            environment: context.settings.environment)
    }
}

extension AppleTransfer: AdministrationParts {
    init(_ administration: Administration) {
        let context = administration.server.context
        self.init(
            database: context.database, clock: context.clock, sealing: context.sealing, auditLog: context.auditLog,
            services: AppleServices(context))
    }
}

extension AppleFlows: AdministeredFlow {
    package static var eventKinds: [any SecurityEventKind] { AppleFeature.events }

    package func export(of account: UniqueID) async throws -> (member: String, value: JSONValue) {
        let grants = try await database.read { try AppleGrants.list(of: account, on: $0) }
        return ("apple", .array(grants.map { .object($0.exported) }))
    }

    package func facts(of account: UniqueID) async throws -> [AccountFact] {
        let (grants, record, isLost) = try await database.read { connection in
            (
                try AppleGrants.list(of: account, on: connection), try Accounts.find(account, on: connection),
                try UnreachableAccounts.contains(account, at: party, on: connection)
            )
        }
        if isLost {
            let hasMailbox = record?.emailState == .verified
            return [
                AccountFact(
                    label: "way in", member: "lostWayIn",
                    value: """
                        The person's account at the provider was deleted, and this account has no other way to sign \
                        in. 
                        """
                            + (hasMailbox
                                ? "They can recover it by e-mail."
                                : "Verify their identity, then run `walletauth account set-password`."))
            ]
        }
        return grants.flatMap { grant in
            var facts = [AccountFact(label: "apple", member: "apple", value: grant.words)]
            if grant.isAddressReachable == false {
                facts.append(
                    AccountFact(
                        label: "apple address", member: "appleAddress",
                        value: "Apple no longer forwards mail to this address: the person turned it off"))
            }
            return facts
        }
    }

    package func adviceOnErasure(of account: UniqueID) async throws -> [String] {
        let grants = try await database.read { try AppleGrants.list(of: account, on: $0) }
        var advice: [String] = []
        // The person's Apple settings no longer list an app whose consent has ended.
        if grants.contains(where: { $0.sealed == nil && $0.suspendedAt == nil }) {
            advice.append(
                """
                Apple gave no revocable token for this person. Ask them to remove the app themselves: on the iPhone \
                under Settings, their name, Sign in with Apple; elsewhere on account.apple.com.
                """)
        }
        for grant in grants {
            let apps = try await shared.brands(of: grant.digest, besides: grant.brandID)
            for token in AppleGrantVault(sealing).open(grant) ?? [] {
                guard let brand = apps[token.clientID] else { continue }
                advice.append(
                    """
                    Apple's token for \(token.clientID) is not revoked: the same person uses this app with an account \
                    in the brand \(brand), and Apple keeps one consent for both. It is revoked when that account is \
                    erased as well.
                    """)
            }
        }
        return advice
    }

    package static let commands: [any AdminCommand.Type] = [ProviderAddApple.self, ProviderTransfer.self]
}

/// Adds Apple as a brand's provider.
struct NewAppleProviders: AdministrationParts {
    let database: any Database
    let clock: any Clock
    let vault: ProviderVault
    let environment: ServerSettings.Environment
    let providers: ProviderAdministration

    init(_ administration: Administration) {
        let context = administration.server.context
        database = context.database
        clock = context.clock
        vault = context.providerVault
        environment = context.settings.environment
        providers = ProviderAdministration(administration)
    }

    func add(_ registration: AppleRegistration) async throws -> AdministrationAnswer {
        let settings = try registration.settings(in: environment)
        let id = try ProviderID(registration.id)
        let brand = try BrandID(registration.brand ?? BrandSettings.defaultBrand)
        let integration = try registration.integration(of: id, brand: brand)
        let record = try vault.record(
            kind: AppleVendor.kind, id: id, brand: brand, settings: settings.encoded(), secret: registration.privateKey,
            now: clock.now())
        let answer = try await providers.add(record) { connection in
            guard let integration else { return }
            guard try ProviderIntegrations.add(integration, on: connection) else {
                throw AdministrationRefusal(
                    "The merchant \(integration.merchantID) already has an integration \(integration.integrationID).",
                    code: "taken")
            }
        }
        guard let integration else { return answer }
        return try await warned(of: integration, answer)
    }

    /// Adds what an integration shares with other merchants of its brand.
    private func warned(
        of integration: ProviderIntegrationRecord, _ answer: AdministrationAnswer
    ) async throws -> AdministrationAnswer {
        let others = try await database.read { connection in
            try ProviderIntegrations.merchants(of: integration.brandID, on: connection)
        }.filter { $0 != integration.merchantID }
        guard !others.isEmpty else { return answer }
        let warning = """
            the brand \(integration.brandID) already has \(others.count == 1 ? "the merchant" : "the merchants") \
            \(others.map { String($0) }.joined(separator: ", ")), and merchants of one brand share its accounts: user \
            names, passwords, what people link, and the sign-in pages. If they are different companies, remove the \
            provider and add it in a brand of its own (`walletauth brand create`, and --brand)
            """
        var result = answer
        var json = try answer.document()
        json.set("warnings", (json["warnings"]?.strings ?? []) + [warning])
        result.lines.append("WARNING: \(warning).")
        result.json = JSONValue.object(json).text
        return result
    }
}

extension AppleGrantRecord {
    /// For the person's export.
    fileprivate var exported: JSONObject {
        var json = JSONObject()
        json.set("provider", providerID)
        json.set("verifiedAt", verifiedAt.text)
        json["holdsRefreshToken"] = .bool(sealed != nil)
        json.set("suspendedAt", suspendedAt?.text)
        json["addressReachable"] = isAddressReachable.map { .bool($0) }
        return json
    }

    /// For an operator.
    fileprivate var words: String {
        guard let suspendedAt else { return "\(providerID): last vouched for at \(verifiedAt.text)" }
        return
            """
            \(providerID): the person stopped using it at \(suspendedAt.text); their next sign-in with Apple resumes \
            it
            """
    }
}
