internal import AuthCore
internal import AuthFlows
internal import AuthStore
internal import Synchronization
internal import WalletAuthWire

/// Takes one signature: checks its keys, and stores it in the write that ends its challenge.
struct TransactionSigning: Sendable {
    let flows: TransactionFlows
    let presented: PresentedAssertion
    let assertion: SignedAssertion
    let origin: RequestOrigin
    let now: Timestamp
    /// Takes the signature of a device that may sign, or says why not.
    let sign: @Sendable (DeviceRecord, any SQLConnection) throws -> TransactionRefusal?
    /// Ends the transaction where the PIN is locked by this try.
    let fail: @Sendable (any SQLConnection) throws -> Void

    private var context: ServerContext { flows.context }

    /// What a write found, for the caller that began it.
    private final class Finding: Sendable {
        let refusal = Mutex<TransactionRefusal?>(nil)
    }

    /// Checks the assertion and takes it.
    /// - Parameter act: what it has to be about.
    /// - Returns: the device that signed, also where the same assertion was taken before.
    func run(_ act: DeviceAssertion.Act) async throws -> Result<DeviceRecord, DeviceTransactionRefusal> {
        for _ in 0..<16 {
            let finding = Finding()
            let outcome: PINAssertions.Outcome
            do {
                switch presented.unverified.factor {
                case .pin: outcome = try await byPIN(act, finding)
                case .biometric: outcome = try await byBiometrics(act, finding)
                }
            } catch is TransactionFlows.Conflict { continue }
            if let refusal = finding.refusal.withLock({ $0 }) { return .failure(.refused(refusal)) }
            switch outcome {
            case .proven(let proof): return .success(proof.device)
            case .wrong: return .failure(.device(.invalidCredentials))
            case .wrongPIN(let remaining): return .failure(.wrongPIN(remaining: remaining))
            case .locked: return .failure(.pinLocked)
            case .deviceSuspended: return .failure(.device(.suspended))
            case .deviceDeactivated: return .failure(.device(.deactivated))
            }
        }
        throw StoreError(.unavailable, "a transaction was changed by others again and again")
    }

    /// The challenge of the PIN ends in the very write that signs.
    private func byPIN(_ act: DeviceAssertion.Act, _ finding: Finding) async throws -> PINAssertions.Outcome {
        try await PINAssertions(context: context).check(assertion, act: act, origin: origin, now: now) { connection in
            try take(finding, on: connection)
            return true
        } onLocking: { connection in
            try fail(connection)
        }
    }

    private func byBiometrics(_ act: DeviceAssertion.Act, _ finding: Finding) async throws -> PINAssertions.Outcome {
        let id = try presented.unverified.deviceID.rowID
        guard let device = try await context.database.read({ try Devices.find(id, on: $0) }) else { return .wrong }
        let outcome = try await BiometricAssertions(context: context).check(
            assertion, act: act, purpose: .transaction, thumbprint: try device.key.thumbprint, now: now)
        guard case .proven = outcome else { return outcome }
        try await context.database.write { connection in
            // The key may have been taken away since it was checked.
            guard try Devices.find(id, on: connection)?.biometricKey == device.biometricKey else {
                finding.refusal.withLock { $0 = .secondFactorUnavailable }
                return
            }
            try take(finding, on: connection)
        }
        return outcome
    }

    private func take(_ finding: Finding, on connection: any SQLConnection) throws {
        let refusal = try refusal(on: connection)
        finding.refusal.withLock { $0 = refusal }
    }

    private func refusal(on connection: any SQLConnection) throws -> TransactionRefusal? {
        guard let device = try Devices.find(presented.unverified.deviceID.rowID, on: connection),
            try Accounts.find(device.accountID, on: connection)?.state == .active
        else { return .notFound }
        if let hold = device.hold(at: now) { return TransactionRefusal(hold) }
        return try sign(device, connection)
    }
}
