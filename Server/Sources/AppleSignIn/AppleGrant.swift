internal import AuthCore
internal import AuthFoundation
internal import AuthStore
internal import Foundation
internal import WalletAuthWire

/// The consent that a sign-in with Apple proves, with the refresh token for checking and revoking it.
struct AppleGrant: Codable, Sendable {
    /// The client that the token is for.
    var clientID: String
    /// `nil` if the app presented an identity token without a code.
    var refreshToken: String?
    /// When Apple vouched for the person.
    var verifiedAt: Timestamp

    init(clientID: String, refreshToken: String?, verifiedAt: Timestamp) {
        self.clientID = clientID
        self.refreshToken = refreshToken
        self.verifiedAt = verifiedAt
    }

    init(_ grant: VendorGrant) throws { self = try JSONDecoder().decode(AppleGrant.self, from: Data(grant.bytes)) }

    func forVendor() throws -> VendorGrant { VendorGrant(bytes: Array(try JSONEncoder().encode(self))) }
}

/// Seals a person's refresh tokens for their row. There is one for each app that the person signed in to, because Apple records
/// consents per app, or per group of apps if the operator grouped them.
struct AppleGrantVault: Sendable {
    let context: ServerContext

    /// A stored token.
    struct Token: Codable, Sendable {
        var clientID: String
        var refreshToken: String
        /// The team that got the token; the provider's name may belong to another team now.
        var namespace: String
    }

    func seal(_ tokens: [Token], of digest: [UInt8], brand: String) throws -> [UInt8] {
        try context.seal(
            Array(JSONEncoder().encode(tokens)), for: .provider, context: Self.context(digest: digest, brand: brand))
    }

    /// - Returns: `nil` if the key is lost.
    func open(_ record: AppleGrantRecord) -> [Token]? {
        guard let sealed = record.sealed else { return [] }
        return context.open(
            sealed, for: .provider, context: Self.context(digest: record.digest, brand: record.brandID)
        ).flatMap { try? JSONDecoder().decode([Token].self, from: Data($0)) }
    }

    private static func context(digest: [UInt8], brand: String) -> String {
        "apple_grants|sealed|\(brand)|\(Base64URL.encode(digest))"
    }
}

extension AppleGrant: CustomStringConvertible {
    var description: String { "<redacted>" }
}

extension AppleGrantVault.Token: CustomStringConvertible {
    var description: String { "<redacted>" }
}
