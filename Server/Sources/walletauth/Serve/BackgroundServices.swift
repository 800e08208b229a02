import Apple
import Core
import Kernel
import Logging
import Operations
import ServiceLifecycle
import Store

extension ServiceGroupConfiguration.ServiceConfiguration {
    /// A service that the log calls by its type. Otherwise the log prints it with all that it holds: the keys of the server, and its
    /// database.
    static func namedByType(_ service: any Service) -> Self {
        Self(service: service, serviceName: "\(type(of: service))")
    }
}

/// Applies what other processes on the same database announce. It runs until the other services have stopped.
struct NoticeService: Service {
    let context: ServerContext

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await context.followOtherProcesses()
        }
        // With an engine for one process there is nothing to follow, but a service that returns would stop the server.
        try? await gracefulShutdown()
    }
}

/// Removes expired rows and rotates the signing keys while the server runs.
struct MaintenanceService: Service {
    let maintenance: Maintenance
    let administration: Administration
    let clocks: ClockMonitor
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
            let removed = try await maintenance.run()
            if removed > 0 {
                logger.debug("swept", metadata: ["rows": .stringConvertible(removed)])
            }
            if await keyAge.database.leads(), clocks.check().allowsRemoval, try await keyAge.isDue() {
                let answer = await administration.execute(["keys", "rotate"])
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

/// The age limit of signing keys.
struct SigningKeyAge: Sendable {
    let database: any Database
    let limit: Duration
    let clock: any Clock

    /// Whether an active key is older than the limit and has no published successor yet.
    func isDue() async throws -> Bool {
        let keys = try await database.read { try SigningKeys.published(on: $0) }
        let succeeded = Set(keys.filter { $0.state == .next }.map(\.algorithm))
        let oldest = clock.now() - limit
        return keys.contains { key in
            guard key.state == .active, let since = key.activatedAt else { return false }
            return since < oldest && !succeeded.contains(key.algorithm)
        }
    }
}

/// Logs that the database gives this server fewer connections than its settings ask for.
struct ConnectionService: Service {
    let database: any Database
    let logger: Logger

    private static let interval = Duration.seconds(5)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var watch = ConnectionWatch()
            while !Task.isCancelled {
                do { try await Task.sleep(for: Self.interval) } catch { return }
                guard let metrics = database.connectionMetrics else { continue }
                switch watch.look(at: metrics) {
                case .missing(let failure):
                    logger.warning(
                        "the database gives this server fewer connections than configured: requests may wait",
                        metadata: [
                            "connections": "\(metrics.connected) of \(metrics.configured)",
                            "reason": "\(failure.explanation)",
                        ])
                case .complete:
                    logger.notice("this server has all its connections to the database")
                case nil: break
                }
            }
        }
    }
}

/// Notices that connections are missing for longer than a reconnection takes.
struct ConnectionWatch: Sendable {
    enum Change: Hashable {
        case missing(StoreError)
        case complete
    }

    private var looksWithout = 0
    private var isReported = false

    /// - Returns: what an operator should hear of.
    mutating func look(at metrics: ConnectionMetrics) -> Change? {
        guard metrics.connected < metrics.configured else {
            defer { (looksWithout, isReported) = (0, false) }
            return isReported ? .complete : nil
        }
        looksWithout += 1
        // A server without any connection is not ready, and logs that.
        guard looksWithout > 1, !isReported, metrics.connected > 0, let failure = metrics.failure else { return nil }
        isReported = true
        return .missing(failure)
    }
}

/// Counts the messages that wait, for the metrics: a scrape must not wait for the database.
struct OutboxCountService: Service {
    let server: AuthorizationServer

    private static let interval = Duration.seconds(10)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                // The metrics show the age of the last count.
                _ = try? await server.countOutbox()
                do { try await Task.sleep(for: Self.interval) } catch { return }
            }
        }
    }
}

/// Delivers messages while the server runs. On shutdown it finishes the deliveries in progress; messages that wait are
/// sent after the next start.
struct DeliveryService: Service {
    let delivery: MessageDelivery

    func run() async throws {
        await withGracefulShutdownHandler {
            await delivery.run()
            // Without transports there is nothing to deliver, but a service that returns would stop the server.
            try? await gracefulShutdown()
        } onGracefulShutdown: {
            delivery.stop()
        }
    }
}

/// Delivers webhooks while the server runs. On shutdown it finishes the posts in progress; events that wait are delivered after the
/// next start.
struct WebhookService: Service {
    let delivery: WebhookDelivery

    func run() async throws {
        await withGracefulShutdownHandler {
            await delivery.run()
        } onGracefulShutdown: {
            delivery.stop()
        }
    }
}

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
