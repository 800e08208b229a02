internal import Core
internal import Crypto
internal import WalletAuthWire

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The team that owns the apps, and its key. The key is derived from the IDs, so it is the same after every start. Anyone can
/// compute it.
package struct DeveloperTeam: Sendable {
    /// Ten characters.
    package let id: String
    /// Ten characters.
    package let keyID: String

    package static let sandbox = DeveloperTeam(id: "SANDBOXTM1", keyID: "SANDBOXKEY")

    /// The key in the form of Apple's console: PKCS #8 in PEM, a `.p8` file.
    package var privateKeyPEM: String { privateKey?.pemRepresentation ?? "" }

    var privateKey: P256.Signing.PrivateKey? {
        // About one value in four billion is not a scalar of the curve.
        for counter in UInt8(0)..<8 {
            let seed = HKDF<SHA256>.deriveKey(
                inputKeyMaterial: SymmetricKey(data: Array("walletauth sandbox developer".utf8)),
                info: Array("\(id)\0\(keyID)".utf8) + [counter], outputByteCount: 32)
            let bytes = seed.withUnsafeBytes { Array($0) }
            if let key = try? P256.Signing.PrivateKey(rawRepresentation: bytes) { return key }
        }
        return nil
    }
}

/// Verifies a developer's client secret as Apple does: signed ES256 with the team's key, for this client, valid for at most six
/// months.
enum StandInClientSecret {
    /// Six months, as Apple counts them, in seconds.
    private static let longest: Int64 = 15_777_000
    private static let leeway: Int64 = 60

    static func isGood(_ text: String, client: String, audience: String, now: Timestamp) -> Bool {
        let team = DeveloperTeam.sandbox
        guard let key = team.privateKey?.publicKey, let jws = try? CompactJWS(text), jws.header.keyID == team.keyID,
            let claims = try? jws.verified(by: P256Verifier(key, keyID: team.keyID)).claims(),
            claims.issuer == team.id, claims.subject == client, claims.audience == [audience],
            let issuedAt = claims.object["iat"]?.integer, let expiresAt = claims.object["exp"]?.integer
        else { return false }
        return issuedAt <= now.seconds + leeway && expiresAt > now.seconds && expiresAt <= now.seconds + longest
    }
}

/// The two keys for identity tokens and notifications. The newer one signs.
actor StandInKeys {
    private var signers: [RS256Signer] = []
    private var count = 0

    /// Starts to sign with a new key, and drops the oldest of three.
    func roll() throws {
        count += 1
        signers.append(try RS256Signer.generate(keyID: "standin\(count)"))
        if signers.count > 2 { signers.removeFirst() }
    }

    func sign(_ claims: [UInt8]) throws -> String {
        let signer = try signer()
        return try CompactJWSEncoder(signer: signer, type: nil).encode(claims, signer: signer)
    }

    func document() throws -> JSONObject {
        _ = try signer()
        var keys: [JSONValue] = []
        for signer in signers {
            guard var members = signer.publicJWK?.publicMembers else { continue }
            members.set("kid", signer.keyID)
            members.set("use", "sig")
            members.set("alg", "RS256")
            keys.append(.object(members))
        }
        var document = JSONObject()
        document["keys"] = .array(keys)
        return document
    }

    private func signer() throws -> RS256Signer {
        if signers.isEmpty {
            try roll()
            try roll()
        }
        return signers[signers.count - 1]
    }

    /// The left half of a SHA-256 digest, for `c_hash` (OpenID Connect Core §3.3.2.11).
    static func halfHash(_ text: String) -> String {
        Base64URL.encode(Array(SHA256.hash(data: Array(text.utf8)).prefix(16)))
    }
}

/// A refresh token that contains its own data, so that it survives a restart of the sandbox.
struct StandInRefreshToken: Sendable {
    let person: StandInPerson
    let client: String
    let issuedAt: Timestamp

    private static let key = SymmetricKey(data: Array("walletauth sandbox refresh tokens".utf8))

    func text(salt: [UInt8]) -> String {
        var json = JSONObject()
        json.set("name", person.name)
        json["hides"] = .bool(person.hidesEmail)
        json.set("client", client)
        json.set("iat", issuedAt.milliseconds)
        json.set("salt", Base64URL.encode(salt))
        let content = Base64URL.encode(json.bytes)
        return "r" + content + "." + Self.mac(content)
    }

    static func open(_ token: String) -> StandInRefreshToken? {
        let parts = token.dropFirst().split(separator: ".")
        guard token.hasPrefix("r"), parts.count == 2, ConstantTime.equal(mac(String(parts[0])), String(parts[1])),
            let bytes = Base64URL.decode(String(parts[0])), let json = try? JSONValue.object(parsing: bytes),
            let name = json["name"]?.string, let client = json["client"]?.string,
            let issuedAt = json["iat"]?.integer,
            let person = StandInPerson(name: name, hidesEmail: json["hides"] == .bool(true))
        else { return nil }
        return StandInRefreshToken(person: person, client: client, issuedAt: Timestamp(milliseconds: issuedAt))
    }

    private static func mac(_ content: String) -> String {
        Base64URL.encode(Array(HMAC<SHA256>.authenticationCode(for: Array(content.utf8), using: key)))
    }
}
