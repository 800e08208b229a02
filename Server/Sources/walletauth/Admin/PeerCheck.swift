import NIOCore

/// Who is at the other end of a connection to the administration socket.
///
/// The kernel reports who connected at the time of connecting, so the check reads nothing the peer sends.
enum PeerCheck {
    #if os(Linux)
        /// `struct ucred` of unix(7), which Glibc declares only with `_GNU_SOURCE`.
        private typealias Credentials = (pid: pid_t, uid: uid_t, gid: gid_t)
        private static let level = NIOBSDSocket.OptionLevel.socket
        private static let option = NIOBSDSocket.Option(rawValue: SO_PEERCRED)
    #else
        private typealias Credentials = xucred
        /// `SOL_LOCAL` of unix(4).
        private static let level = NIOBSDSocket.OptionLevel(rawValue: 0)
        private static let option = NIOBSDSocket.Option(rawValue: LOCAL_PEERCRED)
    #endif

    /// The user at the other end of a connection, as the kernel reports it; nil if the connection is not a kernel
    /// socket.
    static func user(of channel: any Channel) -> EventLoopFuture<uid_t>? {
        guard let provider = channel as? any SocketOptionProvider else { return nil }
        let peer: EventLoopFuture<Credentials> = provider.unsafeGetSocketOption(level: level, name: option)
        return peer.map { credentials -> uid_t in
            #if os(Linux)
                return credentials.uid
            #else
                return credentials.cr_uid
            #endif
        }
    }

    /// Whether a user may use the socket: only this program's own user and root.
    static func isTrusted(_ user: uid_t) -> Bool { user == geteuid() || user == 0 }
}
