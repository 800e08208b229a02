internal import Core
internal import Crypto
internal import WalletAuthWire

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
