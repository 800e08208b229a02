import Foundation
package import WalletAuthWire

/// What this device's enrollments can do beside being there: sign for their account, and have that taken by the server.
/// This is what the product WalletAuthPIN builds on; which second key signs along, it need not know.
package struct DeviceAuthentication: Sendable {
    let core: WalletCore

    /// Where an enrollment keeps what belongs to it.
    package var store: any SecureStore { core.enroller.book.store }
    /// Where its keys are.
    package var keys: any DeviceKeys { core.enroller.keys }
    /// What lives as long as the wallet.
    package var annex: WalletAnnex { core.annex }

    /// Begins a call: what it throws is a ``WalletError`` of that call, and noted for the diagnostics.
    package func during<T>(_ operation: WalletError.Operation, _ work: () async throws -> T) async throws -> T {
        try await core.during(operation, work)
    }

    // MARK: Which enrollment

    /// The enrollment of an account; with none named, the one that was signed in with last.
    /// - Throws: ``WalletError`` `device_not_enrolled`.
    package func enrollment(
        of account: AccountID?, during operation: WalletError.Operation
    ) async throws -> Enrollment {
        let book = core.enroller.book
        let found: Enrollment? =
            if let account { try await book.find(account) } else { try await book.lastUsed() }
        guard let found else { throw Self.notEnrolled(operation) }
        return found
    }

    /// The enrollment of whoever is signed in.
    /// - Throws: ``WalletError``: `signed_out`, `device_not_enrolled`.
    package func signedInEnrollment(during operation: WalletError.Operation) async throws -> Enrollment {
        // Says why nobody is signed in, also where the store was not read yet.
        _ = try await core.tokens.ticket(of: nil, during: operation)
        guard let subject = core.keeper.snapshot.holding?.session.owner.subject,
            let account = try? AccountID(subject), let found = try await core.enroller.book.find(account)
        else { throw Self.notEnrolled(operation) }
        return found
    }

    private static func notEnrolled(_ operation: WalletError.Operation) -> WalletError {
        // A device that is not enrolled keeps no long-lived session either, which has a number of its own.
        let needsToken = operation == .loginWithDeviceToken || operation == .expireDeviceToken
        return WalletError(
            .deviceNotEnrolled, .refused, during: operation,
            statusCode: needsToken ? ErrorCode.noDeviceToken.statusCode() : nil,
            reason: "this device is not enrolled for the account")
    }

    // MARK: What it signs

    /// An assertion by the device and the keys of a second factor.
    /// - Throws: ``WalletError`` `key_lost` where the device's key is gone.
    package func assertion(
        _ act: DeviceAssertion.Act, factor: DeviceAssertion.Factor, challenge: ChallengeID, nonce: Nonce,
        of enrollment: Enrollment, by secondKeys: [any AsyncJWSSigner], during operation: WalletError.Operation
    ) async throws -> SignedAssertion {
        let key = try await signingKey(of: enrollment, during: operation)
        return try await DeviceAssertion(
            audience: core.enroller.issuer, account: enrollment.account, deviceID: enrollment.deviceID, factor: factor,
            challengeID: challenge, nonce: nonce, act: act,
            issuedAt: NumericDate(clamping: core.keeper.clock.now.seconds)
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

extension Wallet {
    /// What the product WalletAuthPIN builds on.
    package var deviceAuthentication: DeviceAuthentication { DeviceAuthentication(core: core) }
}
