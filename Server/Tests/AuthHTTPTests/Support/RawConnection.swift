import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS

/// A TCP connection on which a test says whatever it likes.
struct RawConnection: Sendable {
    private let channel: any Channel
    private let received: ReceivedBytes
    /// What the TLS handshake agreed on; `nil` over plain TCP.
    let handshake: Handshake?

    struct Handshake: Sendable {
        let applicationProtocol: String?
        let certificate: [UInt8]
    }

    /// Connects, and sends the first text in the same breath: a busy machine may let a task wait for longer than a server waits
    /// for a silent connection.
    /// - Parameters:
    ///   - isReading: if false, nothing is read before ``read()``.
    ///   - isStubborn: if true, it ends only when the server closes, and not when that says that it sends no more.
    static func open(
        port: Int, sending text: String = "", isReading: Bool = true, isStubborn: Bool = false
    ) async throws -> RawConnection {
        let received = ReceivedBytes()
        let channel = try await bootstrap(received, before: { _ in })
            .channelOption(ChannelOptions.autoRead, value: isReading)
            .channelOption(ChannelOptions.allowRemoteHalfClosure, value: isStubborn)
            .connect(host: "127.0.0.1", port: port)
            .flatMap { channel in
                text.isEmpty
                    ? channel.eventLoop.makeSucceededFuture(channel)
                    : channel.writeAndFlush(ByteBuffer(string: text)).map { channel }
            }.get()
        return RawConnection(channel: channel, received: received, handshake: nil)
    }

    /// Shakes hands, offering the given protocols by ALPN.
    static func openTLS(port: Int, offering protocols: [String]) async throws -> RawConnection {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .none
        configuration.applicationProtocols = protocols
        let context = try NIOSSLContext(configuration: configuration)
        let received = ReceivedBytes()
        let agreed = MultiThreadedEventLoopGroup.singleton.next().makePromise(of: Handshake.self)
        let channel = try await bootstrap(received) { channel in
            let operations = channel.pipeline.syncOperations
            try operations.addHandler(Wire())
            try operations.addHandler(NIOSSLClientHandler(context: context, serverHostname: "localhost"))
            try operations.addHandler(HandshakeListener(agreed: agreed))
        }.connect(host: "127.0.0.1", port: port).get()
        channel.closeFuture.whenComplete { _ in agreed.fail(ChannelError.eof) }
        return RawConnection(channel: channel, received: received, handshake: try await agreed.futureResult.get())
    }

    private static func bootstrap(
        _ received: ReceivedBytes, before: @escaping @Sendable (any Channel) throws -> Void
    ) -> ClientBootstrap {
        ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).channelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                try before(channel)
                try channel.pipeline.syncOperations.addHandler(Collector(received: received))
            }
        }
    }

    func send(_ text: String) async throws { try await send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) async throws {
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes))
    }

    /// Reads from now on.
    func read() async throws { try await channel.setOption(ChannelOptions.autoRead, value: true).get() }

    /// Sends a byte now and then, which keeps any idle timeout quiet, until the server closes or the task is cancelled. The pause is the
    /// attack, not a wait.
    func drip() async throws {
        while !Task.isCancelled {
            try await send("a")
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Says no more, and goes on listening.
    func finishSending() async throws { try await channel.close(mode: .output) }

    func close() async { try? await channel.close() }

    /// Ends the TCP connection beneath TLS, without the alert that says so: what an attacker on the path can do.
    func cutBeneathTLS() async throws {
        try await channel.eventLoop.submit { [channel] in
            try channel.pipeline.syncOperations.context(handlerType: Wire.self).close(promise: nil)
        }.get()
    }

    /// Everything that came until the server closed.
    /// - Throws: when the server has not closed after five minutes.
    func textUntilClosed() async throws -> String {
        String(decoding: try await bytes { _ in false }, as: UTF8.self)
    }

    /// Everything that came until it contained a text so many times, or the server closed.
    /// - Throws: when neither has happened after five minutes.
    func text(until marker: String, times: Int = 1) async throws -> String {
        let bytes = try await bytes {
            String(decoding: $0, as: UTF8.self).components(separatedBy: marker).count > times
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Everything that came until it was enough, or the server closed.
    /// - Throws: when neither has happened after five minutes.
    func bytes(until isEnough: @escaping @Sendable ([UInt8]) -> Bool) async throws -> [UInt8] {
        let promise = channel.eventLoop.makePromise(of: [UInt8].self)
        let timeout = channel.eventLoop.scheduleTask(in: .seconds(300)) { promise.fail(StillOpen()) }
        defer { timeout.cancel() }
        received.wait(until: isEnough, promise)
        return try await promise.futureResult.get()
    }

    struct StillOpen: Error {}

    /// Stands nearest to the socket.
    private final class Wire: ChannelInboundHandler, Sendable {
        typealias InboundIn = NIOAny
    }

    /// What came so far, and who waits for more of it.
    private final class ReceivedBytes: @unchecked Sendable {
        private struct Waiter {
            let isEnough: @Sendable ([UInt8]) -> Bool
            let promise: EventLoopPromise<[UInt8]>
        }

        private let lock = NSLock()
        private var bytes: [UInt8] = []
        private var isClosed = false
        private var waiters: [Waiter] = []

        func wait(until isEnough: @escaping @Sendable ([UInt8]) -> Bool, _ promise: EventLoopPromise<[UInt8]>) {
            lock.withLock {
                waiters.append(Waiter(isEnough: isEnough, promise: promise))
                tell()
            }
        }

        func append(_ part: ByteBuffer) {
            lock.withLock {
                bytes += part.readableBytesView
                tell()
            }
        }

        func close() {
            lock.withLock {
                isClosed = true
                tell()
            }
        }

        private func tell() {
            waiters.removeAll { waiter in
                guard isClosed || waiter.isEnough(bytes) else { return false }
                waiter.promise.succeed(bytes)
                return true
            }
        }
    }

    private final class Collector: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let received: ReceivedBytes

        init(received: ReceivedBytes) { self.received = received }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { received.append(unwrapInboundIn(data)) }

        func channelInactive(context: ChannelHandlerContext) { received.close() }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }

    private final class HandshakeListener: ChannelInboundHandler {
        typealias InboundIn = NIOAny

        private let agreed: EventLoopPromise<Handshake>

        init(agreed: EventLoopPromise<Handshake>) { self.agreed = agreed }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if case .handshakeCompleted(let negotiated)? = event as? TLSUserEvent {
                let handler = try? context.pipeline.syncOperations.handler(type: NIOSSLClientHandler.self)
                let certificate = (try? handler?.peerCertificate?.toDERBytes()) ?? []
                agreed.succeed(Handshake(applicationProtocol: negotiated, certificate: certificate))
            }
            context.fireUserInboundEventTriggered(event)
        }
    }
}
