import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS

/// A TCP connection on which a test says whatever it likes.
struct RawConnection: Sendable {
    private let channel: any Channel
    private let received: EventLoopFuture<ByteBuffer>
    /// What the TLS handshake agreed on; `nil` over plain TCP.
    let handshake: Handshake?

    struct Handshake: Sendable {
        let applicationProtocol: String?
        let certificate: [UInt8]
    }

    static func open(port: Int) async throws -> RawConnection {
        let collector = MultiThreadedEventLoopGroup.singleton.next().makePromise(of: ByteBuffer.self)
        let channel = try await bootstrap(collector, before: { _ in }).connect(host: "127.0.0.1", port: port).get()
        return RawConnection(channel: channel, received: collector.futureResult, handshake: nil)
    }

    /// Shakes hands, offering the given protocols by ALPN.
    static func openTLS(port: Int, offering protocols: [String]) async throws -> RawConnection {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .none
        configuration.applicationProtocols = protocols
        let context = try NIOSSLContext(configuration: configuration)
        let collector = MultiThreadedEventLoopGroup.singleton.next().makePromise(of: ByteBuffer.self)
        let agreed = MultiThreadedEventLoopGroup.singleton.next().makePromise(of: Handshake.self)
        let channel = try await bootstrap(collector) { channel in
            let operations = channel.pipeline.syncOperations
            try operations.addHandler(NIOSSLClientHandler(context: context, serverHostname: "localhost"))
            try operations.addHandler(HandshakeListener(agreed: agreed))
        }.connect(host: "127.0.0.1", port: port).get()
        channel.closeFuture.whenComplete { _ in agreed.fail(ChannelError.eof) }
        return RawConnection(
            channel: channel, received: collector.futureResult, handshake: try await agreed.futureResult.get())
    }

    private static func bootstrap(
        _ collector: EventLoopPromise<ByteBuffer>, before: @escaping @Sendable (any Channel) throws -> Void
    ) -> ClientBootstrap {
        ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).channelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                try before(channel)
                try channel.pipeline.syncOperations.addHandler(Collector(promise: collector))
            }
        }
    }

    func send(_ text: String) async throws {
        try await channel.writeAndFlush(ByteBuffer(string: text))
    }

    /// Says no more, and goes on listening.
    func finishSending() async throws { try await channel.close(mode: .output) }

    func close() async { try? await channel.close() }

    /// Everything that came until the server closed.
    /// - Throws: when the server has not closed after 20 seconds.
    func textUntilClosed() async throws -> String {
        let timeout = channel.eventLoop.scheduleTask(in: .seconds(20)) { [channel] in
            channel.pipeline.fireErrorCaught(StillOpen())
        }
        defer { timeout.cancel() }
        return String(buffer: try await received.get())
    }

    struct StillOpen: Error {}

    private final class Collector: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let promise: EventLoopPromise<ByteBuffer>
        private var all = ByteBuffer()

        init(promise: EventLoopPromise<ByteBuffer>) { self.promise = promise }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            var part = unwrapInboundIn(data)
            all.writeBuffer(&part)
        }

        func channelInactive(context: ChannelHandlerContext) { promise.succeed(all) }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            if error is StillOpen { promise.fail(error) }
            context.close(promise: nil)
        }
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
