import Core
import FlowSupport
import Store
import Synchronization
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

/// How many guesses have ended.
private final class EndedGuesses: Sendable {
    private let count = Mutex(0)

    var number: Int { count.withLock(\.self) }

    func add() { count.withLock { $0 += 1 } }
}

@Suite("Comparisons with imported hashes, and waits that look like them", .threat("Password guessing"))
struct ImportedComparisonTests {
    private static let hashing = PasswordHashing(memoryKiB: 8, passes: 1)
    /// Of no known password, with 128 MiB.
    private static let large =
        "$argon2id$v=19$m=131072,t=1,p=1$c29tZXNhbHQ$" + String(repeating: "A", count: 43)
    private static let small = "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$" + String(repeating: "A", count: 43)

    private func claimant(_ name: String) -> PasswordSlots.Claimant { .untrusted(name: name, networks: []) }

    /// Compares a password that is wrong.
    private func fail(_ hasher: PasswordHasher, at name: String, against encoded: String? = nil) async throws
        -> PasswordHasher.Slot
    {
        let slot = try #require(hasher.slot(for: claimant(name)), "\(name) has no slot")
        #expect(try await !hasher.verify(try Password("wrong horse battery"), against: encoded, in: slot))
        return slot
    }

    @Test(
        "attack: sixty failures at unknown names after an import of 128 MiB a hash leave every slot to other sign-ins")
    func failures() async throws {
        let waits = HeldWaits()
        let clock = SteppingClock(by: .milliseconds(350))
        let hasher = PasswordHasher(
            Self.hashing, random: SystemRandomBytes(), clock: clock, sleep: { await waits.sleep($0) })
        let right = try Password("correct horse battery")
        let own = try await hasher.hash(right, in: try #require(hasher.slot(for: .administrator)))
        _ = try await fail(hasher, at: "imported", against: Self.large)
        #expect(waits.asked == [], "it took its time itself")

        let before = hasher.hashesComputed
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<60 {
                let slot = try await fail(hasher, at: "unknown\(number)")
                group.addTask { await hasher.hideImportedHashes(nil, in: slot) }
            }
            // Three quarters of the 66 places are for devices that are not known: further failures are answered at once.
            for _ in 0..<10 {
                let mayTell = try await group.next()
                #expect(mayTell == false)
            }
            // 256 MiB, as comparisons would have.
            await waits.untilAsked(2)
            while hasher.queuedForImported < 48 { await Task.yield() }
            #expect(waits.asked.count == 2)
            #expect(hasher.hashesComputed - before == 60, "nothing but ours is computed")

            let slot = try #require(hasher.slot(for: claimant("ada")))
            #expect(try await hasher.verify(right, against: own, in: slot))
            // Where a name with an imported hash is refused, so is a failure at any other.
            let guess = try #require(hasher.slot(for: claimant("imported")))
            await #expect(throws: PasswordOverload.self) {
                try await hasher.verify(right, against: Self.large, in: guess)
            }
            let other = try await fail(hasher, at: "bob")
            #expect(await !hasher.hideImportedHashes(nil, in: other))
            waits.end()
            for _ in 0..<50 {
                let mayTell = try await group.next()
                #expect(mayTell == true)
            }
            #expect(waits.asked == [Duration](repeating: .milliseconds(350), count: 50))
        }
        let slot = try await fail(hasher, at: "carol")
        #expect(await hasher.hideImportedHashes(nil, in: slot), "the places are free again")
    }

    @Test("attack: of several guesses at once, those at unknown names have their turns as those at an imported name do")
    func parallelGuesses() async throws {
        let waits = HeldWaits()
        let hasher = PasswordHasher(
            Self.hashing, random: SystemRandomBytes(), clock: SteppingClock(by: .milliseconds(350)),
            sleep: { await waits.sleep($0) })
        let right = try Password("correct horse battery")
        let own = try await hasher.hash(right, in: try #require(hasher.slot(for: .administrator)))
        _ = try await fail(hasher, at: "imported", against: Self.small)

        let ended = EndedGuesses()
        @Sendable func guess(at name: String, against encoded: String? = nil) -> Task<Void, any Error> {
            Task {
                let slot = try await fail(hasher, at: name, against: encoded)
                #expect(await hasher.hideImportedHashes(encoded, in: slot))
                ended.add()
            }
        }
        // Two turns, and two waits that have them.
        let first = [guess(at: "bob"), guess(at: "bob")]
        await waits.untilAsked(2)
        var guesses: [(imported: Task<Void, any Error>, unknown: Task<Void, any Error>)] = []
        for number in 1...5 {
            let imported = guess(at: "imported", against: Self.small)
            while hasher.queuedForImported + ended.number < 2 * number - 1 { await Task.yield() }
            let unknown = guess(at: "unknown")
            while hasher.queuedForImported + ended.number + waits.asked.count - 2 < 2 * number {
                await Task.yield()
            }
            guesses.append((imported, unknown))
        }
        #expect(hasher.queuedForImported == 10, "a comparison waits for its turn behind waits, and a wait too")
        #expect(waits.asked.count == 2)
        #expect(ended.number == 0)

        let slot = try #require(hasher.slot(for: claimant("ada")))
        #expect(try await hasher.verify(right, against: own, in: slot), "with one of our hashes it is not delayed")
        // Each wait that ends leaves its turn to the next comparison, and that to the next wait.
        for (number, guess) in guesses.enumerated() {
            waits.endFirst()
            try await guess.imported.value
            await waits.untilAsked(3 + number)
            #expect(waits.asked.count == 3 + number)
            #expect(hasher.queuedForImported == 8 - 2 * number)
        }
        waits.end()
        for task in first + guesses.map(\.unknown) { try await task.value }
        #expect(hasher.queuedForImported == 0)
    }

    @Test("A device that the account knows does not wait, and neither does anyone before the first comparison")
    func noWait() async throws {
        let waits = HeldWaits()
        let hasher = PasswordHasher(
            Self.hashing, random: SystemRandomBytes(), clock: SteppingClock(by: .seconds(1)),
            sleep: { await waits.sleep($0) })
        let first = try await fail(hasher, at: "ada")
        #expect(await hasher.hideImportedHashes(nil, in: first))
        _ = try await fail(hasher, at: "imported", against: Self.large)
        let account = try #require(UniqueID(bytes: [UInt8](repeating: 1, count: 16)))
        let known = try #require(hasher.slot(for: .known(account: account, networks: [])))
        #expect(await hasher.hideImportedHashes(nil, in: known))
        #expect(waits.asked == [])
    }

    @Test("attack: while all places are taken, guesses at an imported name count like those at any other name")
    func overload() async throws {
        let former = try await TestServer.start()
        let account = try await former.account()
        let holder = TestApp(client: try await former.publicClient())
        try await holder.becomeKnown()
        // The hash has another cost than ours then, as an imported one does.
        let server = try await former.restarted {
            $0.passwordHashing = PasswordHashing(memoryKiB: 8, passes: 1, concurrency: 1, queueLimit: 0)
        }
        let (context, passwords) = (server.context, server.flows.signIn.passwords)
        // Keeps the only place after its comparison.
        let place = try #require(context.passwords.slot(for: .administrator))
        #expect(
            try await !context.passwords.verify(try Password("wrong horse battery"), against: Self.small, in: place))

        let record = try #require(try await server.record(of: account))
        let key = try context.keyRing.active(.attempts)
        let unknown = Digests.keyed("name", ["default", "bob"], key: key)
        let now = server.clock.now()
        func counts(_ name: [UInt8], _ address: String) async throws -> [AttemptState?] {
            let networks = RequestOrigin(address: address).networks.filter { $0.extent == .subnet }
            let network = Digests.keyed("address", networks.map(\.name), key: key)
            return try await context.database.read { connection in
                try [name, network].map { try Attempts.state($0, now: now, on: connection) }
            }
        }
        var known = TestApp(client: holder.client.at(server), key: holder.key)
        var stranger = TestApp(client: known.client)
        // With the right password too: it is not compared.
        for (number, password) in ["a wrong one", "correct horse battery", "a wrong one"].enumerated() {
            var counted: [[AttemptState?]] = []
            for (name, subject, address) in [
                ("ada", try passwords.untrustedDevices(at: record), "198.51.100.1"), ("bob", unknown, "203.0.113.1"),
            ] {
                stranger.address = address
                #expect(try await stranger.signIn(name, password: password).refusal?.status == 503)
                counted.append(try await counts(subject, address))
            }
            #expect(counted[0] == counted[1])
            #expect(counted[0].allSatisfy { $0?.failures == Int64(number + 1) })
        }

        known.address = "192.0.2.7"
        for _ in 0..<10 { #expect(try await known.signIn(password: "a wrong one").refusal?.status == 503) }
        let charged = try await counts(try passwords.knownDevices(of: record), known.address)
        #expect(charged.allSatisfy { ($0?.failures ?? 0) == 0 }, "a known device is not locked by an overload")
        #expect(try await server.record(of: account)?.state == .active)
        place.release()
        _ = try await known.signIn().code()
    }

    @Test("attack: comparisons, and waits like them, have their turns within their memory and in order")
    func turns() {
        let turns = Turns()
        var comparisons = ImportedComparisons(concurrency: 3, queueLimit: 64)
        func enter(_ name: String, memoryKiB: Int) -> Bool {
            let profile = ImportedComparisons.Profile(name: name, memoryKiB: memoryKiB, time: .zero)
            return comparisons.enter(profile) { turns.add(name) }
        }
        func leave(memoryKiB: Int) -> [String] {
            turns.clear()
            for turn in comparisons.leave(.init(name: "", memoryKiB: memoryKiB, time: .zero)) { turn() }
            return turns.names
        }
        let large = 128 << 10
        #expect(enter("a", memoryKiB: large) && enter("b", memoryKiB: large), "256 MiB")
        #expect(!enter("c", memoryKiB: large))
        #expect(!enter("d", memoryKiB: 0), "no one overtakes")
        #expect(!enter("e", memoryKiB: 0))
        #expect(leave(memoryKiB: large) == ["c", "d"])
        #expect(comparisons.queued == 1, "three at once")
        #expect(leave(memoryKiB: large) == ["e"])
        #expect(!enter("f", memoryKiB: 0))
    }
}

