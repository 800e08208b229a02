import WalletAuth
import WalletAuthWire

/// Sets and changes the PIN of the signed-in account's enrollment.
///
/// The new epoch's key is a candidate from before the request is sent until the server has answered. If the app is
/// killed in between, the next use of the PIN finds out which epoch is in use; setting the PIN again is always safe.
struct PINSetting: Sendable {
    let device: PINDevice

    /// Sets a PIN if there is none, or replaces a forgotten or locked one.
    func set(_ pin: PIN) async throws {
        let (record, secret) = try await device.prepared()
        let exchange = try await PINWork.run(during: device.operation) { try PINExchange(pin: pin, secret: secret) }
        let answer = try await device.authentication.evaluate(
            .enroll(new: exchange.blinded), by: device.enrollment, during: device.operation)
        let new = try await newKey(exchange, answer)
        try await put(new, answer, act: { .enroll($0) }, by: [new.key], record)
    }

    /// Replaces the PIN in use. If the current PIN is wrong, this uses an attempt.
    func change(from current: PIN, to pin: PIN) async throws {
        // The request carries the new PIN's element along with the current one's: one challenge, and one assertion with
        // both keys.
        guard let record = try await device.record(), !record.known.isEmpty else {
            throw WalletError(.pinNotSet, .refused, during: device.operation, reason: "no PIN is set on this device")
        }
        let secret = try await device.secret(of: record)
        let exchange = try await PINWork.run(during: device.operation) { try PINExchange(pin: pin, secret: secret) }
        let present = try await PresentPIN(device: device, pin: current).evaluate {
            .change($0, new: exchange.blinded)
        }
        let new = try await newKey(exchange, present.answer)
        try await put(new, present.answer, act: { .pinChange($0) }, by: [present.key, new.key], present.record)
    }

    private func newKey(
        _ exchange: PINExchange, _ answer: PINEvaluationResponse
    ) async throws -> (key: PINKey, pinned: PinnedKey) {
        guard let new = answer.new else { throw MalformedValue(field: "new", reason: "is missing") }
        return try await PINWork.run(during: device.operation) { try exchange.key(new) }
    }

    private func put(
        _ new: (key: PINKey, pinned: PinnedKey), _ answer: PINEvaluationResponse,
        act: (PayloadHash) -> DeviceAssertion.Act, by keys: [PINKey], _ found: StoredPIN
    ) async throws {
        let assertion = try await device.authentication.assertion(
            act(.key(new.key.publicKey.thumbprint)), factor: .pin(new.pinned.epoch), challenge: answer.challengeID,
            nonce: answer.nonce, of: device.enrollment, by: keys, during: device.operation)
        var record = found
        record.propose(new.pinned)
        try await device.keep(record)
        let request = PINSettingRequest(publicKey: new.key.publicKey, assertion: assertion)
        let device = device
        do {
            let answer = try await device.noting {
                try await device.authentication.setPIN(request, of: device.enrollment, during: device.operation)
            }
            guard answer.epoch == new.pinned.epoch else {
                throw MalformedValue(field: "epoch", reason: "is not the epoch that was set")
            }
        } catch let error as WalletError where error.endsCandidate {
            if var record = try await device.record() {
                record.withdraw(new.pinned)
                try await device.keep(record)
            }
            throw error
        }
        record.confirm(new.pinned)
        record.unlock()
        try await device.keep(record)
    }
}

extension WalletError {
    /// Whether the epoch is not in use and never will be, because its assertion had the wrong PIN.
    ///
    /// A repeated request can get any other refusal: the first one took effect, its answer was lost, and token, sign-in
    /// or assertion have become too old since. Dropping the key would then lose the PIN.
    fileprivate var endsCandidate: Bool {
        code == .pinLocked || (code == .invalidCredentials && remainingAttempts != nil)
    }
}
