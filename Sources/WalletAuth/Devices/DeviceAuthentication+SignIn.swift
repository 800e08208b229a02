package import WalletAuthWire

/// A sign-in by this device's keys that was begun: what its assertion has to be about.
package struct DeviceSignIn: Sendable {
    /// `login`, over the DPoP key and the PKCE challenge of this very sign-in.
    package let act: DeviceAssertion.Act
    let attempt: NativeLogin.Attempt
}

extension DeviceAuthentication {
    /// Begins a sign-in; nothing of it is known to the server yet.
    /// - Throws: ``WalletError`` `unsupported_by_server` at a server that binds no tokens to keys.
    package func beginSignIn(
        as enrollment: Enrollment, extras: LoginExtras, during operation: WalletError.Operation
    ) async throws -> DeviceSignIn {
        guard try await core.discovery.metadata().offersDPoP else {
            throw WalletError(
                .unsupportedByServer, .misconfigured, during: operation, reachedServer: true,
                reason: "the server binds no tokens to a key of this device")
        }
        let key = try await core.binding.keyForSignIn()
        let challenge = OAuthCodeChallenge()
        return DeviceSignIn(
            act: .login(.signIn(thumbprint: key.thumbprint, codeChallenge: challenge.challenge)),
            attempt: NativeLogin.Attempt(
                operation: operation, challenge: challenge, scopes: core.configuration.scopes,
                extras: extras, key: key, username: enrollment.username?.rawValue))
    }

    /// Ends a sign-in by its assertion. Harmless to repeat: the same assertion is right once and stays so.
    package func finish(
        _ signIn: DeviceSignIn, as enrollment: Enrollment, by assertion: SignedAssertion
    ) async throws -> LoginOutcome {
        try await finish(
            signIn, as: enrollment, .pin(PINLogin(deviceID: enrollment.deviceID, assertion: assertion)))
    }

    /// Ends a sign-in by the long-lived session that this device keeps, and an assertion.
    /// - Throws: ``WalletError``: `no_device_token`, `device_token_expired` …
    package func finishByDeviceToken(
        _ signIn: DeviceSignIn, as enrollment: Enrollment, by assertion: SignedAssertion
    ) async throws -> LoginOutcome {
        let kept = DeviceTokenBook(core: core, enrollment: enrollment)
        let token = try await kept.token(during: signIn.attempt.operation)
        do {
            let outcome = try await finish(
                signIn, as: enrollment,
                .deviceToken(
                    DeviceTokenLogin(deviceID: enrollment.deviceID, token: token, assertion: assertion)))
            try? await kept.noteUse()
            return outcome
        } catch let error as WalletError where error.code == .deviceTokenExpired {
            try? await kept.keep(.expired)
            throw error
        }
    }

    /// Refuses a sign-in by the long-lived session before anything is asked or sent where none is kept.
    package func requireDeviceToken(of enrollment: Enrollment, during operation: WalletError.Operation) async throws {
        _ = try await DeviceTokenBook(core: core, enrollment: enrollment).token(during: operation)
    }

    private func finish(
        _ signIn: DeviceSignIn, as enrollment: Enrollment, _ method: LoginMethod
    ) async throws -> LoginOutcome {
        let outcome = try await core.nativeLogin.send(signIn.attempt, policy: .idempotent) { _ in .begin(method) }
        core.revoker.sendBeside()
        // That somebody is signed in matters more than which account is offered first the next time.
        try? await core.enroller.book.noteUse(of: enrollment.deviceID, at: core.keeper.clock.now)
        return outcome
    }
}
