import Foundation
package import WalletAuthWire

/// One account's enrollment of this device, as the device remembers it. The keys themselves are in ``DeviceKeys``.
package struct Enrollment: Hashable, Sendable, Codable {
    /// What the server calls this device for this account.
    package var deviceID: DeviceID
    /// Whose enrollment it is: the `sub` of the account's tokens.
    package var account: AccountID
    /// The user name that was signed in with, so that the next sign-in by it is known to come from here.
    var username: Username?
    /// Names the keys of this enrollment: each account on a device has its own.
    var keys: String
    /// By the server's clock.
    var enrolledAt: Instant
    /// When it was last signed in with, by the server's clock; nil where it was not since it was enrolled.
    var lastUsedAt: Instant?
    /// Names the key behind the holder's presence that the server has taken; nil where there is none.
    var presenceKey: String?

    /// The key that signs for the device.
    var signingKeyID: DeviceKeyID { DeviceKeyID("\(keys).device") }
    /// The key that finds the device's share of a PIN again.
    package var agreementKeyID: DeviceKeyID { DeviceKeyID("\(keys).agreement") }
    /// The key that signs only after the device saw its holder.
    var presenceKeyID: DeviceKeyID? { presenceKey.map(presenceKeyID(named:)) }
    /// A key behind the holder's presence by its name: a new one has another than the one that it is to replace.
    func presenceKeyID(named name: String) -> DeviceKeyID { DeviceKeyID("\(keys).presence.\(name)") }
    /// What is kept of the long-lived session.
    var deviceTokenItem: SecureStoreKey { SecureStoreKey("\(keys).device-token") }
    /// What is kept beside the keys for the PIN.
    package var pinItem: SecureStoreKey { SecureStoreKey("\(keys).pin") }
    /// Keeps two from spending tries of one PIN at the same time.
    package var pinLock: SecureStoreLock { SecureStoreLock("\(keys).pin") }
}

/// The enrollments of this device: kept over sign-outs, changed under a lock that other processes share.
struct EnrollmentBook: Sendable {
    let store: any SecureStore
    private let key: SecureStoreKey
    private let lock: SecureStoreLock

    /// What is kept. A version, so that a later one can tell what it reads.
    private struct Pages: Codable {
        var version = 1
        var enrollments: [Enrollment] = []
    }

    init(store: any SecureStore, namespace: String) {
        self.store = store
        key = SecureStoreKey("\(namespace).enrollments")
        lock = SecureStoreLock("\(namespace).enrollments")
    }

    /// All of them, the oldest first.
    /// - Throws: `SecureStoreFailure`; one that cannot be read is not the same as none.
    func all() async throws -> [Enrollment] { try await read().enrollments }

    /// The enrollment of an account.
    func find(_ account: AccountID) async throws -> Enrollment? {
        try await all().last { $0.account == account }
    }

    /// The enrollment of whoever signs in by a user name.
    func find(_ username: Username) async throws -> Enrollment? {
        try await all().last { $0.username == username }
    }

    /// The enrollment that was signed in with, or made, last.
    func lastUsed() async throws -> Enrollment? {
        try await all().max { ($0.lastUsedAt ?? $0.enrolledAt) < ($1.lastUsedAt ?? $1.enrolledAt) }
    }

    /// Notes that an enrollment was signed in with.
    func noteUse(of device: DeviceID, at now: Instant) async throws {
        try await change { pages in
            guard let index = pages.enrollments.lastIndex(where: { $0.deviceID == device }) else { return }
            pages.enrollments[index].lastUsedAt = now
        }
    }

    /// Notes which key behind the holder's presence is in use.
    /// - Returns: the name of the one before it.
    func notePresenceKey(_ name: String?, of device: DeviceID) async throws -> String? {
        try await change { pages in
            guard let index = pages.enrollments.lastIndex(where: { $0.deviceID == device }) else { return nil }
            let former = pages.enrollments[index].presenceKey
            pages.enrollments[index].presenceKey = name
            return former
        }
    }

    /// Writes an enrollment down; an older one of the same account gives way.
    /// - Returns: the one that gave way, whose keys are of no use any more.
    @discardableResult
    func enter(_ enrollment: Enrollment) async throws -> Enrollment? {
        try await change { pages in
            let former = pages.enrollments.last { $0.account == enrollment.account }
            pages.enrollments.removeAll { $0.account == enrollment.account }
            pages.enrollments.append(enrollment)
            return former
        }
    }

    /// Strikes a device out.
    /// - Returns: what was struck out.
    @discardableResult
    func strike(_ device: DeviceID) async throws -> Enrollment? {
        try await change { pages in
            let found = pages.enrollments.last { $0.deviceID == device }
            pages.enrollments.removeAll { $0.deviceID == device }
            return found
        }
    }

    private func change<T: Sendable>(_ body: @escaping @Sendable (inout Pages) -> T) async throws -> T {
        try await store.withExclusiveLock(lock) {
            var pages = try await read()
            let result = body(&pages)
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            try await store.put(try encoder.encode(pages), for: key)
            return result
        }
    }

    private func read() async throws -> Pages {
        guard let data = try await store.get(key) else { return Pages() }
        guard let pages = try? JSONDecoder().decode(Pages.self, from: data), pages.version == 1 else {
            throw SecureStoreFailure(.damaged, reason: "the list of enrollments cannot be decoded")
        }
        return pages
    }
}
