import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A server on this machine that says what a test tells it to.
final class ScriptedServer: Sendable {
    /// One connection, as the script sees it.
    final class Conversation {
        private var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
        private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
        private let channel: any Channel
        private var pending = ByteBuffer()

        init(
            _ inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator,
            _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>, on channel: any Channel
        ) {
            self.inbound = inbound
            self.outbound = outbound
            self.channel = channel
        }

        func say(_ text: String) async throws {
            try await outbound.write(ByteBuffer(string: text))
        }

        /// Says the same again and again, slowly, until the client leaves. The pause is what is tested, not a wait: each
        /// part comes before a limit between two of them could end the connection.
        func drip(_ text: String) async throws {
            while true {
                try await say(text)
                try await Task.sleep(for: .milliseconds(50))
            }
        }

        /// The next line; `nil` where the client has gone.
        func line() async throws -> String? {
            while true {
                if let end = pending.readableBytesView.firstIndex(of: UInt8(ascii: "\n")) {
                    let length = end - pending.readableBytesView.startIndex
                    var line = pending.readString(length: length) ?? ""
                    pending.moveReaderIndex(forwardBy: 1)
                    if line.unicodeScalars.last == "\r" { line.unicodeScalars.removeLast() }
                    return line
                }
                guard try await read() else { return nil }
            }
        }

        /// So many bytes, or what came until the client left.
        func text(_ length: Int) async throws -> String {
            while pending.readableBytes < length, try await read() {}
            return pending.readString(length: min(length, pending.readableBytes)) ?? ""
        }

        private func read() async throws -> Bool {
            guard var bytes = try await inbound.next() else { return false }
            pending.writeBuffer(&bytes)
            return true
        }

        /// Ends the connection by a reset.
        func reset() async throws {
            try await (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
            try await channel.close()
        }

        /// Waits until the client closes.
        func end() async throws {
            while try await line() != nil {}
        }
    }

    let port: Int
    private let channel: any Channel
    private let task: Task<Void, Never>

    private init(port: Int, channel: any Channel, task: Task<Void, Never>) {
        self.port = port
        self.channel = channel
        self.task = task
    }

    /// Listens on a free port of the loopback interface, and runs the script for each connection.
    static func start(
        _ script: @escaping @Sendable (Conversation) async throws -> Void
    ) async throws -> ScriptedServer {
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        let task = Task<Void, Never> {
            _ = try? await withThrowingDiscardingTaskGroup { group in
                try await server.executeThenClose { connections in
                    for try await connection in connections {
                        group.addTask {
                            try? await connection.executeThenClose { inbound, outbound in
                                try await script(
                                    Conversation(inbound.makeAsyncIterator(), outbound, on: connection.channel))
                            }
                        }
                    }
                }
            }
        }
        return ScriptedServer(
            port: server.channel.localAddress?.port ?? 0, channel: server.channel, task: task)
    }

    deinit {
        task.cancel()
        channel.close(promise: nil)
    }
}

/// What a test gathers from other tasks.
actor Gathered<Element: Sendable> {
    private(set) var all: [Element] = []

    func add(_ element: Element) { all.append(element) }
}
