import Kernel
import Logging
import ServiceLifecycle
import Store

/// Compares the clocks while the server runs: this machine's each second, the database server's every ten. The leading process
/// records the time each minute.
struct ClockService: Service {
    let clocks: ClockMonitor
    let database: any Database
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var isRecordFailing = false
            for second in 0... {
                clocks.take(isSynchronized: SystemClockSource.isSynchronized)
                clocks.check()
                if second.isMultiple(of: 10) { await clocks.compare() }
                if second.isMultiple(of: 60), await database.leads() {
                    do {
                        try await clocks.record()
                        isRecordFailing = false
                    } catch is CancellationError {
                        return
                    } catch {
                        // The next record says the same. Logged once, not every minute.
                        if !isRecordFailing {
                            logger.error("the time could not be recorded", metadata: ["error": "\(error)"])
                        }
                        isRecordFailing = true
                    }
                }
                do { try await Task.sleep(for: .seconds(1)) } catch { return }
            }
        }
    }
}
