internal import Core
internal import NIOCore
internal import NIOPosix
internal import NIOSSL

/// A connection with one command and one reply at a time.
///
/// An unsolicited byte ends it. This alone keeps a reply injected before TLS from being read as one that came after it
/// (the STARTTLS injection).
struct SMTPConnection: Sendable {
    private let channel: any Channel
    private let greeting: EventLoopFuture<SMTPReply>
    /// Why the connection ended. It outlives the handler, which is removed with the connection.
    private let ending: EventLoopFuture<OutboundFault>

    /// - Parameter tls: for TLS from the first byte; `nil` for a connection in clear.
    /// - Throws: ``OutboundFault``.
    static func open(
        _ address: NetworkAddress, port: Int, tls: SMTPClientTLS?, timeout: Duration
    ) async throws -> SMTPConnection {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let greeting = loop.makePromise(of: SMTPReply.self)
        let ending = loop.makePromise(of: OutboundFault.self)
        do {
            let channel = try await ClientBootstrap(group: loop)
                .connectTimeout(.milliseconds(max(1, timeout.wholeMilliseconds)))
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let pipeline = channel.pipeline.syncOperations
                        if let tls { try pipeline.addHandler(tls.handler()) }
                        try pipeline.addHandler(SMTPReplyHandler(greeting: greeting, ending: ending))
                    }
                }
                .connect(to: try SocketAddress(ipAddress: address.text, port: port)).get()
            return SMTPConnection(
                channel: channel, greeting: greeting.futureResult, ending: ending.futureResult)
        } catch {
            let fault = SMTPReplyHandler.fault(for: error, otherwise: .unreachable)
            greeting.fail(fault)
            ending.succeed(fault)
            throw fault
        }
    }

    func greet() async throws -> SMTPReply {
        try await closingWhenCancelled { try await greeting.get() }
    }

    /// Sends a command and reads the reply.
    /// - Parameter text: without the last CRLF. Line breaks within it are the caller's; only DATA has any.
    func send(_ text: String) async throws -> SMTPReply {
        let (channel, ending) = (channel, ending)
        let reply = channel.eventLoop.makePromise(of: SMTPReply.self)
        channel.eventLoop.execute {
            do {
                try channel.pipeline.syncOperations.handler(type: SMTPReplyHandler.self).expect(reply)
                channel.writeAndFlush(ByteBuffer(string: text + "\r\n"), promise: nil)
            } catch let fault as OutboundFault {
                reply.fail(fault)
            } catch {
                ending.whenSuccess { reply.fail($0) }
            }
        }
        return try await closingWhenCancelled { try await reply.futureResult.get() }
    }

    /// Begins TLS after the server's positive reply.
    func startTLS(_ tls: SMTPClientTLS) async throws {
        let channel = channel
        do {
            try await channel.eventLoop.submit {
                let pipeline = channel.pipeline.syncOperations
                // If more bytes than the reply have arrived, the connection has ended and its handler is gone.
                try pipeline.handler(type: SMTPReplyHandler.self).requireSilence()
                try pipeline.addHandler(tls.handler(), position: .first)
            }.get()
        } catch let fault as OutboundFault {
            throw fault
        } catch is ChannelPipelineError {
            throw try await ending.get()
        } catch {
            throw SMTPReplyHandler.fault(for: error, otherwise: .broken)
        }
    }

    func close() {
        channel.close(promise: nil)
    }

    private func closingWhenCancelled<Value: Sendable>(
        _ body: @Sendable () async throws -> Value
    ) async throws -> Value {
        let channel = channel
        return try await withTaskCancellationHandler {
            try await body()
        } onCancel: {
            channel.close(promise: nil)
        }
    }
}

struct SMTPClientTLS: Sendable {
    let context: NIOSSLContext
    let host: String

    init(trustRoots: TrustRoots, host: String) throws {
        do {
            context = try NIOSSLContext(configuration: trustRoots.clientConfiguration)
        } catch {
            throw OutboundFault.untrusted
        }
        self.host = host
    }

    func handler() throws -> NIOSSLClientHandler {
        // A literal address is not a name (RFC 6066 §3). The certificate has to name the address then.
        try NIOSSLClientHandler(context: context, serverHostname: NetworkAddress(host) == nil ? host : nil)
    }
}

/// Passes each reply to the caller that waits for it.
private final class SMTPReplyHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private var parser = SMTPReplyParser()
    private var waiting: EventLoopPromise<SMTPReply>?
    private var fault: OutboundFault?
    private let ending: EventLoopPromise<OutboundFault>

    init(greeting: EventLoopPromise<SMTPReply>, ending: EventLoopPromise<OutboundFault>) {
        waiting = greeting
        self.ending = ending
    }

    func expect(_ reply: EventLoopPromise<SMTPReply>) throws {
        try requireSilence()
        waiting = reply
    }

    /// - Throws: ``OutboundFault`` if the connection has failed, or if a reply or part of one is pending.
    func requireSilence() throws {
        if let fault { throw fault }
        guard waiting == nil, parser.isEmpty else { throw OutboundFault.broken }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        do {
            for byte in unwrapInboundIn(data).readableBytesView {
                guard fault == nil else { return }
                // Unsolicited bytes may come from an attacker in between.
                guard waiting != nil else { throw OutboundFault.broken }
                guard let reply = try parser.take(byte) else { continue }
                waiting?.succeed(reply)
                waiting = nil
            }
        } catch {
            fail(Self.fault(for: error, otherwise: .broken), context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(Self.fault(for: error, otherwise: .broken), context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(.broken, context)
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        fail(.broken, context)
    }

    private func fail(_ fault: OutboundFault, _ context: ChannelHandlerContext) {
        if self.fault == nil {
            self.fault = fault
            ending.succeed(fault)
        }
        waiting?.fail(fault)
        waiting = nil
        context.close(promise: nil)
    }

    static func fault(for error: any Error, otherwise: OutboundFault) -> OutboundFault {
        switch error {
        case let fault as OutboundFault: fault
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError: .untrusted
        case ChannelError.connectTimeout: .timeout
        default: otherwise
        }
    }
}

@available(*, unavailable)
extension SMTPReplyHandler: Sendable {}
