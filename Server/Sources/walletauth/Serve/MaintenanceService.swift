import AuthAdministration
import AuthFlows
import Logging
import ServiceLifecycle

/// Removes expired rows and rotates the signing keys while the server runs.
struct MaintenanceService: Service {
    let server: AuthorizationServer
    let keyAge: SigningKeyAge
    let interval: Duration
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await runOnce()
                do {
                    try await Task.sleep(for: interval)
                } catch {
                    return
                }
            }
        }
    }

    private func runOnce() async {
        do {
            let removed = try await server.maintenance.run()
            if removed > 0 {
                logger.debug("swept", metadata: ["rows": "\(removed)"])
            }
            if try await keyAge.isDue() {
                let answer = await server.administration.execute(.keys(.rotate(purpose: "signatures")))
                logger.notice("signing keys rotated by age", metadata: ["status": "\(answer.status)"])
            }
        } catch is CancellationError {
            // The server is stopping; the next start continues.
        } catch {
            // The next run finds the same rows and keys, so a failure is only logged.
            logger.error("maintenance failed and will be repeated", metadata: ["error": "\(error)"])
        }
    }
}
