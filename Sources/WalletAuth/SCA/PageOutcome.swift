/// Asks for the result of a hosted page while it is open, because the person need not come back from it.
struct PageOutcome: Sendable {
    let proof: ConsentProof
    let time: any TimeSource

    private static let pause = Duration.seconds(2)
    /// How long a page that returns by itself may take before it is no longer waited for.
    private static let returnTime = Duration.milliseconds(500)

    /// Waits until the person has answered on the page.
    /// - Throws: ``WalletError`` if the event or the session ended; `CancellationError`.
    func result(of challenge: SCA.Challenge) async throws -> SCA.Attempt {
        var pause = Self.pause
        while true {
            try await time.sleep(for: pause)
            pause = Self.pause
            do {
                let attempt = try await proof.outcome(of: challenge)
                // The page itself reports wrong input, and asks again.
                guard [.notChallenged, .invalidValue].contains(attempt.statusReason) else {
                    try await time.sleep(for: Self.returnTime)
                    return attempt
                }
            } catch let error as WalletError {
                switch error.outcome {
                case .offline: break
                case .temporarilyUnavailable(let retryAfter): pause = max(pause, retryAfter ?? .zero)
                default: throw error
                }
            }
        }
    }
}
