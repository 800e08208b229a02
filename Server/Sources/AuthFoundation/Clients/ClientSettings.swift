internal import AuthCore
internal import Foundation
internal import WalletAuthWire

/// A client's settings without a column of their own: lifetimes in seconds, flags, lists. Stored as JSON. A missing member has
/// its default, so clients of an older version remain readable.
package struct ClientSettings: Codable, Sendable, Hashable {
    package var firstParty: Bool?
    package var requiresDPoP: Bool?
    package var requiresMerchant: Bool?
    package var fapi: Bool?
    package var introspects: Bool?
    /// Transactions without an account; the first device that scans the code claims one.
    package var allowsUnaddressedTransactions: Bool?
    package var verifiesInstances: Bool?
    package var deviceTokens: Bool?
    /// Tokens for guests that a backend vouches for.
    package var guestTokens: Bool?
    /// Guest tokens by user name and password, too.
    package var guestPasswords: Bool?
    package var siteURL: String?
    package var resetCredentialsURLs: [String]?
    package var returnURLs: [String]?
    /// The apps that open links to transactions, as Apple identifies them: `TEAMID.bundle.id`.
    package var appIDs: [String]?
    package var resources: [String]?
    package var redeemer: String?
    package var idTokenAlgorithm: String?
    package var accessTokenLifetime: Int64?
    package var refreshIdleLifetime: Int64?
    package var refreshAbsoluteLifetime: Int64?

    init(json: String) throws {
        self = try JSONDecoder().decode(ClientSettings.self, from: Data(json.utf8))
    }

    package init() {}

    package func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}
