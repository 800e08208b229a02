/// The comparisons with imported hashes, and the waits that take as long as one.
///
/// They have places, threads and memory of their own, so that comparisons with our hashes never wait for them. A wait has its turn in the
/// same queue, with its share of the memory, and takes only no thread: of several guesses at once the waits would otherwise all end
/// together, and comparisons one after another.
struct ImportedComparisons: Sendable {
    typealias Turn = @Sendable () -> Void

    /// Algorithm and cost of imported hashes, with what a comparison takes.
    struct Profile: Sendable, Hashable {
        let name: String
        let memoryKiB: Int
        /// How long the last comparison took. Ever the same time would tell comparisons from waits while the machine is busy.
        fileprivate(set) var time: Duration
    }

    private struct Waiting: Sendable {
        var profile: Profile
        var turn: Turn
    }

    /// Of comparisons and waits alike: were they bounded apart, one of the two would be refused before the other.
    var places: PasswordSlots
    private let concurrency: Int
    private var running = 0
    private var memoryKiB = 0
    private var waiting: [Waiting] = []
    private var profiles: [Profile] = []

    /// Of all comparisons that run. The largest one takes half of it.
    private static let mostMemoryKiB = 256 << 10
    /// A machine that was suspended during a comparison must not have everyone wait for as long.
    private static let longest = Duration.seconds(10)
    /// A company moves in from one system or a few.
    private static let mostProfiles = 8

    init(concurrency: Int, queueLimit: Int) {
        self.concurrency = concurrency
        places = PasswordSlots(capacity: concurrency + queueLimit)
    }

    // MARK: - What there is

    /// - Parameter time: of a comparison, without its wait.
    mutating func note(_ hash: ImportedPasswordHash, took time: Duration) {
        let (name, time) = (hash.profile, min(time, Self.longest))
        if let index = profiles.firstIndex(where: { $0.name == name }) {
            profiles[index].time = time
        } else if profiles.count < Self.mostProfiles {
            profiles.append(Profile(name: name, memoryKiB: Int(hash.memoryKiB), time: time))
        }
    }

    /// The profile of a name without an imported hash, always the same one in this process; `nil` if nothing imported was compared yet,
    /// or the caller knows that there is an account.
    func profile(for claimant: PasswordSlots.Claimant) -> Profile? {
        guard case .untrusted(let name, _) = claimant, !profiles.isEmpty else { return nil }
        // Swift's hashes have a random key in each process, so no one else knows which it is.
        return profiles[Int(UInt(bitPattern: name.hashValue) % UInt(profiles.count))]
    }

    // MARK: - Turns

    /// How many are in the queue. Tests wait for it.
    var queued: Int { waiting.count }

    /// - Parameter turn: called later, if it is not this one's turn already.
    /// - Returns: whether it is.
    mutating func enter(_ profile: Profile, _ turn: @escaping Turn) -> Bool {
        guard waiting.isEmpty, hasRoom(for: profile) else {
            waiting.append(Waiting(profile: profile, turn: turn))
            return false
        }
        begin(profile)
        return true
    }

    /// A turn is over.
    /// - Returns: the turns of those who are next. Call them.
    mutating func leave(_ profile: Profile) -> [Turn] {
        running -= 1
        memoryKiB -= profile.memoryKiB
        var turns: [Turn] = []
        while let first = waiting.first, hasRoom(for: first.profile) {
            begin(first.profile)
            turns.append(first.turn)
            waiting.removeFirst()
        }
        return turns
    }

    private func hasRoom(for profile: Profile) -> Bool {
        // Alone it always has room: an operator may once have chosen a higher cost for ours.
        running == 0 || running < concurrency && memoryKiB + profile.memoryKiB <= Self.mostMemoryKiB
    }

    private mutating func begin(_ profile: Profile) {
        running += 1
        memoryKiB += profile.memoryKiB
    }
}
