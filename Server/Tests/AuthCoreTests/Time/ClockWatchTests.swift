import Core
import Testing

@Suite("Clocks that leap")
struct ClockWatchTests {
    /// A machine whose clocks a test moves, and a watch over them.
    private struct Machine {
        var wall = Timestamp(seconds: 1_800_000_000)
        var uptime = Duration.seconds(5000)
        var isSynchronized: Bool?
        var watch: ClockWatch

        /// - Parameter absence: the time since an earlier process recorded the wall clock; `nil` if none did.
        init(absentFor absence: Duration?, isSynchronized: Bool? = nil) {
            self.isSynchronized = isSynchronized
            let reading = ClockReading(wall: wall, uptime: uptime, isSynchronized: isSynchronized)
            watch = ClockWatch(reading, lastRecorded: absence.map { [wall] in wall - $0 })
        }

        var reading: ClockReading { ClockReading(wall: wall, uptime: uptime, isSynchronized: isSynchronized) }

        mutating func compare(withDatabase difference: Duration) {
            watch.compare(withDatabase: difference, at: reading)
        }

        mutating func look() -> ClockVerdict { watch.observe(reading) }

        mutating func pass(_ time: Duration) -> ClockVerdict {
            wall = wall + time
            uptime += time
            return look()
        }

        mutating func leap(_ time: Duration) -> ClockVerdict {
            wall = wall + time
            return look()
        }
    }

    @Test("Clocks that run together agree, however long, also while the machine is suspended")
    func together() {
        var machine = Machine(absentFor: nil)
        for time in [Duration.zero, .seconds(1), .hours(1), .days(1), .days(90), .days(4000)] {
            #expect(machine.pass(time) == .agreed)
        }
    }

    @Test(
        "attack: a leap is noticed at the next look and allows neither requests nor removals",
        arguments: [40, 600, -1] as [Int64])
    func leap(days: Int64) {
        var machine = Machine(absentFor: .seconds(10))
        #expect(machine.pass(.hours(3)) == .agreed)
        let verdict = machine.leap(.days(days))
        #expect(verdict == .leaped(by: .days(days)))
        #expect(!verdict.allowsRequests && !verdict.allowsRemoval)
        #expect(machine.pass(.days(30)) == .leaped(by: .days(days)))
    }

    @Test("A clock that comes back is believed at once")
    func back() {
        var machine = Machine(absentFor: .seconds(10))
        #expect(machine.leap(.days(40)) == .leaped(by: .days(40)))
        #expect(machine.pass(.seconds(100)) == .leaped(by: .days(40)))
        #expect(machine.leap(.days(-40)) == .agreed)
    }

    @Test("Corrections up to a minute are none, and years of them do not add up")
    func corrections() {
        var machine = Machine(absentFor: nil)
        #expect(machine.leap(.seconds(60)) == .agreed)
        #expect(machine.leap(.seconds(-120)) == .agreed)
        #expect(machine.leap(.seconds(60)) == .agreed)
        for _ in 0..<500 {
            #expect(machine.pass(.hours(1)) == .agreed)
            #expect(machine.leap(.seconds(2)) == .agreed)
        }
    }

    @Test("attack: steps of less than a minute within an hour add up to a leap", .threat("Clocks, disks and crashes"))
    func creeping() {
        var machine = Machine(absentFor: nil)
        #expect(machine.leap(.seconds(59)) == .agreed)
        #expect(machine.pass(.minutes(1)) == .agreed)
        #expect(machine.leap(.seconds(59)) == .leaped(by: .seconds(118)))
    }

    @Test("A virtual machine that was paused for a day is believed after an hour, if its clock is synchronized")
    func paused() {
        for isSynchronized in [true, false, nil] {
            var machine = Machine(absentFor: nil, isSynchronized: isSynchronized)
            #expect(machine.leap(.days(1)) == .leaped(by: .days(1)))
            #expect(machine.pass(.minutes(59)) == .leaped(by: .days(1)))
            let later = machine.pass(.minutes(1))
            #expect(later == (isSynchronized == true ? .agreed : .leaped(by: .days(1))))
        }
    }

    @Test("The hour begins again with each further leap")
    func restless() {
        var machine = Machine(absentFor: nil, isSynchronized: true)
        _ = machine.leap(.days(1))
        #expect(machine.pass(.minutes(59)) == .leaped(by: .days(1)))
        #expect(machine.leap(.days(1)) == .leaped(by: .days(2)))
        #expect(machine.pass(.minutes(59)) == .leaped(by: .days(2)))
        #expect(machine.pass(.minutes(1)) == .agreed)
    }

