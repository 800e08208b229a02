internal import ArgumentParser
internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

enum ProviderCommands: CommandNoun {
    static let title = "provider"
    static let abstract = "Add, check and remove the identity providers that people may sign in with."
    static let commands: [any AdminCommand.Type] = [
        ProviderList.self, ProviderShow.self, ProviderCheck.self, ProviderRemove.self, ProviderExamine.self,
    ]
}

enum ProviderAddCommands: CommandNoun {
    static let title = "provider add"
    static let abstract = "Add a provider."
    static let commands: [any AdminCommand.Type] = [
        ProviderAddOIDC.self, ProviderAddGoogle.self, ProviderAddRepository.self, ProviderAddIntrospection.self,
    ]
}

struct ProviderList: AdminCommand {
    static let title = "provider list"
    static let access = CommandAccess.reading(.developer, .auditor)
    static let abstract = "List the providers."

    var effect: CommandEffect { .reads }

    func execute(in providers: ProviderAdministration) async throws -> AdministrationAnswer {
        let records = try await providers.database.everyPage { after, limit, connection in
            try IdentityProviders.list(after: after, limit: limit, on: connection)
        }
        return .list(
            "providers", columns: ["BRAND", "ID", "KIND", "AT"],
            try records.map { record in
                let provider = try providers.vault.open(record)
                return (
                    [record.brandID, record.id, record.kind, provider.place],
                    providers.json(provider, addedAt: record.createdAt)
                )
            }, empty: "No identity providers.")
    }
}

struct ProviderShow: AdminCommand {
    static let title = "provider show"
    static let access = CommandAccess.reading(.developer, .auditor)
    static let abstract = "Show everything about a provider, except its secret."

    @OptionGroup var options: ProviderOptions

    var target: CommandTarget { .brand(options.brand) }

    var effect: CommandEffect { .reads }

    func execute(in providers: ProviderAdministration) async throws -> AdministrationAnswer {
        let (id, brand) = (options.provider.id, options.brand ?? BrandSettings.defaultBrand)
        let (record, integrations) = try await providers.database.read { connection in
            (
                try IdentityProviders.find(id, brand: brand, on: connection),
                try ProviderIntegrations.list(provider: id, brand: brand, on: connection)
            )
        }
        guard let record else { throw AdministrationRefusal.notFound("provider", "\(id) in the brand \(brand)") }
        let provider = try providers.vault.open(record)
        var facts: [(name: String, value: String?)] = [
            ("id", record.id), ("brand", record.brandID), ("kind", record.kind), ("at", provider.place),
            ("e-mail trusted", provider.trustsEmail ? "yes" : "no"),
            ("e-mail as second factor", provider.emailIsSecondFactor ? "YES: \(ProviderProbe.emailFactorRisk)" : "no"),
        ]
        facts.append(("on sign-in page", provider.pageName))
        if provider.pageName != nil { facts.append(("redirect URI", providers.redirectURI(of: provider))) }
        switch provider.kind {
        case .openID(let settings, _):
            if settings.redirectsToOtherHosts { facts.append(("redirects to other hosts", "yes")) }
            facts += [("client id", settings.clientID), ("auth method", settings.authentication)]
        case .repository(let settings):
            facts.append(("passwords taken over until", settings.adoptsUntil.map(LastDay.text)))
        case .introspection(let settings, _):
            facts += [
                ("client id", settings.clientID), ("clients", settings.clients.joined(separator: ", ")),
                ("clients there", settings.formerClients.joined(separator: ", ")),
                ("tokens exchanged until", LastDay.text(settings.until)),
            ]
        case .vendor(let vendor, _):
            facts += vendor.facts.map { ($0.label, $0.values.joined(separator: ", ")) }
        }
        facts += integrations.map { ("loyalty merchant", $0.words) }
        facts.append(("added", record.createdAt.text))
        var json = providers.json(provider, addedAt: record.createdAt)
        if !integrations.isEmpty { json["integrations"] = .array(integrations.map { .object($0.json) }) }
        return .facts(facts.compactMap { fact in fact.value.map { (fact.name, $0) } }, json)
    }
}

struct ProviderCheck: AdminCommand {
    static let title = "provider check"
    static let access = CommandAccess.reading(.developer)
    static let abstract = "Check whether people can sign in with a provider, and report what it would refuse."
    static let discussion = """
        This reads what an OpenID provider publishes. For Apple, it also requests tokens with a code that cannot \
        exist: the response shows whether team id, key and client ids belong together.
        """

