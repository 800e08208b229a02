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

extension ServerFault {
    /// A server that is not available, and asks to come back later than the SDK waits by itself.
    static let busy = ServerFault.answer(HTTPResponse(status: 503, headers: ["Retry-After": "60"]))
}
