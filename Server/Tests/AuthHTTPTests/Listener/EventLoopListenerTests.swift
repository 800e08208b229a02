import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import HTTP

@Suite("Where requests run")
struct EventLoopListenerTests {
    /// A connection that matters only for its loop.
    private struct Connection: ServerChildChannelValue {
        let channel: any Channel
    }

    /// Notes where it runs, before and after it had to wait for another thread.
    private final class Witness: ServerChildChannel {
        let places = Mutex<[Bool]>([])

        func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Connection> {
            channel.eventLoop.makeSucceededFuture(Connection(channel: channel))
        }

        func handle(value: Connection, logger: Logger) async {
            note(value)
            let other = Task.detached { 1 }
            _ = await other.value
            note(value)
            await withTaskGroup(of: Void.self) { group in group.addTask { self.note(value) } }
        }

        private func note(_ connection: Connection) {
            let isThere = connection.channel.eventLoop.inEventLoop
            places.withLock { $0.append(isThere) }
        }
    }

    @Test("A connection is served on the event loop that reads it, also after it waited for another thread")
    func staysOnItsLoop() async throws {
        let channel = try await DatagramBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        let witness = Witness()
        let listener = EventLoopListener(base: witness)
        let logger = Logger(label: "test")
        let connection = try await listener.setup(channel: channel, logger: logger).get()
        await listener.handle(value: connection, logger: logger)
        try await channel.close()
        #expect(witness.places.withLock { $0 } == [true, true, true])
    }
}
