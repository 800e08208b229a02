public import Foundation
import WalletAuthTransport
public import WalletAuthWire

/// This device's record of its enrollment for one account. The keys themselves are in ``DeviceKeys``.
package struct Enrollment: Hashable, Sendable, Codable {
    /// The server's identifier for this device and account.
    package var deviceID: DeviceID
    /// The `sub` of the account's tokens.
    package var account: AccountID
    /// The user name of the sign-in. The next sign-in with it can then prove this device.
    var username: Username?
    /// The name prefix of this enrollment's keys: each account on a device has its own.
    var keys: String
    /// In server time.
    var enrolledAt: Instant
    /// The time of the last sign-in after the enrollment, in server time; nil if there was none.
    var lastUsedAt: Instant?
    /// The name of the biometric key that the server has accepted; nil if there is none.
    var presenceKey: String?
    /// Whether the biometric key was lost when the device's faces or fingerprints changed, and none was set up since.
    var hasLostPresenceKey: Bool?

    /// The key that signs for the device.
    var signingKeyID: DeviceKeyID { DeviceKeyID("\(keys).device") }
    /// The key that recovers the device's share of a PIN.
    package var agreementKeyID: DeviceKeyID { DeviceKeyID("\(keys).agreement") }
    /// The key that signs only after a biometric check.
    var presenceKeyID: DeviceKeyID? { presenceKey.map(presenceKeyID(named:)) }
    /// The identifier of a biometric key. A new key gets another name than the key it replaces.
    func presenceKeyID(named name: String) -> DeviceKeyID { DeviceKeyID("\(keys).presence.\(name)") }
    /// The long-lived session's record.
    var deviceTokenItem: SecureStoreKey { SecureStoreKey("\(keys).device-token") }
    /// When the PIN was typed and the biometric key used, if the app has a ``Wallet/BiometricPolicy``.
    var biometricLimitItem: SecureStoreKey { SecureStoreKey("\(keys).biometric-limit") }
    /// Keeps two processes from using up one limit twice.
    var biometricLimitLock: SecureStoreLock { SecureStoreLock("\(keys).biometric-limit") }
    /// What the PIN needs in addition to the keys.
    package var pinItem: SecureStoreKey { SecureStoreKey("\(keys).pin") }
    /// Keeps two attempts from spending tries of one PIN at once.
    package var pinLock: SecureStoreLock { SecureStoreLock("\(keys).pin") }
}

/// The enrollments of this device. They survive sign-outs; changes take a lock that other processes share.
struct EnrollmentStore: Sendable {
    let store: any SecureStore
    /// Receive the accounts after each change that this process makes.
    let observers = LockedValue<[@Sendable ([EnrolledAccount]) -> Void]>([])
    private let key: SecureStoreKey
    private let lock: SecureStoreLock

    /// The stored form. The version lets later releases recognize what they read.
    private struct Stored: Codable {
        var version = 1
        var enrollments: [Enrollment] = []
    }

    init(store: any SecureStore, namespace: String) {
        self.store = store
        key = SecureStoreKey("\(namespace).enrollments")
        lock = SecureStoreLock("\(namespace).enrollments")
    }

    /// All enrollments, oldest first.
    /// - Throws: `SecureStoreFailure`; an unreadable list is an error, not an empty list.
    func all() async throws -> [Enrollment] { try await read().enrollments }

    func find(_ account: AccountID) async throws -> Enrollment? {
        try await all().last { $0.account == account }
    }

    func find(_ username: Username) async throws -> Enrollment? {
        try await all().last { $0.username == username }
    }

    /// The enrollment last signed in with or, failing that, last created.
    func lastUsed() async throws -> Enrollment? {
        try await all().max { ($0.lastUsedAt ?? $0.enrolledAt) < ($1.lastUsedAt ?? $1.enrolledAt) }
    }

    /// Records a sign-in with an enrollment.
    func noteUse(of device: DeviceID, at now: Instant) async throws {
        try await change { stored in
            guard let index = stored.enrollments.lastIndex(where: { $0.deviceID == device }) else { return }
            stored.enrollments[index].lastUsedAt = now
        }
    }

