import Foundation
import Testing
import WalletAuthTesting

@Suite("The manual clock")
struct ManualClockTests {
    let clock = ManualClock()

    @Test("wakes who waits when their moment has come, and not before")
    func sleeping() async throws {
        let task = Task { try await clock.sleep(for: .seconds(10)) }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(9))
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .seconds(1))
        try await task.value
        #expect(clock.sleeperCount == 0 && clock.uptime() == .seconds(10))
    }

    @Test("lets a cancelled task go, before and while it waits")
    func cancellation() async {
        let task = Task { try await clock.sleep(for: .seconds(10)) }
        await clock.waitForSleepers()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.sleeperCount == 0)
        let early = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(for: .seconds(10))
        }
        await #expect(throws: CancellationError.self) { try await early.value }
    }

    @Test("moves the wall clock without moving time")
    func wallClock() {
        let start = clock.now()
        clock.setWallClock(offBy: .seconds(-86_400))
        #expect(clock.now() == start.addingTimeInterval(-86_400))
        #expect(clock.trueNow() == start && clock.uptime() == .zero)
        clock.advance(by: .seconds(5))
        #expect(clock.now() == start.addingTimeInterval(5 - 86_400))
    }
}
