internal import Synchronization
internal import WalletAuthWire

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

    package init(brand: String, provider: String, ok: UInt64 = 0, refused: UInt64 = 0, unavailable: UInt64 = 0) {
        self.brand = brand
        self.provider = provider
        self.ok = ok
        self.refused = refused
        self.unavailable = unavailable
    }
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

    package func count(_ outcome: Outcome, of provider: String, in brand: String) {
        let name = Name(brand: brand, provider: provider)
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