    /// Records which biometric key is in use.
    /// - Returns: the name of the former one.
    func notePresenceKey(_ name: String?, of device: DeviceID) async throws -> String? {
        try await change { stored in
            guard let index = stored.enrollments.lastIndex(where: { $0.deviceID == device }) else { return nil }
            let former = stored.enrollments[index].presenceKey
            stored.enrollments[index].presenceKey = name
            stored.enrollments[index].hasLostPresenceKey = nil
            return former
        }
    }

    /// Records that a biometric key can no longer be used, unless another has replaced it.
    func notePresenceKeyLost(_ name: String, of device: DeviceID) async throws {
        try await change { stored in
            guard
                let index = stored.enrollments.lastIndex(where: { $0.deviceID == device && $0.presenceKey == name })
            else { return }
            stored.enrollments[index].presenceKey = nil
            stored.enrollments[index].hasLostPresenceKey = true
        }
    }

    /// Stores an enrollment, replacing a former one of the same account.
    /// - Returns: the one it replaced, whose keys are no longer needed.
    func save(_ enrollment: Enrollment) async throws -> Enrollment? {
        try await change { stored in
            let former = stored.enrollments.last { $0.account == enrollment.account }
            stored.enrollments.removeAll { $0.account == enrollment.account }
            stored.enrollments.append(enrollment)
            return former
        }
    }

    /// Removes a device's enrollment.
    /// - Parameter belongings: removes what belongs to it. The enrollment goes last: nothing else names the rest, so an app that is
    ///   killed in between can repeat the removal.
    /// - Returns: the removed enrollment.
    func remove(
        _ device: DeviceID, after belongings: @escaping @Sendable (Enrollment) async throws -> Void
    ) async throws -> Enrollment? {
        try await change { stored in
            guard let found = stored.enrollments.last(where: { $0.deviceID == device }) else { return nil }
            try await belongings(found)
            stored.enrollments.removeAll { $0.deviceID == device }
            return found
        }
    }

    /// Runs to the end even if the calling task is cancelled: it records what the server has done already.
    private func change<T: Sendable>(_ body: @escaping @Sendable (inout Stored) async throws -> T) async throws -> T {
        try await Task { [self] in
            try await store.withExclusiveLock(lock) {
                var stored = try await read()
                let result = try await body(&stored)
                try await store.put(encoding: stored, for: key)
                // Under the lock, so that observers see the changes in their order.
                let accounts = EnrolledAccount.all(of: stored.enrollments)
                for observer in observers.withLock({ $0 }) { observer(accounts) }
                return result
            }
        }.value
    }

    private func read() async throws -> Stored {
        guard let data = try await store.get(key) else { return Stored() }
        guard let stored = try? JSONDecoder().decode(Stored.self, from: data), stored.version == 1 else {
            throw SecureStoreFailure(.damaged, reason: "the list of enrollments cannot be decoded")
        }
        return stored
    }
}

/// An account that this device is enrolled for. Each has its own keys and its own PIN.
public struct EnrolledAccount: Sendable, Hashable, Identifiable {
    /// The account: the `sub` of its tokens.
    public let id: AccountID
    /// The server's identifier for this device and account.
    public let deviceID: DeviceID
    /// The user name as it was typed at the sign-in before the enrollment, if known.
    public let username: String?
    /// The last sign-in on this device or, if there was none, the enrollment.
    public let lastUsedAt: Date

    init(_ enrollment: Enrollment) {
        id = enrollment.account
        deviceID = enrollment.deviceID
        username = enrollment.username?.typed
        lastUsedAt = (enrollment.lastUsedAt ?? enrollment.enrolledAt).date
    }
}

extension EnrollmentStore {
    /// The accounts of all enrollments, the last one signed in first.
    func accounts() async throws -> [EnrolledAccount] {
        EnrolledAccount.all(of: try await all())
    }
}

extension EnrolledAccount {
    /// The accounts of enrollments, the last one signed in first.
    static func all(of enrollments: [Enrollment]) -> [EnrolledAccount] {
        enrollments.map { EnrolledAccount($0) }.sorted { $0.lastUsedAt > $1.lastUsedAt }
    }
}
