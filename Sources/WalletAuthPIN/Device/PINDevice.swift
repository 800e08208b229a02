import Crypto
import Foundation
import WalletAuth
import WalletAuthWire

/// The device's half of one enrollment's PIN: its record in the secure store, and the secret that its key `ka` finds again.
struct PINDevice: Sendable {
    let authentication: DeviceAuthentication
    let enrollment: Enrollment
    let operation: WalletError.Operation

    private var store: any SecureStore { authentication.store }
    private var keys: any DeviceKeys { authentication.keys }

    /// Runs `body` while nobody else, in this process or another one of the app, does anything with this PIN: an
    /// evaluation gives up the one before it, whose try is spent.
    func alone<T: Sendable>(_ body: @Sendable () async throws -> T) async throws -> T {
        try await store.withExclusiveLock(enrollment.pinLock, body)
    }

    // MARK: The record

    /// The record; nil where no PIN was ever set here, or where what is kept is damaged.
    func record() async throws -> KeptPIN? { try await store.get(enrollment.pinItem).flatMap(KeptPIN.read) }

    func keep(_ record: KeptPIN) async throws { try await store.put(try record.written(), for: enrollment.pinItem) }

    /// Takes everything of the PIN off this device: without its share no PIN makes a key.
    func forget() async throws {
        try await store.remove(enrollment.pinItem)
        try await keys.removeKey(enrollment.agreementKeyID)
    }

    /// Has the server delete its half.
    /// - Throws: ``WalletError``: `signed_out`, also where somebody else is signed in; `offline` …
    func forgetAtServer() async throws {
        guard try await authentication.signedInEnrollment(during: operation).deviceID == enrollment.deviceID else {
            throw WalletError(
                .signedOut, .signedOut(.replacedByAnotherSignIn), during: operation,
                reason: "another account is signed in on this device")
        }
        try await authentication.forgetPIN(of: enrollment, during: operation)
    }

    // MARK: The secret

    /// The record and the secret of a PIN that is set now; made if there is none, or where its key or share is lost.
    func prepared() async throws -> (record: KeptPIN, secret: DeviceSecret) {
        if let record = try await record(), let secret = try await found(record) { return (record, secret) }
        let key = try await keys.createAgreementKey(enrollment.agreementKeyID)
        let share = DeviceShare()
        // What was pinned before goes with the lost share: no PIN opens it any more.
        let record = KeptPIN(share: share.stored)
        try await keep(record)
        return (record, try await agree(key, share))
    }

    /// The secret of a PIN in use.
    /// - Throws: ``WalletError`` `key_lost` where the device's key or share is gone.
    func secret(of record: KeptPIN) async throws -> DeviceSecret {
        guard let secret = try await found(record) else {
            throw WalletError(
                .keyLost, .keyLost(recovery: .setPINAgain), during: operation,
                reason: "what this device kept for the PIN is gone")
        }
        return secret
    }

    /// Nil where key or share is lost; trouble that passes is thrown.
    private func found(_ record: KeptPIN) async throws -> DeviceSecret? {
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
