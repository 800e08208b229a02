internal import Foundation
package import Kernel
internal import Synchronization

/// Apple as a vendor of identity providers (docs/sign-in-with-apple.md).
package struct AppleVendor: ProviderVendor {
    /// Its name in the database and on the command line.
    package static let kind = "apple"
    /// Its name for people.
    static let name = "Apple"

    package var kind: String { Self.kind }

    private let decoded = DecodedProviders()

    package init() {}

    package func provider(_ record: IdentityProviderRecord, secret: [UInt8]?) throws -> any VendorProvider {
        try decoded.provider(settings: record.settings, keyFile: secret)
    }

    package func forgetProviders() { decoded.removeAll() }

    /// How many decoded providers are in memory, each with its key if that was needed.
    var decodedCount: Int { decoded.count }
}

/// Providers by the settings and the key that they were decoded from. Each sign-in signs with the key, whose file would
/// otherwise be parsed each time.
private final class DecodedProviders: Sendable {
    private struct Source: Hashable {
        /// The bytes of the stored text: texts may be equal by canonical equivalence and name different clients.
        let settings: [UInt8]
        /// A digest of the key's file; the file itself is not kept.
        let key: [UInt8]?
    }

    private let providers = Mutex<[Source: AppleProvider]>([:])
    /// More than any operator has. At the limit, the cache is emptied.
    private static let capacity = 1024

    var count: Int { providers.withLock { $0.count } }

    func removeAll() { providers.withLock { $0.removeAll() } }

    func provider(settings: String, keyFile: [UInt8]?) throws -> AppleProvider {
        let source = Source(settings: Array(settings.utf8), key: keyFile.map { Digests.of("apple-key", $0) })
        if let known = providers.withLock({ $0[source] }) { return known }
        let provider = AppleProvider(
            settings: try JSONDecoder().decode(AppleSettings.self, from: Data(source.settings)), keyFile: keyFile)
        providers.withLock { providers in
            if providers.count >= Self.capacity { providers.removeAll() }
            providers[source] = provider
        }
        return provider
    }
}
