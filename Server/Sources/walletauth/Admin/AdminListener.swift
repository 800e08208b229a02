import AuthHTTP
import HummingbirdCore
import Logging
import NIOCore

/// The connections of the administration socket. Each ends with its last request, as on the server's port.
struct AdminListener: ServerChildChannel {
    let base: HTTP1Channel

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        base.setup(channel: channel, logger: logger).flatMapThrowing { value in
            try channel.pipeline.syncOperations.endWithLastRequest()
            return value
        }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async {
        await base.handle(value: value, logger: logger)
    }
}
