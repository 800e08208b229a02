import WalletAuthTransport
package import WalletAuthWire

/// A sign-in with this device's keys that has begun: what its assertion must cover.
package struct DeviceSignIn: Sendable {
    /// `login`, over the DPoP key and the PKCE challenge of this sign-in.
    package let act: DeviceAssertion.Act
    let attempt: NativeLogin.Attempt
    let enrollment: Enrollment
    /// Whether the token of the device's long-lived session goes with the assertion.
    let usesDeviceToken: Bool
}

extension DeviceAuthentication {
    /// Begins a sign-in. The server does not know of it yet.
    /// - Throws: ``WalletError`` `unsupported_by_server` if the server does not bind tokens to keys.
    package func beginSignIn(
        as enrollment: Enrollment, extras: LoginExtras, withDeviceToken usesDeviceToken: Bool = false,
        during operation: WalletError.Operation
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
            attempt: attempt, enrollment: enrollment, usesDeviceToken: usesDeviceToken)
    }

    /// Completes a sign-in with its assertion. Safe to repeat.
    /// - Throws: ``WalletError``; with the long-lived session `no_device_token`, `device_token_expired` …
    package func finish(_ signIn: DeviceSignIn, by assertion: SignedAssertion) async throws -> LoginOutcome {
        let kept = deviceToken(of: signIn.enrollment)
        let device = signIn.enrollment.deviceID
        let method: LoginMethod =
            if signIn.usesDeviceToken {
                .deviceToken(
                    DeviceTokenLogin(
                        deviceID: device, token: try await kept.token(during: signIn.attempt.operation),
                        assertion: assertion))
            } else {
                .pin(PINLogin(deviceID: device, assertion: assertion))
            }
        let outcome: LoginOutcome
        do {
            outcome = try await nativeLogin.send(signIn.attempt, policy: .idempotent) { _ in .begin(method) }
        } catch let error as WalletError where signIn.usesDeviceToken && error.code == .deviceTokenExpired {
            try? await kept.keep(.expired)
            throw error
        }
        // The sign-in itself matters more than which account is offered first next time.
        try? await enrollments.noteUse(of: device, at: clock.now)
        if signIn.usesDeviceToken { try? await kept.noteUse() }
        return outcome
    }

    /// Refuses a sign-in with the long-lived session if none is stored, before any prompt or request.
    package func requireDeviceToken(of enrollment: Enrollment, during operation: WalletError.Operation) async throws {
        _ = try await deviceToken(of: enrollment).token(during: operation)
    }
}
