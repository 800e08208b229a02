import HTTP
import HummingbirdCore
import Logging
import NIOCore

/// The connections of the administration socket: of the server's own user and root, whatever the socket's mode.
///
/// All others are closed before anything is read from them, so that no parser sees their bytes and nothing answers them. A
/// connection that is admitted ends with its last request, as on the server's port.
struct AdminListener: ServerChildChannel {
    let base: HTTP1Channel
    /// Gets each refusal. The listener's own logger is quieter.
    let logger: Logger

    private struct NotPermitted: Error {}

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        let peer = PeerCheck.user(of: channel) ?? channel.eventLoop.makeFailedFuture(NotPermitted())
        return peer.flatMapThrowing { user in
            guard PeerCheck.isTrusted(user) else {
                self.logger.warning(
                    "administration refused to another user", metadata: ["uid": .stringConvertible(user)])
                throw NotPermitted()
            }
        }.flatMap {
            base.setup(channel: channel, logger: logger)
        }.flatMapThrowing { value in
            try channel.pipeline.syncOperations.endWithLastRequest()
            return value
        }.flatMapErrorThrowing { error in
            // NIO reads nothing from a connection whose setup fails, and leaves it open.
            channel.close(promise: nil)
            throw error
        }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async {
        await base.handle(value: value, logger: logger)
    }
}