    @Test("An operator's word ends the doubt at once, and the next leap is one again")
    func accepted() {
        var machine = Machine(absentFor: nil)
        _ = machine.leap(.days(600))
        machine.watch.accept(machine.reading)
        #expect(machine.look() == .agreed)
        #expect(machine.leap(.days(-600)) == .leaped(by: .days(-600)))
    }

    @Test("After a night without a server, the start is an ordinary one")
    func shortAbsence() {
        var machine = Machine(absentFor: .hours(23))
        #expect(machine.look() == .agreed)
    }

    @Test("A start far ahead of the last recorded time serves, and removes nothing until an hour has passed")
    func longAbsence() {
        for isSynchronized in [true, nil] {
            var machine = Machine(absentFor: .days(90), isSynchronized: isSynchronized)
            let verdict = machine.look()
            #expect(verdict == .unconfirmed(ahead: .days(90)))
            #expect(verdict.allowsRequests && !verdict.allowsRemoval)
            #expect(machine.pass(.minutes(59)) == .unconfirmed(ahead: .days(90)))
            #expect(machine.pass(.minutes(1)) == .agreed)
        }
    }

    @Test("If the system says that its clock is not synchronized, a long absence is believed after a day")
    func unsynchronized() {
        var machine = Machine(absentFor: .days(600), isSynchronized: false)
        #expect(machine.pass(.hours(23)) == .unconfirmed(ahead: .days(600)))
        #expect(machine.pass(.hours(1)) == .agreed)
    }

    @Test("attack: a clock that leaps while a start is in doubt takes requests down as well")
    func leapInDoubt() {
        var machine = Machine(absentFor: .days(90))
        #expect(machine.look() == .unconfirmed(ahead: .days(90)))
        #expect(machine.leap(.days(40)) == .leaped(by: .days(40)))
        #expect(machine.leap(.days(-40)) == .unconfirmed(ahead: .days(90)))
    }

    @Test("A wrong clock at the start that is corrected afterwards is believed at once")
    func correctedAfterStart() {
        var early = Machine(absentFor: .days(600))
        #expect(early.look() == .unconfirmed(ahead: .days(600)))
        #expect(early.leap(.days(-600) + .seconds(20)) == .agreed)

        var zone = Machine(absentFor: .hours(3))
        #expect(zone.look() == .agreed)
        #expect(zone.leap(.hours(-2)) == .agreed)
    }

    @Test("A clock behind the last recorded time serves nothing until it has caught up")
    func behind() {
        var machine = Machine(absentFor: .hours(-2))
        #expect(machine.look() == .leaped(by: .hours(-2)))
        #expect(machine.leap(.hours(2)) == .agreed)

        var empty = Machine(absentFor: .days(-20_000))
        #expect(empty.look() == .leaped(by: .days(-20_000)))
        #expect(empty.leap(.days(20_000) + .hours(5)) == .agreed)

        var long = Machine(absentFor: .days(-20_000))
        _ = long.look()
        #expect(long.leap(.days(20_090)) == .unconfirmed(ahead: .days(90)))
        #expect(long.pass(.hours(1)) == .agreed)
    }

    @Test("attack: an hour after a start, the earlier record explains no step back any more")
    func recordForgotten() {
        var machine = Machine(absentFor: .hours(3))
        #expect(machine.pass(.hours(1)) == .agreed)
        #expect(machine.leap(.hours(-2)) == .leaped(by: .hours(-2)))
    }

    @Test("attack: right after a start, a leap ahead is one, although the record would allow a day")
    func leapAfterStart() {
        var machine = Machine(absentFor: .seconds(5))
        #expect(machine.look() == .agreed)
        #expect(machine.leap(.hours(2)) == .leaped(by: .hours(2)))
    }

