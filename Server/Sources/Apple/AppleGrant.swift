internal import Core
internal import Kernel
internal import WalletAuthWire

/// The consent that a sign-in with Apple proves, with the refresh token for checking and revoking it.
struct AppleGrant: Sendable {
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

    init(_ grant: VendorGrant) throws {
        let object = try JSONValue.object(parsing: grant.bytes)
        clientID = try object.required("clientID", object.string("clientID"))
        refreshToken = try object.string("refreshToken")
        verifiedAt = Timestamp(milliseconds: try object.required("verifiedAt", object.integer("verifiedAt")))
    }

    var forVendor: VendorGrant {
        var object = JSONObject()
        object.set("clientID", clientID)
        object.set("refreshToken", refreshToken)
        object.set("verifiedAt", verifiedAt.milliseconds)
        return VendorGrant(bytes: object.bytes)
    }
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
struct AppleGrantToken: Sendable {
    var clientID: String
    var refreshToken: String
    /// The team that got the token; the provider's name may belong to another team now.
    var namespace: String
}

extension AppleGrantToken {
    fileprivate init(_ object: JSONObject) throws {
        clientID = try object.required("clientID", object.string("clientID"))
        refreshToken = try object.required("refreshToken", object.string("refreshToken"))
        namespace = try object.required("namespace", object.string("namespace"))
    }

    fileprivate var json: JSONObject {
        var object = JSONObject()
        object.set("clientID", clientID)
        object.set("refreshToken", refreshToken)
        object.set("namespace", namespace)
        return object
    }
}

extension AppleGrantVault {
    func seal(_ tokens: [AppleGrantToken], of digest: [UInt8], brand: String) throws -> [UInt8] {
        try seal(JSONValue.array(tokens.map { .object($0.json) }).bytes, .tokens, of: (brand, digest))
    }

    /// - Returns: `nil` if the key is lost.
    func open(_ record: AppleGrantRecord) -> [AppleGrantToken]? {
        guard let sealed = record.sealed else { return [] }
        guard let bytes = openBytes(sealed, .tokens, of: (record.brandID, record.digest)),
            let tokens = try? JSONValue(parsing: bytes, limits: JSONLimits(bytes: bytes.count)).array
        else { return nil }
        return try? tokens.map { token in
            guard let object = token.object else { throw DamagedRow() }
            return try AppleGrantToken(object)
        }
    }
}

extension AppleGrant: CustomStringConvertible {
    var description: String { "<redacted>" }
}

extension AppleGrantToken: CustomStringConvertible {
    var description: String { "<redacted>" }
}
