import Foundation
import WalletAuthTransport
package import WalletAuthWire

/// Signs for this device's enrollments and sends the result to the server.
///
/// WalletAuthPIN builds on this; it need not know which second key signs.
package struct DeviceAuthentication: Sendable {
    let enroller: DeviceEnroller
    let exchange: Exchange
    let discovery: ServerDiscovery
    let binding: DeviceBinding
    let tokens: TokenRenewer
    let nativeLogin: NativeLogin
    let log: DiagnosticsLog
    /// Storage that lives as long as the wallet.
    package let extensionStorage: ExtensionStorage
    let history: ApprovalHistory
    /// Whether face or fingerprint has to wait for the PIN.
    package let biometricLimit: BiometricLimit

    /// Where an enrollment's items are kept.
    package var store: any SecureStore { enrollments.store }
    package var keys: any DeviceKeys { enroller.keys }
    var enrollments: EnrollmentStore { enroller.enrollments }
    var issuer: Issuer { enroller.issuer }
    /// Calls with the session of the signed-in account.
    var calls: SessionCalls { enroller.calls }
    var clock: ServerClock { enroller.keeper.clock }

    /// Runs one call: its errors are ``WalletError``s of this operation, and are recorded in the diagnostics.
    package func during<T>(_ operation: WalletError.Operation, _ work: () async throws -> T) async throws -> T {
        try await log.during(operation, work)
    }

    // MARK: Which enrollment

    /// Returns the enrollment of an account; without one, that of the last sign-in.
    /// - Throws: ``WalletError`` `device_not_enrolled`.
    package func enrollment(
        of account: AccountID?, during operation: WalletError.Operation
    ) async throws -> Enrollment {
        let found: Enrollment? =
            if let account { try await enrollments.find(account) } else { try await enrollments.lastUsed() }
        guard let found else { throw Self.notEnrolled(operation) }
        return found
    }

    /// Returns the enrollment of the signed-in account.
    /// - Throws: ``WalletError``: `signed_out`, `device_not_enrolled`.
    package func signedInEnrollment(during operation: WalletError.Operation) async throws -> Enrollment {
        guard let subject = try await tokens.holding(during: operation).session.owner.subject,
            let account = try? AccountID(subject), let found = try await enrollments.find(account)
        else { throw Self.notEnrolled(operation) }
        return found
    }

    private static func notEnrolled(_ operation: WalletError.Operation) -> WalletError {
        // A device that is not enrolled has no long-lived session either, which has its own number.
        let needsToken = operation == .loginWithDeviceToken || operation == .expireDeviceToken
        return WalletError(
            .deviceNotEnrolled, .refused, during: operation,
            statusCode: needsToken ? ErrorCode.noDeviceToken.statusCode() : nil,
            reason: "this device is not enrolled for the account")
    }

    // MARK: What it signs

    /// Creates an assertion signed by the device and by the keys of a second factor.
    /// - Throws: ``WalletError`` `key_lost` if the device's key is gone.
    package func assertion(
        _ act: DeviceAssertion.Act, factor: DeviceAssertion.Factor, challenge: ChallengeID, nonce: Nonce,
        of enrollment: Enrollment, by secondKeys: [any AsyncJWSSigner], during operation: WalletError.Operation
    ) async throws -> SignedAssertion {
        let key = try await signingKey(of: enrollment, during: operation)
        return try await DeviceAssertion(
            audience: issuer, account: enrollment.account, deviceID: enrollment.deviceID, factor: factor,
            challengeID: challenge, nonce: nonce, act: act,
            issuedAt: NumericDate(clamping: clock.now.seconds)
        ).signed(by: key, secondKeys)
    }

    func signingKey(of enrollment: Enrollment, during operation: WalletError.Operation) async throws -> BoundKey {
        do {
            if let key = try await keys.key(enrollment.signingKeyID) { return try BoundKey(key) }
        } catch let failure as DeviceKeyFailure where failure.kind == .invalidated {}
        throw WalletError(
            .keyLost, .keyLost(recovery: .enrollAgain), during: operation, reason: "the device's key is gone")
    }
}

/// Storage for other products of this package that lives as long as a wallet. It holds one value per type.
package final class ExtensionStorage: Sendable {
    private let values = LockedValue<[ObjectIdentifier: any Sendable]>([:])

    /// Returns the value of a type; the first caller creates it.
    package func value<Value: Sendable>(_ make: () -> Value) -> Value {
        values.withLock { values in
            if let kept = values[ObjectIdentifier(Value.self)] as? Value { return kept }
            let made = make()
            values[ObjectIdentifier(Value.self)] = made
            return made
        }
    }
}
