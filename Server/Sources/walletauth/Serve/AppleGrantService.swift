import AppleSignIn
import Logging
import ServiceLifecycle

/// Revokes and checks Apple's tokens while the server runs. Unfinished work continues after the next start.
struct AppleGrantService: Service {
    let maintenance: AppleGrantMaintenance
    let logger: Logger

    /// Short, because people who erase their account soon check Apple's settings.
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
                    // The next run finds the same rows. The error is logged once, not every few seconds.
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
