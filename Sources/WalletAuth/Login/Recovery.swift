import WalletAuthWire

/// Self-service recovery: of a forgotten password, or of a wallet locked by failed attempts.
extension NativeLogin {
    func recover(username: String) async throws -> RecoveryChallenge {
        let operation = WalletError.Operation.recover
        let name = try WalletError.argument(operation, reason: { _ in "no account can have this name" }) {
            try Username(username)
        }
        let attempt = try await attempt(operation, username: username)
        let enrollment = try await enroller.enrollments.find(name)
        return try await sendForCode(attempt) { nonce in
            var login = RecoveryLogin(username: name)
            (login.deviceID, login.deviceProof) = try await proof(by: enrollment, nonce: nonce, of: attempt)
            return .begin(.recovery(login))
        }
    }
}
