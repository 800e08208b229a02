package import Core
package import Kernel
package import Store
internal import WalletAuthWire

/// Asks identity providers what the first sign-in would ask: whether they answer and match the operator's settings. It sends no
/// one's credentials and caches nothing.
package struct ProviderProbe: Sendable {
    package struct Report: Sendable, Hashable, Codable {
        /// The name that apps use.
        package var id: String
        package var brand: String
        /// Its URL.
        package var place: String
        /// Reasons why people cannot sign in, each to follow the provider's name; empty if there are none.
        package var problems: [String]
        /// Whether a code by e-mail is a second factor after this provider.
        package var emailIsSecondFactor: Bool
        /// The last day on which it was asked for passwords, if that has passed.
        package var adoptionEnded: String?
    }

    /// A warning for the operator wherever this is set.
    package static let emailFactorRisk = "a code by e-mail counts as a second factor after a sign-in with it"
    /// The remedy for it.
    package static let emailFactorRemedy =
        """
        This is right only if its accounts do not open your people's mailboxes; otherwise remove it and add it \
        without --email-second-factor
        """

    /// A warning for the operator wherever this is so.
    package static func adoptionEnded(_ day: String) -> String {
        "it has not been asked since \(day), the last day that --until allowed"
    }
    /// The remedy for it.
    package static let adoptionRemedy =
        """
        Remove it, or add it again with a later --until. Without it, people who have no password yet choose one with \
        "Forgot your password?", and apps that were not updated ask for a sign-in
        """

    /// The number of providers asked in parallel.
    private static let atOnce = 8

    private let environment: ServerSettings.Environment
    private let http: ProviderHTTP
    private let open: @Sendable (IdentityProviderRecord) throws -> IdentityProvider
    private let now: Timestamp

    /// - Parameter environment: in the sandbox a provider may run on this machine.
    package init(
        environment: ServerSettings.Environment, http: ProviderHTTP = .guarded, vendors: [any ProviderVendor],
        now: Timestamp
    ) {
        let known = ProviderVendors(vendors)
        self.init(
            environment: environment, http: http, open: { try IdentityProvider($0, secret: nil, vendors: known) },
            now: now)
    }

    /// - Parameter open: decodes a provider. If it also opens the secret, the probe checks whether the provider knows this server.
    package init(
        environment: ServerSettings.Environment, http: ProviderHTTP,
        open: @escaping @Sendable (IdentityProviderRecord) throws -> IdentityProvider, now: Timestamp
    ) {
        self.environment = environment
        self.http = http
        self.open = open
        self.now = now
    }

    /// Probes every provider of a database.
    /// - Parameter database: its schema must be current.
    /// - Throws: ``StoreError``.
    package func reports(of database: any Database) async throws -> [Report] {
        let records = try await database.read { try IdentityProviders.list(limit: Self.most, on: $0) }
        return await withTaskGroup(of: (place: Int, report: Report).self) { group in
            var waiting = records.enumerated().makeIterator()
            var reports: [(place: Int, report: Report)] = []
            func begin() {
                guard let (place, record) = waiting.next() else { return }
                group.addTask { (place, await report(of: record)) }
            }
            for _ in 0..<Self.atOnce { begin() }
            while let done = await group.next() {
                reports.append(done)
                begin()
            }
            return reports.sorted { $0.place < $1.place }.map(\.report)
        }
    }

    /// More than any operator has.
    private static let most = 1000

    private func report(of record: IdentityProviderRecord) async -> Report {
        guard let provider = try? open(record) else {
            return Report(
                id: record.id, brand: record.brandID, place: "an unknown place",
                problems: ["has stored settings that cannot be read"], emailIsSecondFactor: false)
        }
        return Report(
            id: record.id, brand: record.brandID, place: provider.place, problems: await problems(of: provider),
            emailIsSecondFactor: provider.emailIsSecondFactor, adoptionEnded: adoptionEnd(of: provider))
    }

    /// The last day on which a provider was asked for passwords; `nil` if it has not passed.
    package func adoptionEnd(of provider: IdentityProvider) -> String? {
        guard let until = provider.adoptsUntil, until <= now else { return nil }
        return String((until - .seconds(1)).text.prefix(10))
    }

    /// Reasons why people cannot sign in, each to follow the provider's name.
    package func problems(of provider: IdentityProvider) async -> [String] {
        let reach = provider.reach(in: environment)
        do {
            switch provider.kind {
            case .openID(let settings, _): return try await problems(of: settings, reach: reach)
            // It may be gone by now, and no one needs it.
            case .repository where adoptionEnd(of: provider) != nil,
                .introspection where adoptionEnd(of: provider) != nil:
                return []
            case .introspection(let settings, let secret):
                // Without the secret, only whether there is an answer can be known.
                if secret != nil {
                    let isRefused = try await ForeignTokenIntrospection(http: http).refusesUnknownToken(
                        at: settings, secret, reach: reach)
                    return isRefused ? [] : ["calls a token active that cannot exist"]
                }
                _ = try await http.answer(to: ProviderHTTP.Request(url: settings.endpoint.rawValue, reach: reach))
                return []
            case .repository(let settings):
                // The repository answers only signed requests, so any response proves that it is reachable.
                _ = try await http.answer(to: ProviderHTTP.Request(url: settings.endpoint.rawValue, reach: reach))
                return []
            case .vendor(let vendor, _):
                return try await vendor.problems(http: http, environment: environment, now: now)
            }
        } catch let failure as ProviderFailure {
            return ["is not usable: \(failure.reason)"]
        } catch {
            return ["could not be checked"]
        }
    }

    private func problems(of settings: OpenIDSettings, reach: ProviderHTTP.Reach) async throws -> [String] {
        let documents = ProviderDocuments(http: http)
        let metadata = try await documents.metadata(of: settings, reach: reach, now: now)
        var problems: [String] = []
        if metadata.tokenEndpoint == nil {
            problems.append("publishes no token_endpoint, so no code can be redeemed there")
        }
        // Many providers that accept public clients omit `none` from the list.
        if settings.authentication != "none", !metadata.authenticationMethods.contains(settings.authentication) {
            problems.append(
                "does not support \(settings.authentication) at its token endpoint: use another --auth-method")
        }
        if settings.pageName != nil {
            if metadata.authorizationEndpoint == nil {
                problems.append("publishes no usable authorization_endpoint, so no page can lead there")
            }
            if let methods = metadata.challengeMethods, !methods.contains("S256") {
                problems.append("does not support PKCE with S256, which pages use")
            }
        }
        if try await documents.keys(from: .discovery(settings), reach: reach, now: now).keys.isEmpty {
            problems.append("publishes no key that can verify an ID token")
        }
        return problems
    }
}
