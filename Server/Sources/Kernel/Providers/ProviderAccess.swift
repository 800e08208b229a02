package import Logging
package import Store
internal import Synchronization
internal import WalletAuthWire

/// How this server asks identity providers, and what a vendor's target uses of the server to do so. One for all flows, so it is a
/// class.
package final class ProviderAccess: Sendable {
    package let http: ProviderHTTP
    package let documents: ProviderDocuments
    package let environment: ServerSettings.Environment
    package let database: any Database
    package let sealing: SealingKeys
    package let auditLog: AuditLog
    package let activity: ProviderActivity
    package let logger: Logger

    init(
        http: ProviderHTTP, documents: ProviderDocuments, environment: ServerSettings.Environment,
        database: any Database, sealing: SealingKeys, auditLog: AuditLog, activity: ProviderActivity, logger: Logger
    ) {
        self.http = http
        self.documents = documents
        self.environment = environment
        self.database = database
        self.sealing = sealing
        self.auditLog = auditLog
        self.activity = activity
        self.logger = logger
    }

    /// Logs why a provider could not be asked, and counts the failure.
    package func report(_ failure: ProviderFailure, of provider: IdentityProvider) {
        activity.count(.unavailable, of: provider)
        logger.log(
            level: failure.logLevel, "an identity provider cannot be used",
            metadata: ["provider": "\(provider.id)", "reason": "\(failure.reason)"])
    }

    /// Asks a provider about a person, and counts whether it confirms them.
    /// - Returns: `nil` if the provider could not be asked, which is reported to the operator.
    package func counting<Answer: Sendable>(
        _ provider: IdentityProvider, confirms: (Answer) -> Bool, _ ask: () async throws -> Answer
    ) async throws -> Answer? {
        do {
            let answer = try await ask()
            activity.count(confirms(answer) ? .ok : .refused, of: provider)
            return answer
        } catch let failure as ProviderFailure {
            report(failure, of: provider)
            return nil
        }
    }
}

/// The results of one identity provider's verifications since the start of this process.
package struct ProviderMetrics: Sendable, Hashable {
    package var brand: String
    /// The name that apps use.
    package var provider: String
    /// It vouched for a person.
    package var ok: UInt64 = 0
    /// It refused, or a credential in its name was invalid.
    package var refused: UInt64 = 0
    /// It was unreachable, or reported that it cannot answer.
    package var unavailable: UInt64 = 0
}

/// Counts the results of verifications at identity providers.
package final class ProviderActivity: Sendable {
    package enum Outcome: Sendable {
        case ok
        case refused
        case unavailable
    }

    private struct Name: Hashable, Sendable {
        var brand: String
        var provider: String
    }

    /// The number of providers counted separately; all others share one counter. Operators add and remove providers, and a removed
    /// one keeps its metrics.
    static let most = 256
    private static let others = Name(brand: "other", provider: "other")

    private let counts = Mutex<[Name: ProviderMetrics]>([:])

    init() {}

    package func count(_ outcome: Outcome, of provider: IdentityProvider) {
        let name = Name(brand: provider.brand.rawValue, provider: provider.id.rawValue)
        counts.withLock { counts in
            let name = counts[name] != nil || counts.count < Self.most ? name : Self.others
            var metrics = counts[name] ?? ProviderMetrics(brand: name.brand, provider: name.provider)
            switch outcome {
            case .ok: metrics.ok += 1
            case .refused: metrics.refused += 1
            case .unavailable: metrics.unavailable += 1
            }
            counts[name] = metrics
        }
    }

    package var metrics: [ProviderMetrics] {
        counts.withLock { Array($0.values) }.sorted { ($0.brand, $0.provider) < ($1.brand, $1.provider) }
    }
}
