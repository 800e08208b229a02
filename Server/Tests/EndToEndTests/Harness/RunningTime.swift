import Synchronization

/// How long something takes by a clock that stops while the machine does: each step of it counts once, however long it was.
///
/// It is for sentences like “within ten seconds”, which a stop of the machine does not disprove.
func runningTime(of body: () async throws -> Void) async rethrows -> Duration {
    let clock = RunningClock()
    let ticking = Task { await clock.run() }
    defer { ticking.cancel() }
    try await body()
    return clock.elapsed
}

private final class RunningClock: Sendable {
    private static let step = Duration.milliseconds(50)
    private let steps = Mutex(0)

    var elapsed: Duration { Self.step * steps.withLock { $0 } }

    func run() async {
        while (try? await Task.sleep(for: Self.step)) != nil { steps.withLock { $0 += 1 } }
    }
}
