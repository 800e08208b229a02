internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

/// What verifies the assertion that signs a transaction.
struct TransactionAssertions: Sendable {
    let pins: PINAssertions
    let biometrics: BiometricAssertions
    let admission: DeviceAdmission
}

/// Accepts one signature: verifies the assertion, and stores it in the write that ends its challenge.
struct TransactionSigning: Sendable {
    let assertions: TransactionAssertions
    let presented: PresentedAssertion
    /// Who signed with the biometric key, if that was read together with the transaction.
    var signer: BiometricAssertions.Signer?
    let origin: RequestOrigin
    let now: Timestamp
    /// Stores the signature of a device that may sign, or returns why not.
    let sign: @Sendable (DeviceRecord, any SQLConnection) throws -> Result<DeviceTransaction, TransactionRefusal>
    /// Ends the transaction if this attempt locks the PIN.
    let fail: @Sendable (any SQLConnection) throws -> Void

    /// A valid assertion.
    struct Signed: Sendable {
        let device: DeviceRecord
        /// The transaction that it signed; `nil` for a repeated assertion.
        let transaction: DeviceTransaction?
    }

    /// The assertion became too old while it waited for its write, which is undone: its challenge stays open.
    struct Outdated: Error {}

    /// What the write that ends a challenge returns: the signed transaction, or why it was not signed.
    private typealias Verified = AssertionOutcome<Result<DeviceTransaction, TransactionRefusal>>

    /// Verifies the assertion and stores the signature.
    /// - Parameter act: the act that the assertion must be for.
    func run(_ act: DeviceAssertion.Act) async throws -> Result<Signed, DeviceTransactionRefusal> {
        let verified: Verified
        do {
            verified = try await TransactionLedger.retry.run { () async throws -> Verified in
                switch presented.unverified.factor {
                case .pin: return try await byPIN(act)
                case .biometric: return try await byBiometrics(act)
                }
            }
        } catch is Outdated {
            return .failure(.assertion(.invalidCredentials))
        }
        if case .failure(let refusal)? = verified.effect { return .failure(.refused(refusal)) }
        switch verified.decision {
        case .success(let proof):
            return .success(Signed(device: proof.device, transaction: try verified.effect?.get()))
        case .failure(let refusal): return .failure(.assertion(refusal))
        }
    }

    /// Ends the PIN's challenge in the write that signs.
    private func byPIN(_ act: DeviceAssertion.Act) async throws -> Verified {
        try await assertions.pins.verify(
            presented, act: act, origin: origin, now: now
        ) { decision, connection in
            switch decision {
            case .success:
                return try result(of: Devices.find(presented.unverified.deviceID.rowID, on: connection), on: connection)
            case .failure(let refusal):
                if refusal.isLock { try fail(connection) }
                return nil
            }
        }
    }

    /// Ends the biometric key's challenge in the write that signs.
    private func byBiometrics(_ act: DeviceAssertion.Act) async throws -> Verified {
        try await assertions.biometrics.verify(
            presented, by: signer, act: act, purpose: .transaction, thumbprint: nil, now: now
        ) { device, connection in
            // The key may have been removed since it was verified.
            let present = try Devices.find(device.id, on: connection)
            guard present?.biometricKey == device.biometricKey else { return .failure(.secondFactorUnavailable) }
            return try result(of: present, on: connection)
        }
    }

    /// The result for a device as it is in the write.
    private func result(
        of device: DeviceRecord?, on connection: any SQLConnection
    ) throws -> Result<DeviceTransaction, TransactionRefusal> {
        guard let device else { return .failure(.notFound) }
        if let refusal = try assertions.admission.refusal(of: device, now: now, on: connection) {
            return .failure(TransactionRefusal(refusal))
        }
        if let restriction = device.restriction(at: now) { return .failure(TransactionRefusal(restriction)) }
        return try sign(device, connection)
    }
}
