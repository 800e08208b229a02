internal import Core
internal import Crypto
internal import WalletAuthWire

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
