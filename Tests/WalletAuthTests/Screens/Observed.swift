import Observation

/// Waits until what is observed fulfills a condition.
@MainActor
func observed(_ isFulfilled: @MainActor () -> Bool) async {
    while true {
        let (changes, change) = AsyncStream.makeStream(of: Void.self)
        // Called before the value changes; the main actor is free again only afterwards.
        if withObservationTracking(isFulfilled, onChange: { change.finish() }) { return }
        for await _ in changes {}
    }
}