/// Waits that last until the test ends them.
final class HeldWaits: Sendable {
    private struct State {
        var asked: [Duration] = []
        var held: [CheckedContinuation<Void, Never>] = []
        var isOver = false
        var watcher: (count: Int, continuation: CheckedContinuation<Void, Never>)?
    }

    private let state = Mutex(State())

    var asked: [Duration] { state.withLock { $0.asked } }

    func sleep(_ time: Duration) async {
        await withCheckedContinuation { continuation in
            let (isOver, watcher) = state.withLock { state -> (Bool, CheckedContinuation<Void, Never>?) in
                state.asked.append(time)
                if !state.isOver { state.held.append(continuation) }
                guard let watcher = state.watcher, state.asked.count >= watcher.count else {
                    return (state.isOver, nil)
                }
                state.watcher = nil
                return (state.isOver, watcher.continuation)
            }
            watcher?.resume()
            if isOver { continuation.resume() }
        }
    }

    func untilAsked(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isReached = state.withLock { state in
                if state.asked.count < count { state.watcher = (count, continuation) }
                return state.asked.count >= count
            }
            if isReached { continuation.resume() }
        }
    }

    /// The wait that has lasted longest.
    func endFirst() {
        state.withLock { $0.held.isEmpty ? nil : $0.held.removeFirst() }?.resume()
    }

    /// Also of waits to come.
    func end() {
        let held = state.withLock { state in
            state.isOver = true
            defer { state.held = [] }
            return state.held
        }
        for continuation in held { continuation.resume() }
    }
}

/// A clock that each look moves on.
private final class SteppingClock: Clock {
    private let step: Duration
    private let time = Mutex(Duration.zero)

    init(by step: Duration) { self.step = step }

    func now() -> Timestamp { Timestamp(seconds: 0) + uptime() }

    func uptime() -> Duration {
        time.withLock { time in
            time += step
            return time
        }
    }
}

private final class Turns: Sendable {
    private let state = Mutex<[String]>([])

    var names: [String] { state.withLock { $0 } }

    func add(_ name: String) { state.withLock { $0.append(name) } }

    func clear() { state.withLock { $0 = [] } }
}
