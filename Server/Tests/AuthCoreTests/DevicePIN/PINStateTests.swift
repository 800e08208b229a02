import SignIn
import Testing
import WalletAuthWire

@Suite("The PIN state of an enrollment")
struct PINStateTests {
    private let one = PINEpoch.first
    private let two: PINEpoch
    private let three: PINEpoch

    init() throws {
        two = try PINParty.epoch(2)
        three = try PINParty.epoch(3)
    }

    /// Charges, and gives up where that is refused.
    private func charged(_ state: PINState, epoch: PINEpoch? = nil, unsuccessful: Int = 0) -> PINState? {
        guard case .charged(let next, _) = state.charging(epoch: epoch ?? one, unsuccessful: unsuccessful) else {
            return nil
        }
        return next
    }

    @Test("Five tries are charged before they are made, and the sixth is refused")
    func fiveTries() {
        var state = PINState.active(one, failed: 0)
        for number in 1...5 {
            let charge = state.charging(epoch: one, unsuccessful: number - 1)
            #expect(charge == .charged(.active(one, failed: number), attemptsLeft: 5 - number))
            guard case .charged(let next, _) = charge else { return }
            state = next
        }
        #expect(state.charging(epoch: one, unsuccessful: 5) == .locked(.tooManyTries))
    }

    @Test("The last of five, too, may be right: then all five are back")
    func lastTry() {
        #expect(PINState.active(one, failed: 5).succeeding(epoch: one) == .active(one, failed: 0))
        #expect(PINState.changing(one, failed: 5, to: two).succeeding(epoch: one) == .changing(one, failed: 0, to: two))
    }

    @Test(
        "A wrong one of five leaves the PIN open, the fifth locks it, and a lock is not undone by a success that was late"
    )
    func locks() {
        for failed in 0...4 {
            #expect(PINState.active(one, failed: failed).failing(epoch: one) == .active(one, failed: failed))
        }
        let locked = PINState.active(one, failed: 5).failing(epoch: one)
        #expect(locked == .locked(one))
        #expect(locked.lockReason == .tooManyTries)
        #expect(locked.succeeding(epoch: one) == nil)
        #expect(locked.charging(epoch: one, unsuccessful: 0) == .locked(.tooManyTries))
        #expect(PINState.changing(one, failed: 5, to: two).failing(epoch: one) == .replacing(one, with: two))
    }

