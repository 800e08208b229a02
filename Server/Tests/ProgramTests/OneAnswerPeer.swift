import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A server that gives each request the same bytes, whether they are HTTP or not.
final class OneAnswerPeer: Sendable {
    enum Answer: Sendable {
        case text(String)
        /// The connection stays open.
        case nothing
    }

    private struct Seen {
        var connections = 0
        var requests: [String] = []
        var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let seen = Mutex(Seen())
    private let port = Mutex(0)
    private let isSecure: Bool

    private init(isSecure: Bool) {
        self.isSecure = isSecure
    }

    /// The requests, each with its body.
    var requests: [String] { seen.withLock { $0.requests } }

    var connections: Int { seen.withLock { $0.connections } }

    func url(_ path: String, host: String = "127.0.0.1") -> URL {
        URL(string: "\(isSecure ? "https" : "http")://\(host):\(port.withLock { $0 })\(path)") ?? URL(filePath: "/")
    }

    /// Waits until so many requests have arrived.
    func hasRequests(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = seen.withLock { seen in
                guard seen.requests.count < count else { return true }
                seen.waiting.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    /// Runs a test's body with a peer on a free port.
    /// - Parameter closes: whether the peer closes each connection after its answer.
    static func use<Value>(
        answering answer: Answer, closes: Bool = true, tls: NIOSSLContext? = nil,
        _ body: (OneAnswerPeer) async throws -> Value
    ) async throws -> Value {
        let peer = OneAnswerPeer(isSecure: tls != nil)
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
                    try channel.pipeline.syncOperations.addHandler(Answering(answer, closes: closes, peer: peer))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        peer.port.withLock { $0 = listener.localAddress?.port ?? 0 }
        do {
            let value = try await body(peer)
            try await listener.close()
            return value
        } catch {
            try? await listener.close()
            throw error
        }
    }

    private func connected() {
        seen.withLock { $0.connections += 1 }
    }

    private func received(_ request: String) {
        let ready = seen.withLock { seen in
            seen.requests.append(request)
            let ready = seen.waiting.filter { $0.count <= seen.requests.count }
            seen.waiting.removeAll { $0.count <= seen.requests.count }
            return ready.map(\.continuation)
        }
        for continuation in ready { continuation.resume() }
    }

    private final class Answering: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let answer: Answer
        private let closes: Bool
        private let peer: OneAnswerPeer
        private var text = ""

        init(_ answer: Answer, closes: Bool, peer: OneAnswerPeer) {
            self.answer = answer
            self.closes = closes
            self.peer = peer
        }

        func channelActive(context: ChannelHandlerContext) {
            peer.connected()
            context.fireChannelActive()
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            text += String(buffer: unwrapInboundIn(data))
            guard isComplete else { return }
            peer.received(text)
            text = ""
            guard case .text(let answer) = answer else { return }
            context.write(wrapOutboundOut(ByteBuffer(string: answer)), promise: nil)
            context.flush()
            if closes { context.close(promise: nil) }
        }

        /// Whether the head and the body that it announces have arrived.
        private var isComplete: Bool {
            guard let head = text.range(of: "\r\n\r\n") else { return false }
            let announced = text[..<head.lowerBound].split(separator: "\r\n").compactMap { line -> Int? in
                let parts = line.split(separator: ":", maxSplits: 1)
                guard parts.first?.lowercased() == "content-length", let value = parts.last else { return nil }
                return Int(value.trimmingCharacters(in: .whitespaces))
            }
            return text[head.upperBound...].utf8.count >= announced.first ?? 0
        }
    }
}
