internal import Core
internal import WalletAuthWire

extension ClientAuthenticator {
    /// `attest_jwt_client_auth_dpop`: an attester of the client vouches for the key of the request's DPoP proof
    /// (draft-ietf-oauth-attestation-based-client-auth-11 §7.1 and §7.3). The proof's nonce says that the key is at hand now, so the
    /// attestation itself may come again until it expires.
    static func refusal(
        of attestation: ClientAttestation, _ client: RegisteredClient, proof: CheckedProof?, now: Timestamp
    ) -> OAuthRefusal? {
        guard client.method == .attestation else { return .invalidClient(.method(client.method)) }
        guard let proof else { return .invalidDPoPProof("The client must send a DPoP proof.") }
        let claims: JWTClaims
        do throws(JOSEError) {
            claims = try CompactJWS(attestation.reveal()).verified(by: client.keys, type: .clientAttestation).claims()
        } catch { return .clientAttestation(.unproved(error)) }
        do throws(JOSEError) {
            // No attestation can be revoked, so a day is the longest that a verdict may be out of date.
            let isDated = try claims.date("iat") != nil
            let rules = JWTRules(
                subject: client.id.rawValue, maximumLifetime: .days(1), maximumAge: isDated ? Duration.days(1) : nil)
            try claims.validate(rules, now: NumericDate(clamping: now.seconds))
            let isOfProof = try attestedKey(claims).thumbprint == proof.thumbprint
            return isOfProof ? nil : .clientAttestation(.otherKey)
        } catch {
            let isOld = error == .claim(name: "exp", .expired) || error == .claim(name: "iat", .expired)
            return .clientAttestation(isOld ? .expired : .claim(error))
        }
    }

    /// The key of the app's instance (RFC 7800 §3.2), which must be a public one.
    private static func attestedKey(_ claims: JWTClaims) throws(JOSEError) -> JWK {
        guard let confirmation = claims.object["cnf"] else { throw .claim(name: "cnf", .missing) }
        guard let key = confirmation.object?["jwk"]?.object, let read = try? JWK(key) else {
            throw .claim(name: "cnf", .malformed)
        }
        return read
    }
}
