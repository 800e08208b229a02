import HummingbirdCore
import Logging
import NIOCore

/// Runs the tasks of a connection on its own event loop.
///
/// On Swift's default pool, each request changes threads at least twice more: to the pool after reading, and back to
/// the loop for writing. On a busy machine each change costs a futex call, a context switch and cold caches. Here a
/// request is handled on the loop that read it. It changes threads only for work that waits: the store and password
/// hashes, which have their own threads. Nothing else may block or compute for long.
private final class EventLoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) {
        self.loop = loop
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// A listener whose connections run on their event loops.
///
/// Only for HTTP/1.1, which carries one request at a time per connection. The streams of one HTTP/2 connection share a
/// loop and would all compete for one core, so they stay on Swift's pool.
struct EventLoopListener<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        base.setup(channel: channel, logger: logger)
    }

    func handle(value: Base.Value, logger: Logger) async {
        await withTaskExecutorPreference(EventLoopExecutor(value.channel.eventLoop)) {
            await base.handle(value: value, logger: logger)
        }
    }
}
