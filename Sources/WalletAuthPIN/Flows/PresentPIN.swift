import WalletAuth
import WalletAuthWire

/// The PIN in use, evaluated for one act. A signature by its key proves the PIN.
struct PresentPIN: Sendable {
    let device: PINDevice
    let pin: PIN
    /// The draft, if the PIN signs a transaction that the app started.
    var draft: TransactionDraft?

    /// The result of an evaluation.
    struct Evaluated: Sendable {
        /// The server's answer with its challenge.
        let answer: PINEvaluationResponse
        /// The key that the PIN produces. Only the server can tell whether the PIN was right.
        let key: PINKey
        /// The epoch in use.
        let epoch: PINEpoch
        /// The device's secret, for deriving a new PIN's key as well.
        let secret: DeviceSecret
        /// The current record.
        let record: StoredPIN
    }

    /// Requests the evaluation, which uses an attempt, and derives the key.
    ///
    /// If an answer was lost when a PIN was set or changed, several epochs may be the one in use. The server rejects
    /// the others without using an attempt, so they are tried one after another, and the one in use is pinned.
    ///
    /// - Parameter ask: the purpose of the evaluation.
    /// - Throws: ``WalletError``: `pin_not_set`, `pin_locked`, `key_lost`, `pin_server_key_changed` …
    func evaluate(
        _ ask: @Sendable (PINEvaluationRequest.PresentPIN) throws -> PINEvaluationRequest.Ask
    ) async throws -> Evaluated {
        guard var record = try await device.record(), !record.known.isEmpty else { throw notSet }
        let secret = try await device.secret(of: record)
        let pin = pin
        let exchange = try await PINWork.run(during: device.operation) { try PINExchange(pin: pin, secret: secret) }
        for key in record.known {
            let answer: PINEvaluationResponse
            do {
                answer = try await device.authentication.evaluate(
                    try ask(PINEvaluationRequest.PresentPIN(epoch: key.epoch, blinded: exchange.blinded)), draft: draft,
                    by: device.enrollment, during: device.operation)
            } catch let error as WalletError where error.code == .pinEpochMismatch {
                continue
            } catch let error as WalletError where error.code == .pinLocked {
                try await device.noteLock(error.pinLockReason)
                throw error
            }
            guard let present = answer.present else {
                throw MalformedValue(field: "evaluation", reason: "is missing")
            }
            if record.pinned != key {
                record.confirm(key)
                try await device.keep(record)
            }
            let made = try await PINWork.run(during: device.operation) { try exchange.key(present, pinned: key) }
            return Evaluated(answer: answer, key: made, epoch: key.epoch, secret: secret, record: record)
        }
        throw WalletError(
            .keyLost, .keyLost(recovery: .setPINAgain), during: device.operation, reachedServer: true,
            reason: "the PIN in use does not match this device's record")
    }

    private var notSet: WalletError {
        WalletError(.pinNotSet, .refused, during: device.operation, reason: "no PIN is set on this device")
    }
}

/// What the answer to a signature by the PIN's key says about the PIN. A wrong one may also be an error.
enum PINVerdict: Sendable {
    case right
    case wrong
    case unknown
}

extension PINDevice {
    /// Sends a signature by the PIN's key, and records what the answer says about the PIN: right, or locked.
    ///
    /// - Parameters:
    ///   - isLastAttempt: whether a wrong PIN locks. The answers about a consent do not say so themselves.
    ///   - verdict: what an answer says about the PIN.
    func noting<T: Sendable>(
        isLastAttempt: Bool = false, verdict: @Sendable (T) -> PINVerdict = { _ in .right },
        _ send: @Sendable () async throws -> T
    ) async throws -> T {
        let result: T
        do { result = try await send() } catch var error as WalletError {
            let hasLockedBoth = isLastAttempt && error.code == .dataError && error.remainingAttempts == 0
            if hasLockedBoth { error.pinLockReason = .tooManyTries }
            if hasLockedBoth || error.code == .pinLocked { try await noteLock(error.pinLockReason) }
            throw error
        }
        switch verdict(result) {
        case .wrong where isLastAttempt: try await noteLock(.tooManyTries)
        case .wrong, .unknown: break
        case .right: try await noteRight()
        }
        return result
    }

    private func noteRight() async throws {
        await authentication.biometricLimit.notePIN(of: enrollment)
        if var record = try await record(), record.isLocked {
            record.unlock()
            try await keep(record)
        }
    }

    func noteLock(_ reason: PINLockReason?) async throws {
        guard var record = try await record(), !record.isLocked || record.lockReason != reason else { return }
        record.lock(reason)
        try await keep(record)
    }
}
