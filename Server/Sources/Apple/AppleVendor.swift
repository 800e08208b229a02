internal import Foundation
package import Kernel
internal import Synchronization

/// Apple as a vendor of identity providers (docs/sign-in-with-apple.md).
///
/// It keeps the providers by the settings and the key that they were decoded from. Each sign-in signs with the key, whose file would
/// otherwise be parsed each time.
package final class AppleVendor: ProviderVendor {
    /// Its name in the database and on the command line.
    package static let kind = "apple"
    /// Its name for people.
    static let name = "Apple"

    private struct Source: Hashable {
        /// The bytes of the stored text: texts may be equal by canonical equivalence and name different clients.
        let settings: [UInt8]
        /// A digest of the key's file; the file itself is not kept.
        let key: [UInt8]?
    }

    private let decoded = Mutex<[Source: AppleProvider]>([:])
    /// More than any operator has. At the limit, the cache is emptied.
    private static let capacity = 1024

    package init() {}

    package var kind: String { Self.kind }

    /// How many decoded providers are in memory, each with its key if that was needed.
    var decodedCount: Int { decoded.withLock { $0.count } }

    package func provider(_ record: IdentityProviderRecord, secret: [UInt8]?) throws -> any VendorProvider {
        let source = Source(
            settings: Array(record.settings.utf8), key: secret.map { Digests.of("apple-key", $0) })
        if let known = decoded.withLock({ $0[source] }) { return known }
        let provider = AppleProvider(
            settings: try JSONDecoder().decode(AppleSettings.self, from: Data(source.settings)), keyFile: secret)
        decoded.withLock { decoded in
            if decoded.count >= Self.capacity { decoded.removeAll() }
            decoded[source] = provider
        }
        return provider
    }

    package func forgetProviders() { decoded.withLock { $0.removeAll() } }
}
