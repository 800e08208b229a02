import Crypto
import Foundation
import WalletAuth

/// The device's half of one enrollment's PIN: its record in the secure store, and the secret that its key `ka`
/// recovers.
struct PINDevice: Sendable {
    let authentication: DeviceAuthentication
    let enrollment: Enrollment
    let operation: WalletError.Operation

    init(_ authentication: DeviceAuthentication, _ enrollment: Enrollment, during operation: WalletError.Operation) {
        (self.authentication, self.enrollment, self.operation) = (authentication, enrollment, operation)
    }

    private var store: any SecureStore { authentication.store }
    private var keys: any DeviceKeys { authentication.keys }

    /// Runs `body` while no other code, in this process or another one of the app, uses this PIN: an evaluation
    /// invalidates the previous one, whose attempt is then lost.
    func alone<T: Sendable>(_ body: @Sendable () async throws -> T) async throws -> T {
        try await store.withExclusiveLock(enrollment.pinLock, body)
    }

    // MARK: The record

    /// The record; nil if no PIN was ever set here, or if the record is damaged.
    func record() async throws -> StoredPIN? { try await store.get(enrollment.pinItem).flatMap(StoredPIN.read) }

    func keep(_ record: StoredPIN) async throws { try await store.put(try record.written(), for: enrollment.pinItem) }

    /// Removes everything about the PIN from this device. Without the device's share no PIN produces a key.
    func forget() async throws {
        try await store.remove(enrollment.pinItem)
        try await keys.removeKey(enrollment.agreementKeyID)
    }

    /// Has the server delete its half.
    ///
    /// - Throws: ``WalletError``: `signed_out`, also if another account is signed in; `offline` …
    func forgetAtServer() async throws {
        guard try await authentication.signedInEnrollment(during: operation).deviceID == enrollment.deviceID else {
            throw WalletError(
                .signedOut, .signedOut(.replacedByAnotherSignIn), during: operation,
                reason: "another account is signed in on this device")
        }
        try await authentication.forgetPIN(of: enrollment, during: operation)
    }

    // MARK: The secret

    /// The record and the secret for a new PIN. They are created if there are none, or if the key or share is lost.
    func prepared() async throws -> (record: StoredPIN, secret: DeviceSecret) {
        if let record = try await record(), let secret = try await found(record) { return (record, secret) }
        let key = try await keys.createAgreementKey(enrollment.agreementKeyID)
        let share = DeviceShare()
        // The pinned keys go with the lost share: no PIN matches them any more.
        let record = StoredPIN(share: share.stored)
        try await keep(record)
        return (record, try await agree(key, share))
    }

    /// The secret of the PIN in use.
    ///
    /// - Throws: ``WalletError`` `key_lost` if the device's key or share is gone.
    func secret(of record: StoredPIN) async throws -> DeviceSecret {
        guard let secret = try await found(record) else {
            throw WalletError(
                .keyLost, .keyLost(recovery: .setPINAgain), during: operation,
                reason: "this device's share of the PIN key is gone")
        }
        return secret
    }

    /// Nil if the key or share is lost. Temporary errors are thrown.
    private func found(_ record: StoredPIN) async throws -> DeviceSecret? {
        do {
            guard let share = try? DeviceShare(stored: record.share),
                let key = try await keys.agreementKey(enrollment.agreementKeyID)
            else { return nil }
            return try await agree(key, share)
        } catch let failure as DeviceKeyFailure where failure.kind == .invalidated {
            return nil
        }
    }

    private func agree(_ key: any DeviceAgreementKey, _ share: DeviceShare) async throws -> DeviceSecret {
        let agreement = SecretBytes(try await key.sharedSecret(with: share.peer.x963Representation))
        return try agreement.withData {
            try DeviceSecret(enrollment: enrollment.deviceID, agreement: $0, share: share)
        }
    }
}
