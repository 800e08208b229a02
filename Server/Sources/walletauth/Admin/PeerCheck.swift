import Logging
import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Answers the server's own user and root on the administration socket, and closes the connection of everybody else,
/// whatever the socket's mode has become.
///
/// The kernel says who connected, at the moment of connecting; nothing that the peer sends is read before.
final class PeerCheck: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny
    typealias InboundOut = NIOAny

    #if os(Linux)
        /// `struct ucred` of unix(7), which Glibc shows to GNU sources alone.
        private typealias Credentials = (pid: pid_t, uid: uid_t, gid: gid_t)
        private static let level = NIOBSDSocket.OptionLevel.socket
        private static let option = NIOBSDSocket.Option(rawValue: SO_PEERCRED)
    #else
        private typealias Credentials = xucred
        /// `SOL_LOCAL` of unix(4).
        private static let level = NIOBSDSocket.OptionLevel(rawValue: 0)
        private static let option = NIOBSDSocket.Option(rawValue: LOCAL_PEERCRED)
    #endif

    private let logger: Logger
    private var isTrusted = false

    init(logger: Logger) {
        self.logger = logger
    }

    func handlerAdded(context: ChannelHandlerContext) {
        guard let channel = context.channel as? any SocketOptionProvider else { return }
        let peer: EventLoopFuture<Credentials> = channel.unsafeGetSocketOption(level: Self.level, name: Self.option)
        peer.assumeIsolated().whenComplete { outcome in
            guard case .success(let credentials) = outcome else { return }
            #if os(Linux)
                let user = credentials.uid
            #else
                let user = credentials.cr_uid
            #endif
            self.isTrusted = user == geteuid() || user == 0
            if !self.isTrusted {
                self.logger.warning("administration refused to another user", metadata: ["uid": "\(user)"])
            }
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard isTrusted else {
            context.close(promise: nil)
            return
        }
        context.fireChannelRead(data)
    }
}

@available(*, unavailable)
extension PeerCheck: Sendable {}
