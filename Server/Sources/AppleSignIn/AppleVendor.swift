package import AuthFoundation
package import AuthStore
internal import Foundation

/// Apple as a vendor of identity providers (docs/sign-in-with-apple.md).
package struct AppleVendor: ProviderVendor {
    /// Its name in the database and on the command line.
    package static let kind = "apple"
    /// Its name for people.
    static let name = "Apple"

    package var kind: String { Self.kind }

    package init() {}

    package func provider(_ record: IdentityProviderRecord, secret: [UInt8]?) throws -> any VendorProvider {
        AppleProvider(
            settings: try JSONDecoder().decode(AppleSettings.self, from: Data(record.settings.utf8)), keyFile: secret)
    }
}
