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
typealias AppleGrantVault = Vault<AppleGrantField>

enum AppleGrantField: String, SealedField {
    case tokens = "apple_grants|sealed"

    typealias Row = (brand: String, digest: [UInt8])

    var purpose: KeyPurpose { .provider }

    static func id(of row: Row) -> String { "\(row.brand)|\(Base64URL.encode(row.digest))" }
}

/// A stored token.
struct AppleGrantToken: Codable, Sendable {
    var clientID: String
    var refreshToken: String
    /// The team that got the token; the provider's name may belong to another team now.
    var namespace: String
}

extension AppleGrantVault {
    func seal(_ tokens: [AppleGrantToken], of digest: [UInt8], brand: String) throws -> [UInt8] {
        try seal(Array(JSONEncoder().encode(tokens)), .tokens, of: (brand, digest))
    }

    /// - Returns: `nil` if the key is lost.
    func open(_ record: AppleGrantRecord) -> [AppleGrantToken]? {
        guard let sealed = record.sealed else { return [] }
        return openBytes(sealed, .tokens, of: (record.brandID, record.digest))
            .flatMap { try? JSONDecoder().decode([AppleGrantToken].self, from: Data($0)) }
    }
}

extension AppleGrant: CustomStringConvertible {
    var description: String { "<redacted>" }
}

extension AppleGrantToken: CustomStringConvertible {
    var description: String { "<redacted>" }
}