    @OptionGroup var options: ProviderOptions

    var target: CommandTarget { .brand(options.brand) }

    var effect: CommandEffect { .reads }

    func execute(in providers: ProviderAdministration) async throws -> AdministrationAnswer {
        let (id, brand) = (options.provider.id, options.brand ?? BrandSettings.defaultBrand)
        let record = try await providers.database.read { try IdentityProviders.find(id, brand: brand, on: $0) }
        guard let record else { throw AdministrationRefusal.notFound("provider", "\(id) in the brand \(brand)") }
        let provider = try providers.vault.open(record)
        let problems = await providers.probe.problems(of: provider)
        guard problems.isEmpty else {
            throw AdministrationRefusal(
                "People cannot sign in with the provider \(id): \(provider.place) \(problems.joined(separator: "; ")).",
                code: "provider_unusable")
        }
        var lines = ["Provider \(id) of the brand \(brand): \(provider.place) responds as expected."]
        if let ended = providers.probe.adoptionEnd(of: provider) {
            lines = ["Provider \(id) of the brand \(brand): \(ProviderProbe.adoptionEnded(ended))."]
        }
        if provider.pageName != nil {
            // Only a person's sign-in shows whether the redirect URI is registered.
            lines.append(
                "Its pages need this redirect URI to be registered there: \(providers.redirectURI(of: provider))")
        }
        return .done(lines, providers.json(provider, addedAt: record.createdAt))
    }
}

/// Linked identities stay linked but cannot sign in.
struct ProviderRemove: AdminCommand {
    static let title = "provider remove"
    static let abstract =
        "Remove a provider. Links to it stay, but people cannot sign in with it until it is added again."

    @OptionGroup var options: ProviderOptions

    /// Its people have to sign in some other way, and its id becomes free.
    var target: CommandTarget { .administration(nil) }

    func execute(in providers: ProviderAdministration) async throws -> AdministrationAnswer {
        let (id, brand) = (options.provider.id, options.brand ?? BrandSettings.defaultBrand)
        let now = providers.clock.now()
        let removed = try await providers.database.read { try IdentityProviders.find(id, brand: brand, on: $0) }
        guard let removed else { throw AdministrationRefusal.notFound("provider", "\(id) in the brand \(brand)") }
        let entry = try providers.change("removed", removed, now: now)
        try await providers.database.write { connection in
            try ProviderIntegrations.remove(provider: id, brand: brand, on: connection)
            guard try IdentityProviders.remove(id, brand: brand, on: connection) else { return }
            try entry.write(on: connection)
        }
        providers.announceChange()
        var json = JSONObject()
        json.set("id", id)
        json.set("brand", brand)
        return .done("Provider \(id) removed from the brand \(brand); people can no longer sign in with it.", json)
    }
}

/// For the doctor.
struct ProviderExamine: AdminCommand {
    static let title = "provider examine"
    static let access = CommandAccess.terminal
    static let abstract = "Fetch every provider's published metadata, and report what prevents sign-ins."
    static let isListed = false

    var effect: CommandEffect { .reads }

    func execute(in providers: ProviderAdministration) async throws -> AdministrationAnswer {
        let reports = try await providers.probe.reports(of: providers.database)
        return .list(
            "providers", columns: ["BRAND", "ID", "AT", "PROBLEMS"],
            reports.map { report in
                var json = JSONObject()
                json.set("id", report.id)
                json.set("brand", report.brand)
                json.set("place", report.place)
                json["problems"] = .strings(report.problems)
                json["emailIsSecondFactor"] = .bool(report.emailIsSecondFactor)
                json.set("adoptionEnded", report.adoptionEnded)
                return ([report.brand, report.id, report.place, report.problems.joined(separator: "; ")], json)
            }, empty: "No identity providers.")
    }
}

extension ProviderIntegrationRecord {
    /// For people.
    fileprivate var words: String {
        var words = "\(merchantID) as \(integrationID)"
        if let cardTemplate { words += ", card template \(cardTemplate)" }
        if let activationStore { words += ", activation store \(activationStore)" }
        return words
    }

    /// For programs.
    fileprivate var json: JSONObject {
        var json = JSONObject()
        json.set("merchantId", merchantID)
        json.set("integrationId", integrationID)
        json.set("cardTemplateCode", cardTemplate)
        json.set("activationStoreCode", activationStore)
        return json
    }
}

/// The options that every kind of provider has.
struct ProviderTrustOptions: ParsableArguments {
    @Argument(help: "The id that apps use for it.")
    var id: String