    @Test("Thirty charges without success within thirty days refuse the next, however few of them were in a row")
    func thirtyInThirtyDays() {
        #expect(charged(.active(one, failed: 0), unsuccessful: 29) == .active(one, failed: 1))
        #expect(PINState.active(one, failed: 0).charging(epoch: one, unsuccessful: 30) == .exhausted)
        #expect(
            PINState.changing(one, failed: 0, to: two).charging(epoch: one, unsuccessful: 30) == .exhausted)
        // A new PIN does not reset the count.
        let renewed = PINState.locked(one).beginning(two)?.promoting(two)
        #expect(renewed == .active(two, failed: 0))
        #expect(renewed?.charging(epoch: two, unsuccessful: 30) == .exhausted)
    }

    @Test(
        "The tries left count both the row and the thirty days; for a PIN that both limits block, the later end is reported"
    )
    func bothLimits() {
        #expect(
            PINState.active(one, failed: 0).charging(epoch: one, unsuccessful: 28)
                == .charged(.active(one, failed: 1), attemptsLeft: 1))
        #expect(PINState.locked(one).charging(epoch: one, unsuccessful: 29) == .locked(.tooManyTries))
        #expect(PINState.locked(one).charging(epoch: one, unsuccessful: 30) == .exhausted)
        #expect(PINState.active(one, failed: 5).charging(epoch: one, unsuccessful: 30) == .exhausted)
    }

    @Test("A charge for another epoch is refused and costs nothing")
    func otherEpoch() {
        #expect(PINState.active(two, failed: 0).charging(epoch: one, unsuccessful: 0) == .otherEpoch)
        #expect(PINState.active(one, failed: 0).charging(epoch: two, unsuccessful: 0) == .otherEpoch)
        #expect(
            PINState.changing(one, failed: 0, to: two).charging(epoch: two, unsuccessful: 0) == .otherEpoch
        )
    }

    @Test("Where there is no PIN, nothing is charged", arguments: [0, 1])
    func none(which: Int) {
        let state = [PINState.none, .pending(one)][which]
        #expect(state.charging(epoch: one, unsuccessful: 0) == .notSet)
        #expect(state.succeeding(epoch: one) == nil)
        #expect(state.failing(epoch: one) == state)
        #expect(state.active == nil)
    }

    @Test("A PIN is set: pending, and by its assertion active; a second attempt to set it drops the first")
    func setting() {
        #expect(PINState.none.beginning(one) == .pending(one))
        #expect(PINState.pending(one).beginning(two) == .pending(two))
        #expect(PINState.pending(two).promoting(one) == nil)
        #expect(PINState.pending(two).promoting(two) == .active(two, failed: 0))
    }

    @Test("A new epoch waits while the old one stays valid, until the new one replaces it with all its tries")
    func changing() {
        let state = PINState.active(one, failed: 3).beginning(two)
        #expect(state == .changing(one, failed: 3, to: two))
        #expect(state?.active == one)
        #expect(state?.pending == two)
        #expect(state.flatMap { charged($0) } == .changing(one, failed: 4, to: two))
        #expect(state?.beginning(three) == .changing(one, failed: 3, to: three))
        #expect(state?.promoting(two) == .active(two, failed: 0))
        #expect(PINState.active(one, failed: 0).promoting(one) == nil)
    }

    @Test("A forgotten, locked PIN is replaced, and stays locked until it is")
    func replacing() {
        let state = PINState.locked(one).beginning(two)
        #expect(state == .replacing(one, with: two))
        #expect(state?.lockReason == .tooManyTries)
        #expect(state?.charging(epoch: one, unsuccessful: 0) == .locked(.tooManyTries))
        #expect(state?.charging(epoch: two, unsuccessful: 0) == .locked(.tooManyTries))
        #expect(state?.promoting(two) == .active(two, failed: 0))
    }

    @Test("No epoch is used twice: one that is not above all before it cannot begin")
    func epochs() {
        #expect(PINState.pending(two).beginning(two) == nil)
        #expect(PINState.pending(two).beginning(one) == nil)
        #expect(PINState.active(two, failed: 0).beginning(two) == nil)
        #expect(PINState.locked(two).beginning(one) == nil)
        #expect(PINState.changing(one, failed: 0, to: three).beginning(two) == nil)
        #expect(PINState.replacing(one, with: three).beginning(three) == nil)
    }

    @Test("Whatever comes in whatever order, no more than five tries lie between two successes", arguments: 1...20)
    func anyOrder(seed: UInt64) throws {
        var generator = SplitMix(state: seed)
        var state = PINState.none
        var highest: Int64 = 0
        var sinceSuccess: [PINEpoch: Int] = [:]
        for _ in 0..<2_000 {
            let before = state
            switch UInt8.random(in: 0...9, using: &generator) {
            case 0:
                highest += 1
                state = state.beginning(try PINParty.epoch(highest)) ?? state
            case 1: state = state.pending.flatMap(state.promoting) ?? state
            case 2:
                guard let active = state.active, let next = state.succeeding(epoch: active) else { continue }
                state = next
                sinceSuccess[active] = 0
            case 3: state = state.active.map(state.failing) ?? state
            default:
                let epoch = state.active ?? .first
                guard case .charged(let next, let left) = state.charging(epoch: epoch, unsuccessful: 0) else {
                    continue
                }
                state = next
                sinceSuccess[epoch, default: 0] += 1
                #expect(left == 5 - (sinceSuccess[epoch] ?? 0))
            }
            for (_, count) in sinceSuccess { #expect(count <= 5) }
            if let old = before.active, let new = state.active { #expect(old <= new) }
            if let active = state.active, let pending = state.pending { #expect(active < pending) }
            if before.lockReason != nil, state.lockReason == nil { #expect(before.pending == state.active) }
        }
    }
}

/// The same numbers for the same seed.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
