internal import AuthCore
internal import Foundation
internal import WalletAuthWire

/// What the operator decided about a client beside its columns: lifetimes in seconds, flags, lists. Kept as JSON; a member
/// that is missing has its default, so that a client of an older version reads well.
struct ClientSettings: Codable, Sendable, Hashable {
    var firstParty: Bool?
    var requiresDPoP: Bool?
    var requiresMerchant: Bool?
    var fapi: Bool?
    var introspects: Bool?
    /// Transactions without an account, which the first device that scans the code claims.
    var allowsUnaddressedTransactions: Bool?
    var verifiesInstances: Bool?
    var deviceTokens: Bool?
    /// Tokens for guests whom a backend brings.
    var guestTokens: Bool?
    /// Of those, also by user name and password.
    var guestPasswords: Bool?
    var siteURL: String?
    var resetCredentialsURLs: [String]?
    var returnURLs: [String]?
    /// The apps that open links to transactions, as Apple names them: `TEAMID.bundle.id`.
    var appIDs: [String]?
    var resources: [String]?
    var redeemer: String?
    var idTokenAlgorithm: String?
    var accessTokenLifetime: Int64?
    var refreshIdleLifetime: Int64?
    var refreshAbsoluteLifetime: Int64?

    /// Reads the column.
    init(json: String) throws {
        self = try JSONDecoder().decode(ClientSettings.self, from: Data(json.utf8))
    }

    init() {}

    /// The column.
    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}