    @Option(help: "The brand whose people may sign in with it; `default` if omitted.")
    var brand: String?

    @OptionGroup(title: "Trust") var trust: Trust

    struct Trust: ParsableArguments {
        @Flag(
            name: .customLong("trust-email"),
            help: """
                Trust the provider when it reports that an e-mail address is verified. Without this flag, the person \
                confirms the address with a code.
                """)
        var trustsEmail = false

        @Flag(
            name: .customLong("email-second-factor"),
            help: """
                Count a code by e-mail as a second factor after a sign-in with it. This is right only if its accounts do \
                not open your people's mailboxes; without this flag, such a code does not count.
                """)
        var emailIsSecondFactor = false

        @Flag(
            name: .customLong("internal"),
            help: "The provider is in your own network: let the server connect to private addresses for it.")
        var isInternal = false
    }
}

struct ProviderAddOIDC: AdminCommand {
    static let title = "provider add oidc"
    static let abstract = "Add an OpenID provider; its endpoints and keys are found by discovery."
    static let discussion = """
        The client secret is never an argument, because the process list and the shell history would show it. \
        An account is found by the provider's issuer and subject, never by an e-mail address.

          walletauth provider add oidc example --issuer https://id.example.com \\
              --client-id wallet-server --client-secret-stdin < secret.txt
        """

    @OptionGroup var common: ProviderTrustOptions

    @Option(help: ArgumentHelp("Its issuer, exactly as in its discovery document.", valueName: "url"))
    var issuer: String

    @Option(help: ArgumentHelp("The id of the client that the provider registered for this server.", valueName: "id"))
    var clientID: String

    @Flag(name: .customLong("client-secret-stdin"), help: "Read the client's secret from standard input.")
    var secretFromInput = false

    @Option(
        help: ArgumentHelp(
            "client_secret_basic (the default with a secret), client_secret_post, or none (the default without).",
            valueName: "method"),
        completion: .list([ClientAuthenticationMethod.none, .basic, .post].map(\.rawValue)))
    var authMethod: String?

    @OptionGroup(title: "Sign-in page") var page: SignInPage

    @OptionGroup(title: "Claims") var claims: Claims

    struct SignInPage: ParsableArguments {
        @Flag(
            name: .customLong("on-sign-in-page"),
            help:
                "Show it on the brand's sign-in page, under --label; this server's redirect URI must be registered there."
        )
        var isOnSignInPage = false

        @Option(help: ArgumentHelp("Its name on the sign-in page, such as Google.", valueName: "text"))
        var label: String?

        @Flag(
            help: """
                Its authorization endpoint redirects browsers to other hosts before it shows a page, as brokers do. The \
                sign-in page then leads there through one extra step.
                """)
        var redirectsToOtherHosts = false
    }

    struct Claims: ParsableArguments {
        @Option(help: ArgumentHelp("The claim with the e-mail address; email if omitted.", valueName: "name"))
        var emailClaim: String?

        @Option(
            help: ArgumentHelp(
                "The claim that states whether it is verified; email_verified if omitted.", valueName: "name"))
        var emailVerifiedClaim: String?
    }

    static let inputOption: String? = "client-secret-stdin"
    /// The client secret.
    var input: String?

    /// Accounts are found by issuer and subject: a client that someone else has at the same issuer would prove them as well.
    var target: CommandTarget { .administration(nil) }

    func precondition(isTyped: Bool) -> AdminRequest? {
        isTyped && secretFromInput ? .show(brand: common.brand) : nil
    }

    func readInput(from reader: any CommandInputReader) throws -> String? {
        secretFromInput ? try reader.secret("client secret", isChosen: false) : nil
    }

    func execute(in providers: ProviderAdministration) async throws -> AdministrationAnswer {
        var registration = OpenIDRegistration(id: common.id, issuer: issuer, clientID: clientID)
        registration.brand = common.brand
        registration.clientSecret = input
        registration.authentication = authMethod
        registration.emailClaim = claims.emailClaim
        registration.emailVerifiedClaim = claims.emailVerifiedClaim
        registration.trustsEmail = common.trust.trustsEmail
        registration.isInternal = common.trust.isInternal
        registration.emailIsSecondFactor = common.trust.emailIsSecondFactor
        registration.isOnSignInPage = page.isOnSignInPage
        registration.label = page.label
        registration.redirectsToOtherHosts = page.redirectsToOtherHosts
        return try await providers.add(registration)
    }
}
