import Kernel
import Logging
import ServiceLifecycle

/// Compares the clocks while the server runs: this machine's each second, the database server's every ten. The leading process
/// records the time each minute.
struct ClockService: Service {
    let context: ServerContext

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var isRecordFailing = false
            for second in 0... {
                context.clocks.take(isSynchronized: SystemClockSource.isSynchronized)
                context.clocks.check()
                if second.isMultiple(of: 10) { await context.clocks.compare() }
                if second.isMultiple(of: 60), await context.database.leads() {
                    do {
                        try await context.clocks.record()
                        isRecordFailing = false
                    } catch is CancellationError {
                        return
                    } catch {
                        // The next record says the same. Logged once, not every minute.
                        if !isRecordFailing {
                            context.logger.error("the time could not be recorded", metadata: ["error": "\(error)"])
                        }
                        isRecordFailing = true
                    }
                }
                do { try await Task.sleep(for: .seconds(1)) } catch { return }
            }
        }
    }
}
