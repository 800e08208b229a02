import AppleSignIn
import Logging
import ServiceLifecycle

/// Revokes and asks about tokens of Apple's for as long as the server runs. What is not done when it stops is done after the next
/// start.
struct AppleGrantService: Service {
    let maintenance: AppleGrantMaintenance
    let logger: Logger

    /// A person who erased their account looks at Apple's settings soon.
    private static let interval = Duration.seconds(5)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var isTroubled = false
            while !Task.isCancelled {
                do {
                    try await maintenance.run()
                    isTroubled = false
                } catch is CancellationError {
                    return
                } catch {
                    // The next run finds the same rows. Logged once, not every few seconds.
                    if !isTroubled {
                        logger.error("the maintenance of Apple's tokens failed", metadata: ["error": "\(error)"])
                    }
                    isTroubled = true
                }
                do { try await Task.sleep(for: Self.interval) } catch { return }
            }
        }
    }
}
