internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// A nonce that a backend requested for the person.
struct LoginNonceMethod: SignInMethod {
    let nonce: LoginNonce
    let purpose: LoginPurpose
    let device: DeviceEvidence
    let key: JWKThumbprint

    private enum Use: Sendable {
        case used(LoginNonceRecord)
        case refused
        case addressLocked(until: Timestamp?)
    }

    /// Uses the nonce up. Every invalid nonce gets the same response: wrong, spent, expired, or for another purpose.
    func verify(for attempt: SignInAttempt) async throws -> SignInVerdict {
        let (checks, intent, now) = (attempt.checks, attempt.intent, attempt.now)
        let device = try await device.recognized(for: attempt).enrolled
        let (digest, client) = (LoginNonceIssuer.digest(of: nonce), intent.client.id.rawValue)
        let counters = try checks.addresses.counters(of: intent.origin, now: now)
        let use = try await checks.database.write { connection -> Use in
            // Failures of others in its network do not hold up a device of the nonce's account.
            let isKnown =
                try LoginNonces.account(of: digest, on: connection)
                .map { try Devices.links(key.bytes, by: intent.client.id, to: $0, on: connection) } ?? false
            let address = isKnown ? nil : counters
            if case .refuse(let until)? = try address?.reserve(now: now, on: connection) {
                return .addressLocked(until: until)
            }
            let used = try LoginNonces.use(
                digest, by: client, for: purpose.rawValue, thumbprint: key.bytes, now: now, on: connection)
            guard let used else {
                try address?.fail(on: connection)
                return .refused
            }
            try address?.refund(on: connection)
            return .used(used)
        }
        switch use {
        case .addressLocked(let until):
            return .refused(.networkHeld(retryAfter: RetryAfter.seconds(until: until, now: now)))
        case .refused: return .refused(.invalidCredentials)
        case .used(let nonce):
            // The issuer may have lost the scope since.
            let issuer = try await checks.clients.find(ClientID(nonce.issuerClientID), now: now)
            guard issuer?.scope.contains(LoginNonceIssuer.scope) ?? false else { return .refused(.invalidCredentials) }
            let factors = SignInPolicy.Factors(
                securityVersion: nonce.securityVersion, amr: [LoginNonceIssuer.method], authTime: now)
            return .proved(try await attempt.proof(of: nonce.accountID, factors, on: device))
        }
    }
}
