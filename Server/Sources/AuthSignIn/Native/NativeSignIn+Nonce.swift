internal import AuthCore
internal import AuthCredentials
internal import AuthFoundation
internal import AuthStore
internal import WalletAuthWire

/// Sign-in with a nonce that a backend requested.
extension NativeSignIn {
    private enum Use: Sendable {
        case used(LoginNonceRecord)
        case refused
        case addressLocked(until: Timestamp?)
    }

    /// Uses the nonce up and passes the gate. Every invalid nonce gets the same response: wrong, spent, expired, or for another
    /// purpose.
    func signIn(_ login: NonceLogin, call: Call) async throws -> NativeSignInOutcome {
        let device = try await DeviceRecognition(context: context).device(
            login.deviceID, proof: login.deviceProof, thumbprint: call.thumbprint,
            challenge: call.intent.challenge, client: call.intent.client.id, now: call.now)
        let (digest, client) = (LoginNonceIssuer.digest(of: login.nonce), call.intent.client.id.rawValue)
        let attempts = AddressAttempts(context: context)
        let (address, policy) = (try attempts.subject(call.intent.origin.address), attempts.policy)
        let use = try await context.database.write { connection -> Use in
            if case .refuse(let until) = try Attempts.reserve(address, under: policy, now: call.now, on: connection) {
                return .addressLocked(until: until)
            }
            let used = try LoginNonces.use(
                digest, by: client, for: login.purpose.rawValue, thumbprint: call.thumbprint.bytes, now: call.now,
                on: connection)
            guard let used else {
                try Attempts.fail(address, on: connection)
                return .refused
            }
            try Attempts.refund(address, on: connection)
            return .used(used)
        }
        switch use {
        case .addressLocked(let until):
            return .refused(.tooManyAttempts(retryAfter: RetryAfter.seconds(until: until, now: call.now)))
        case .refused: return .refused(.invalidCredentials)
        case .used(let nonce):
            // The issuer may have lost the scope since.
            let issuer = try await context.clients.find(ClientID(nonce.issuerClientID), now: call.now)
            guard issuer?.scope.contains(LoginNonceIssuer.scope) ?? false else { return .refused(.invalidCredentials) }
            // A proof by another account's device counts for nothing.
            let own = device.flatMap { $0.accountID == nonce.accountID ? $0 : nil }
            let factors = SignInPolicy.Factors(
                securityVersion: nonce.securityVersion,
                amr: [LoginNonceIssuer.method] + (own.map { [$0.keyStorage.method] } ?? []), authTime: call.now)
            var call = call
            if let own {
                call.intent.device = own.id
                call.intent.isDeviceProved = true
            } else {
                call.intent.device = try await unnamedDevice(of: nonce.accountID, call: call)
            }
            return try await finish(nonce.accountID, factors: factors, call: call)
        }
    }
}
