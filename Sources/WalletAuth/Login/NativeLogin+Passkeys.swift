import WalletAuthTransport
import WalletAuthWire

extension NativeLogin {
    /// Signs in with a passkey.
    /// - Parameter typed: the name that the account must have; nil for the account of the passkey that the person picks.
    func begin(
        passkeyOf typed: String?, strength: Wallet.LoginStrength, extras: LoginExtras
    ) async throws -> LoginOutcome {
        let operation = WalletError.Operation.loginByPasskey
        _ = try Wallet.Passkeys.authenticator(passkeys, for: enroller.issuer, operation)
        let username = try WalletError.argument(
            operation, .invalidCredentials, reason: { _ in "no account can have this name" }
        ) { try typed.map { try Username($0) } }
        let attempt = try await attempt(operation, username: typed, strength: strength, extras: extras)
        // Without a name, the last account signed in on this device is the likely one.
        let enrollment =
            if let username { try await enroller.enrollments.find(username) } else {
                try await enroller.enrollments.lastUsed()
            }
        let assertion = try await passkeyAssertion(for: attempt)
        return try await send(attempt) { nonce in
            let (device, deviceProof) = try await proof(by: enrollment, nonce: nonce, of: attempt)
            return .begin(
                .passkey(
                    PasskeyLogin(
                        assertion: assertion, username: username, deviceID: device, deviceProof: deviceProof)))
        }
    }

    /// Has the person use a passkey in a sign-in.
    func passkeyAssertion(for attempt: Attempt) async throws -> PasskeyAssertionResponse {
        let operation = attempt.operation
        guard let key = attempt.key else {
            throw WalletError(
                .unsupportedByServer, .misconfigured, during: operation, reason: "the server does not support DPoP")
        }
        _ = try Wallet.Passkeys.authenticator(passkeys, for: enroller.issuer, operation)
        let url = try enroller.issuer.url(of: Endpoints.passkeyOptions.path, during: operation)
        let request = PasskeyOptionsRequest(clientID: clientID, codeChallenge: attempt.challenge.challenge)
        let answer = try await exchange.send(
            HTTPRequest(url, .json(request.json)), proof: key, policy: .untilSent)
        guard answer.isSuccess else { throw answer.failure(during: operation) }
        let options = try PasskeyRequestOptions(try answer.object())
        return try await Wallet.Passkeys.assertion(
            options, by: passkeys, of: enroller.issuer, named: attempt.username, during: operation)
    }
}

extension MFAChallenge {
    /// Whether a passkey can be the second factor: ``answerWithPasskey()``.
    public var takesPasskey: Bool {
        let passkey = AccountFactorList.Factor.passkeyMethod
        return method == passkey || alternatives.contains { $0.method == passkey }
    }

    /// The same challenge with a passkey in front. The server accepts one at any time, so it learns nothing of the choice.
    var askingForPasskey: MFAChallenge {
        let passkey = AccountFactorList.Factor.passkeyMethod
        let own = InsufficientAuthorization.SecondFactor.Alternative(
            method: factor.method, channel: factor.channel, destination: factor.destination)
        return MFAChallenge(
            factor: InsufficientAuthorization.SecondFactor(
                token: factor.token, method: passkey,
                alternatives: [own] + factor.alternatives.filter { $0.method != passkey }), continuation: continuation)
    }

    /// Has the person use a passkey as the second factor, whatever factor the server asked for first.
    /// - Returns: the next state of the sign-in.
    /// - Throws: ``WalletError``: `cancelled_by_person`; `invalid_credentials` for another account's passkey, or one in its
    ///   first day. The challenge stays usable.
    public func answerWithPasskey() async throws -> LoginOutcome {
        let assertion = try await continuation.login.log.during(continuation.attempt.operation) {
            try await continuation.login.passkeyAssertion(for: continuation.attempt)
        }
        return try await continuation.resume(.passkey(assertion))
    }
}
