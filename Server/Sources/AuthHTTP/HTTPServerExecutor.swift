import HummingbirdCore
import Logging
import NIOCore

/// Runs the tasks of a connection on the event loop that reads and writes it.
///
/// On Swift's own pool each request changes threads at least twice more: to the pool when it has been read, and back to
/// the loop to be written; on a machine that is busy each change costs a futex, a switch and cold caches. Here what is
/// read is answered on the spot, and a request changes threads only for what has to wait: writes, longer reads and password
/// hashes, which have threads of their own. Lookups of single rows run here as long as the disk is quick. Nothing else may block or
/// compute for long.
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

/// A listener whose connections are served on their event loops.
///
/// For HTTP/1.1, where a connection carries one request at a time. The streams of one HTTP/2 connection share a loop, and
/// would all wait for one processor; they stay on Swift's pool.
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
