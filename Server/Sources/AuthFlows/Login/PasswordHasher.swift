internal import AuthCore
internal import Dispatch
internal import Foundation
internal import Synchronization
internal import WalletAuthWire

/// Hashes passwords, a bounded number at once: each takes tens of megabytes, and a flood of sign-ins must end in "come
/// back later", never in a machine without memory.
///
/// A hash takes a place first, so that an attempt is charged only when it will be compared; ``PasswordSlots`` says who gets
/// one.
final class PasswordHasher: Sendable {
    /// A place in the queue, good for one comparison. Given back when it is let go.
    final class Place: Sendable {
        private let hasher: PasswordHasher
        private let claimant: PasswordSlots.Claimant

        fileprivate init(_ hasher: PasswordHasher, for claimant: PasswordSlots.Claimant) {
            self.hasher = hasher
            self.claimant = claimant
        }

        deinit {
            hasher.state.withLock { $0.places.give(from: claimant) }
        }
    }

    private struct State {
        var places: PasswordSlots
        var running = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
        var hashed = 0
    }

    /// The cost of new hashes.
    let cost: PasswordHashing
    private let random: any RandomBytes
    private let dummy: String
    private let state: Mutex<State>
    private let queue = DispatchQueue(label: "walletauth.passwords", attributes: .concurrent)

    /// Makes what is compared where there is no account: a hash that no password is known to have.
    init(_ cost: PasswordHashing, random: any RandomBytes) {
        self.cost = cost
        self.random = random
        state = Mutex(State(places: PasswordSlots(capacity: cost.concurrency + cost.queueLimit)))
        dummy = Argon2.unmatched(salt: random.bytes(16), hash: random.bytes(Argon2.hashLength), cost: cost)
    }

    /// How many hashes were computed so far: what tests hold against each other, since time cannot be trusted there.
    var hashesComputed: Int { state.withLock { $0.hashed } }

    /// How long to ask clients to stay away when the queue is full.
    static let retryAfter: Int64 = 2

    /// A place; `nil` when all are taken, or all of the claimant's share.
    func place(for claimant: PasswordSlots.Claimant) -> Place? {
        state.withLock { $0.places.take(for: claimant) } ? Place(self, for: claimant) : nil
    }

    /// Whether a password fits a hash. Without a hash the same work is done for nothing.
    func verify(_ password: Password, against encoded: String?, in place: Place) async throws -> Bool {
        let bytes = Self.bytes(password)
        let target = encoded ?? dummy
        let matches = try await run { try Argon2.verify(target, bytes) }
        withExtendedLifetime(place) {}
        return matches && encoded != nil
    }

    /// The hash of a new password.
    func hash(_ password: Password, in place: Place) async throws -> String {
        let bytes = Self.bytes(password)
        let salt = random.bytes(16)
        let cost = cost
        let encoded = try await run { try Argon2.hash(bytes, salt: salt, cost: cost) }
        withExtendedLifetime(place) {}
        return encoded
    }

    /// Keyboards differ in how they compose a letter with its accent; the password is the same.
    static func bytes(_ password: Password) -> [UInt8] {
        Array(password.reveal().precomposedStringWithCanonicalMapping.utf8)
    }

    /// Runs a hash on a thread of its own, away from the threads that everything else runs on.
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