    @Test("A database server whose clock differs stops requests until it agrees, and no operator can allow it")
    func database() {
        var machine = Machine(absentFor: nil)
        machine.compare(withDatabase: .seconds(10))
        #expect(machine.look() == .agreed)
        machine.compare(withDatabase: .seconds(-11))
        #expect(machine.look() == .differsFromDatabase(by: .seconds(-11)))
        machine.watch.accept(machine.reading)
        let verdict = machine.look()
        #expect(!verdict.allowsRequests && !verdict.allowsRemoval)
        machine.compare(withDatabase: .zero)
        #expect(machine.look() == .agreed)
        // What was found while the clock was wrong is no finding once it is right.
        _ = machine.leap(.days(40))
        machine.compare(withDatabase: .days(-40))
        #expect(machine.look() == .leaped(by: .days(40)))
        #expect(machine.leap(.days(-40)) == .agreed)
    }

    @Test("Times at the ends of the range are answered, not trapped on")
    func extremes() {
        let reading = ClockReading(wall: Timestamp(milliseconds: .max), uptime: .zero, isSynchronized: nil)
        var watch = ClockWatch(reading, lastRecorded: Timestamp(milliseconds: .min + 1_000_000))
        #expect(!watch.observe(reading).allowsRemoval)
        let least = ClockReading(wall: Timestamp(milliseconds: .min), uptime: .seconds(1), isSynchronized: nil)
        #expect(!watch.observe(least).allowsRequests)
    }
}

@Suite("What operators read of the clocks")
struct ClockVerdictTests {
    @Test("It names the clock, the difference in its largest unit, and the direction")
    func words() {
        let cases: [(ClockVerdict, String)] = [
            (.agreed, "the clocks agree"),
            (.unconfirmed(ahead: .days(90)), "the clock is 90 days ahead of the last recorded time"),
            (.leaped(by: .days(40) - .milliseconds(1)), "the clock is 40 days ahead of the expected time"),
            (.leaped(by: .hours(-2)), "the clock is 2 hours behind the expected time"),
            (.leaped(by: .seconds(90)), "the clock is 90 seconds ahead of the expected time"),
            (
                .differsFromDatabase(by: .seconds(-11)),
                "the clock of the database's server is 11 seconds behind this machine's"
            ),
        ]
        for (verdict, words) in cases { #expect(verdict.explanation == words) }
        #expect(ClockVerdict.leaped(by: .milliseconds(-1999)).seconds == -2)
    }
}

@Suite("The second clock of what has to be kept")
struct ObservedTimeTests {
    private let start = Timestamp(seconds: 1_800_000_000)
    private let retention = Duration.days(548)

    private func advanced(_ record: ObservedTime, _ to: Duration, after passed: Duration) -> ObservedTime {
        record.advanced(to: start + to, after: passed, retention: retention)
    }

    @Test("While servers run, and over restarts, it is the wall clock")
    func running() {
        var record = ObservedTime(start)
        var time = Duration.zero
        for (step, passed) in [
            (Duration.minutes(1), Duration.minutes(1)), (.minutes(9), .zero), (.days(90), .days(90)),
        ] {
            time += step
            record = advanced(record, time, after: passed)
            #expect(record.unseen == .zero)
            #expect(record.retentionEnd(at: start + time) == start + time)
        }
    }

    @Test("attack: a leap that an operator confirmed ends no retention")
    func leap() {
        let record = advanced(ObservedTime(start), .days(600), after: .minutes(1))
        let end = record.retentionEnd(at: start + .days(600))
        #expect(end == start + .minutes(1))
    }

    @Test("An absence extends retentions by its length")
    func absence() {
        let record = advanced(ObservedTime(start), .days(90), after: .zero)
        #expect(record.unseen == .days(90))
        #expect(record.recorded == start + .days(90))
    }

    @Test("Setting the clock back again takes the leap back")
    func back() {
        let leaped = advanced(ObservedTime(start), .days(600), after: .zero)
        #expect(advanced(leaped, .minutes(1), after: .minutes(1)).unseen == .zero)
    }

    @Test("After the servers have lived through a retention, the gap before it no longer counts")
    func forgotten() {
        var record = advanced(ObservedTime(start), .days(90), after: .zero)
        record = advanced(record, .days(90) + retention - .seconds(1), after: retention - .seconds(1))
        #expect(record.unseen == .days(90))
        record = advanced(record, .days(90) + retention, after: .seconds(1))
        #expect(record.unseen == .zero)
    }

    @Test("It is read as it was written, and nothing else is")
    func text() {
        let record = advanced(ObservedTime(start), .days(90), after: .zero)
        #expect(ObservedTime(record.text) == record)
        for text in ["", "1 2", "1 2 3 4", "a b c"] { #expect(ObservedTime(text) == nil) }
    }
}
