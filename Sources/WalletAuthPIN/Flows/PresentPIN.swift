import WalletAuth
import WalletAuthWire

/// The PIN in use, evaluated for one act: what its key signs then proves it.
struct PresentPIN: Sendable {
    let device: PINDevice
    let pin: PIN
    /// The draft, where the PIN signs a transaction that the app began.
    var draft: TransactionDraft?

    /// What came of it.
    struct Evaluated: Sendable {
        /// The server's answer, its challenge above all.
        let answer: PINEvaluationResponse
        /// The key that the PIN gives. Whether the PIN was right only the server finds out.
        let key: PINKey
        /// The epoch that is in use.
        let epoch: PINEpoch
        /// The device's secret, for a new PIN beside it.
        let secret: DeviceSecret
        /// The record as it is kept now.
        let record: KeptPIN
    }

    /// Asks for the evaluation, which costs a try, and makes the key.
    ///
    /// Where an answer was lost when a PIN was set or changed, several epochs may be the one in use. The server says
    /// for nothing which are not, so they are asked for one after the other, and the one that it has in use is pinned.
    /// - Parameter ask: what the evaluation is for.
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
            reason: "the PIN in use was not set by what this device keeps")
    }

    private var notSet: WalletError {
        WalletError(.pinNotSet, .refused, during: device.operation, reason: "no PIN is set on this device")
    }
}

extension PINDevice {
    /// Sends what a PIN key signed, and keeps what the answer says of the PIN: right, or locked.
    func noting<T: Sendable>(_ send: @Sendable () async throws -> T) async throws -> T {
        let result: T
        do { result = try await send() } catch let error as WalletError where error.code == .pinLocked {
            try await noteLock(error.pinLockReason)
            throw error
        }
        if var record = try await record(), record.isLocked {
            record.unlock()
            try await keep(record)
        }
        return result
    }

    func noteLock(_ reason: PINLockReason?) async throws {
        guard var record = try await record(), !record.isLocked || record.lockReason != reason else { return }
        record.lock(reason)
        try await keep(record)
    }
}
