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
        private enum Place { case own, imported }

        private let hasher: PasswordHasher
        fileprivate let claimant: PasswordSlots.Claimant
        private let place = Mutex<Place?>(.own)

        fileprivate init(_ hasher: PasswordHasher, for claimant: PasswordSlots.Claimant) {
            self.hasher = hasher
            self.claimant = claimant
        }

        /// Gives it back early, before a wait in which nothing is hashed. Nothing may be hashed in it afterwards.
        package func release() {
            place.withLock { place in
                guard let held = place else { return }
                place = nil
                hasher.state.withLock { state in
                    switch held {
                    case .own: state.slots.give(from: claimant)
                    case .imported: state.imported.places.give(from: claimant)
                    }
                }
            }
        }

        /// Gives it back for a place among the comparisons with imported hashes.
        /// - Returns: whether there was one.
        fileprivate func moveToImported() -> Bool {
            place.withLock { place in
                guard place != .imported else { return true }
                let isMoved = hasher.state.withLock { state in
                    if place == .own { state.slots.give(from: claimant) }
                    return state.imported.places.take(for: claimant)
                }
                place = isMoved ? .imported : nil
                return isMoved
            }
        }

        deinit { release() }
    }

    private struct State {
        var slots: PasswordSlots
        var running = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
        var hashed = 0
        var imported: ImportedComparisons
    }

    let cost: PasswordHashing
    private let random: any RandomBytes
    private let clock: any Clock
    private let sleep: CommittedChanges.Sleep
    private let dummy: String
    private let state: Mutex<State>
    private let queue = DispatchQueue(label: "walletauth.passwords", attributes: .concurrent)

    /// Creates the hash that is compared if there is no account. No known password matches it.
    /// - Parameter sleep: lets time pass for failures that wait.
    package init(
        _ cost: PasswordHashing, random: any RandomBytes, clock: any Clock = SystemClock(),
        sleep: @escaping CommittedChanges.Sleep = CommittedChanges.passingTime
    ) {
        self.cost = cost
        self.random = random
        self.clock = clock
        self.sleep = sleep
        state = Mutex(
            State(
                slots: PasswordSlots(capacity: cost.concurrency + cost.queueLimit),
                imported: ImportedComparisons(concurrency: cost.concurrency, queueLimit: cost.queueLimit)))
        dummy = Argon2.unmatched(salt: random.bytes(16), hash: random.bytes(Argon2.hashLength), cost: cost)
    }

    /// The number of hashes computed so far. Tests compare it, because they cannot rely on timing.
    var hashesComputed: Int { state.withLock { $0.hashed } }

    /// How many comparisons with imported hashes, and waits, are in the queue for their turn. Tests wait for it.
    var queuedForImported: Int { state.withLock { $0.imported.queued } }

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

    /// Verifies a password. Without a hash it does the same work and fails. With an imported one it does that work too, and then compares.
    /// - Throws: ``PasswordOverload`` if too many passwords are being compared with imported hashes; nothing was compared.
    package func verify(_ password: Password, against encoded: String?, in slot: Slot) async throws -> Bool {
        defer { withExtendedLifetime(slot) {} }
        let bytes = Self.bytes(password)
        let imported = try imported(encoded)
        let own = imported == nil ? encoded : nil
        let isRight = try await run { [dummy] in try Argon2.verify(own ?? dummy, bytes) }
        guard let imported else { return isRight && own != nil }
        guard slot.moveToImported() else { throw PasswordOverload() }
        return try await compare(password, with: imported)
    }

    /// Waits after a password that failed, as long as it would have taken to compare it with an imported hash: otherwise the time would
    /// tell the names that have one. Nothing is computed, and the slot is given back before.
    ///
    /// Devices that the account knows do not wait, nor does a password that was compared with an imported hash.
    /// - Parameter encoded: what the password was compared with.
    /// - Returns: whether the failure may be told. If not, there is no place to wait in, and a name with an imported hash would have been
    ///   refused: the answer must be that of a busy server.
    package func hideImportedHashes(_ encoded: String?, in slot: Slot) async -> Bool {
        defer { slot.release() }
        guard (try? imported(encoded)) == nil,
            let profile = state.withLock({ $0.imported.profile(for: slot.claimant) })
        else { return true }
        guard slot.moveToImported() else { return false }
        await inTurn(profile) {
            // The queue may have taken long, and the machine may be busier since.
            let time = state.withLock { $0.imported.profile(for: slot.claimant)?.time } ?? profile.time
            if time > .zero { try? await sleep(time) }
        }
        return true
    }

    /// A hash that is not one of ours at today's cost.
    private func imported(_ encoded: String?) throws -> ImportedPasswordHash? {
        guard let encoded, !isCurrent(encoded) else { return nil }
        return try ImportedPasswordHash(stored: encoded)
    }

    private func compare(_ password: Password, with imported: ImportedPasswordHash) async throws -> Bool {
        // Ours are of the normalized password; of an imported hash only the bytes as typed are known.
        let isOwn = PasswordHashText(imported.text) != nil
        let typed = isOwn ? Self.bytes(password) : Array(password.reveal().utf8)
        let profile = ImportedComparisons.Profile(
            name: imported.profile, memoryKiB: Int(imported.memoryKiB), time: .zero)
        return try await inTurn(profile) {
            defer { state.withLock { $0.hashed += 1 } }
            let start = clock.uptime()
            let isRight = try await onThread { try imported.verify(typed) }
            // Only now: a hash that cannot be computed fails at once, and is no example for others.
            let time = clock.uptime() - start
            state.withLock { $0.imported.note(imported, took: time) }
            return isRight
        }
    }

    /// Has its turn among the comparisons with imported hashes until the work is done.
    private func inTurn<T: Sendable>(
        _ profile: ImportedComparisons.Profile, _ work: () async throws -> T
    ) async rethrows -> T {
        await withCheckedContinuation { continuation in
            let isNext = state.withLock { state in
                state.imported.enter(profile) { continuation.resume() }
            }
            if isNext { continuation.resume() }
        }
        defer {
            let turns = state.withLock { $0.imported.leave(profile) }
            for turn in turns { turn() }
        }
        return try await work()
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
        return try await onThread(work)
    }

    /// Runs a hash on a separate thread, not in the cooperative pool.
    private func onThread<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try work() }) }
        }
    }
}

/// Too many passwords are being compared with imported hashes. The caller comes back after ``PasswordHasher/retryAfter``.
package struct PasswordOverload: Error {}
