internal import AuthCore
internal import Foundation
internal import WalletAuthWire

/// A client's settings without a column of their own: lifetimes in seconds, flags, lists. Stored as JSON. A missing member has
/// its default, so clients of an older version remain readable.
struct ClientSettings: Codable, Sendable, Hashable {
    var firstParty: Bool?
    var requiresDPoP: Bool?
    var requiresMerchant: Bool?
    var fapi: Bool?
    var introspects: Bool?
    /// Transactions without an account; the first device that scans the code claims one.
    var allowsUnaddressedTransactions: Bool?
    var verifiesInstances: Bool?
    var deviceTokens: Bool?
    /// Tokens for guests that a backend vouches for.
    var guestTokens: Bool?
    /// Guest tokens by user name and password, too.
    var guestPasswords: Bool?
    var siteURL: String?
    var resetCredentialsURLs: [String]?
    var returnURLs: [String]?
    /// The apps that open links to transactions, as Apple identifies them: `TEAMID.bundle.id`.
    var appIDs: [String]?
    var resources: [String]?
    var redeemer: String?
    var idTokenAlgorithm: String?
    var accessTokenLifetime: Int64?
    var refreshIdleLifetime: Int64?
    var refreshAbsoluteLifetime: Int64?

    init(json: String) throws {
        self = try JSONDecoder().decode(ClientSettings.self, from: Data(json.utf8))
    }

    init() {}

    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}
