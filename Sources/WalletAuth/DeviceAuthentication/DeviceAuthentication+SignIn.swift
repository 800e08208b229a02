import WalletAuthTransport
package import WalletAuthWire

/// A sign-in with this device's keys that has begun: what its assertion must cover.
package struct DeviceSignIn: Sendable {
    /// `login`, over the DPoP key and the PKCE challenge of this sign-in.
    package let act: DeviceAssertion.Act
    let attempt: NativeLogin.Attempt
}

extension DeviceAuthentication {
    /// Begins a sign-in. The server does not know of it yet.
    /// - Throws: ``WalletError`` `unsupported_by_server` if the server does not bind tokens to keys.
    package func beginSignIn(
        as enrollment: Enrollment, extras: LoginExtras, during operation: WalletError.Operation
    ) async throws -> DeviceSignIn {
        guard try await discovery.metadata().offersDPoP else {
            throw WalletError(
                .unsupportedByServer, .misconfigured, during: operation, reachedServer: true,
                reason: "the server does not bind tokens to a key of this device")
        }
        let key = try await binding.keyForSignIn()
        let attempt = NativeLogin.Attempt(
            operation: operation, scopes: nativeLogin.scopes, extras: extras, key: key,
            username: enrollment.username?.rawValue)
        return DeviceSignIn(
            act: .login(.signIn(thumbprint: key.thumbprint, codeChallenge: attempt.challenge.challenge)),
            attempt: attempt)
    }

    /// Completes a sign-in with its assertion. Safe to repeat.
    package func finish(
        _ signIn: DeviceSignIn, as enrollment: Enrollment, by assertion: SignedAssertion
    ) async throws -> LoginOutcome {
        try await finish(
            signIn, as: enrollment, .pin(PINLogin(deviceID: enrollment.deviceID, assertion: assertion)))
    }

    /// Completes a sign-in with this device's long-lived session and an assertion.
    /// - Throws: ``WalletError``: `no_device_token`, `device_token_expired` …
    package func finishByDeviceToken(
        _ signIn: DeviceSignIn, as enrollment: Enrollment, by assertion: SignedAssertion
    ) async throws -> LoginOutcome {
        let kept = deviceToken(of: enrollment)
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

    /// Refuses a sign-in with the long-lived session if none is stored, before any prompt or request.
    package func requireDeviceToken(of enrollment: Enrollment, during operation: WalletError.Operation) async throws {
        _ = try await deviceToken(of: enrollment).token(during: operation)
    }

    private func finish(
        _ signIn: DeviceSignIn, as enrollment: Enrollment, _ method: LoginMethod
    ) async throws -> LoginOutcome {
        let outcome = try await nativeLogin.send(signIn.attempt, policy: .idempotent) { _ in .begin(method) }
        // The sign-in itself matters more than which account is offered first next time.
        try? await enrollments.noteUse(of: enrollment.deviceID, at: clock.now)
        return outcome
    }
}
