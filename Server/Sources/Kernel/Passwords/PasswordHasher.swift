package import Core
internal import Dispatch
internal import Foundation
internal import Synchronization
package import WalletAuthWire

/// Hashes passwords, a bounded number at a time. Each hash takes tens of megabytes, and a flood of sign-ins must get "try again
/// later" instead of exhausting memory.
///
/// A hash needs a slot first, so that an attempt is charged only if it will be compared. ``PasswordSlots`` allocates them.
///
/// This folder owns hashing and the lists of breached passwords. It does not verify an account's password
/// (`SignIn/Password`).
package final class PasswordHasher: Sendable {
    /// A slot for one comparison, released when it is deinitialized.
    package final class Slot: Sendable {
        private let hasher: PasswordHasher
        fileprivate let claimant: PasswordSlots.Claimant
        private let isTaken = Atomic(true)

        fileprivate init(_ hasher: PasswordHasher, for claimant: PasswordSlots.Claimant) {
            self.hasher = hasher
            self.claimant = claimant
        }

        /// Gives it back early, before a wait in which nothing is hashed. It must not be used afterwards.
        package func release() {
            guard isTaken.exchange(false, ordering: .acquiringAndReleasing) else { return }
            hasher.state.withLock { $0.slots.give(from: claimant) }
        }

        deinit { release() }
    }

    private struct State {
        var slots: PasswordSlots
        var running = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
        var hashed = 0
        /// Whether a hash runs that takes more memory than ours, and those that wait for its end.
        var isLargeRunning = false
        var largeWaiting: [CheckedContinuation<Void, Never>] = []
        var standIns = ImportedStandIns()
    }

    let cost: PasswordHashing
    private let random: any RandomBytes
    private let dummy: String
    private let state: Mutex<State>
    private let queue = DispatchQueue(label: "walletauth.passwords", attributes: .concurrent)

    /// Creates the hash that is compared if there is no account. No known password matches it.
    package init(_ cost: PasswordHashing, random: any RandomBytes) {
        self.cost = cost
        self.random = random
        state = Mutex(State(slots: PasswordSlots(capacity: cost.concurrency + cost.queueLimit)))
        dummy = Argon2.unmatched(salt: random.bytes(16), hash: random.bytes(Argon2.hashLength), cost: cost)
    }

    /// The number of hashes computed so far. Tests compare it, because they cannot rely on timing.
    var hashesComputed: Int { state.withLock { $0.hashed } }

    /// The retry delay for clients when the queue is full, in seconds.
    package static let retryAfter: Int64 = 2

    /// Whether a hash has today's cost.
    package func isCurrent(_ encoded: String) -> Bool { Argon2.isCurrent(encoded, cost: cost) }

    /// Whether a hash may be replaced by one of the password that matched it: not if it was compared with the password's beginning only,
    /// since a typing error after that would have to be repeated from then on.
    package func isReplaceable(_ encoded: String, by password: Password) -> Bool {
        guard case .bcrypt? = try? ImportedPasswordHash(stored: encoded) else { return true }
        return password.reveal().utf8.count <= BcryptHash.longest
    }

    /// Takes a slot; `nil` if all slots, or the claimant's share of them, are in use.
    package func slot(for claimant: PasswordSlots.Claimant) -> Slot? {
        state.withLock { $0.slots.take(for: claimant) } ? Slot(self, for: claimant) : nil
    }

    /// Verifies a password. Without a hash it does the same work and fails.
    ///
    /// The right password for an imported hash costs that comparison and the hash that replaces it. So does every wrong one at a name that
    /// may be unknown: with an imported hash a comparison with the dummy comes after it, otherwise one with a stand-in for an imported hash,
    /// once this process has seen one. The time of a failure therefore depends on the name, and not on whether there is an account.
    package func verify(_ password: Password, against encoded: String?, in slot: Slot) async throws -> Bool {
        defer { withExtendedLifetime(slot) {} }
        let bytes = Self.bytes(password)
        if let encoded, !isCurrent(encoded) {
            let imported = try ImportedPasswordHash(stored: encoded)
            let isRight = try await verify(password, imported)
            // Only now, since a hash that cannot be computed must not be the stand-in for others.
            state.withLock { $0.standIns.note(imported, random: random) }
            if isRight { return true }
            _ = try await run { [dummy] in try Argon2.verify(dummy, bytes) }
            return false
        }
        let target = encoded ?? dummy
        if try await run({ try Argon2.verify(target, bytes) }), encoded != nil { return true }
        if let standIn = state.withLock({ $0.standIns.standIn(for: slot.claimant) }) {
            // It matches nothing, so a failure of it is one more wrong password.
            _ = try? await verify(password, standIn)
        }
        return false
    }

    private func verify(_ password: Password, _ imported: ImportedPasswordHash) async throws -> Bool {
        // Ours are of the normalized password; of an imported hash only the bytes as typed are known.
        let isOwn = PasswordHashText(imported.text) != nil
        let typed = isOwn ? Self.bytes(password) : Array(password.reveal().utf8)
        return try await run(memoryKiB: imported.memoryKiB) { try imported.verify(typed) }
    }

    package func hash(_ password: Password, in slot: Slot) async throws -> String {
        let bytes = Self.bytes(password)
        let salt = random.bytes(16)
        let cost = cost
        let encoded = try await run { try Argon2.hash(bytes, salt: salt, cost: cost) }
        withExtendedLifetime(slot) {}
        return encoded
    }

    /// Normalizes the password: keyboards differ in how they compose a letter and its accent.
    package static func bytes(_ password: Password) -> [UInt8] {
        Array(password.reveal().precomposedStringWithCanonicalMapping.utf8)
    }

    /// Runs a hash on a separate thread, not in the cooperative pool. Of those that take more memory than ours, one at a time.
    private func run<T: Sendable>(
        memoryKiB: UInt32 = 0, _ work: @escaping @Sendable () throws -> T
    ) async throws -> T {
        guard memoryKiB > cost.memoryKiB else { return try await run(work) }
        await withCheckedContinuation { continuation in
            let mayRun = state.withLock { state in
                guard state.isLargeRunning else {
                    state.isLargeRunning = true
                    return true
                }
                state.largeWaiting.append(continuation)
                return false
            }
            if mayRun { continuation.resume() }
        }
        defer {
            let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
                guard state.largeWaiting.isEmpty else { return state.largeWaiting.removeFirst() }
                state.isLargeRunning = false
                return nil
            }
            next?.resume()
        }
        return try await run(work)
    }

    private func run<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
        await withCheckedContinuation { continuation in
            let mayRun = state.withLock { state in
                guard state.running >= cost.concurrency else {
                    state.running += 1
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if mayRun { continuation.resume() }
        }
        defer {
            let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
                state.hashed += 1
                guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
                state.running -= 1
                return nil
            }
            next?.resume()
        }
        return try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try work() }) }
        }
    }
}
