/// The port for the server, reserved before the server is built.
///
/// The issuer contains the port, everything depends on the issuer, and with port 0 the system chooses. The port is
/// therefore chosen first. The socket is bound but never listens. Both it and the listener set SO_REUSEADDR, which lets
/// the listener bind too, while no other program can take the port in between.
struct PortReservation: ~Copyable {
    /// Why the port is not available.
    struct Unavailable: Error, CustomStringConvertible {
        let fault: Fault
        /// Whether only this user lacks the permission.
        let needsPrivilege: Bool

        var description: String { fault.line }

        fileprivate init(_ problem: String, remedy: String) {
            fault = Fault(problem, remedy)
            needsPrivilege = false
        }

        fileprivate init(host: String, port: Int, _ flags: (host: String, port: String), code: Int32) {
            needsPrivilege = code == EACCES && port < 1024
            let (cause, remedy): (String, String) =
                switch code {
                case EACCES where port < 1024:
                    (
                        "ports below 1024 need the capability CAP_NET_BIND_SERVICE",
                        "Grant it to the service, in systemd with AmbientCapabilities=CAP_NET_BIND_SERVICE, or choose another "
                            + flags.port
                    )
                case EADDRINUSE:
                    (
                        "another program uses it",
                        "See which with `ss -ltnp` and stop it, or choose another \(flags.port)"
                            + (flags.port == Settings.port.flag ? "; 0 picks a free one" : "")
                    )
                case EADDRNOTAVAIL:
                    ("that is not an address of this machine", "Choose another \(flags.host)")
                default:
                    (String(cString: strerror(code)), "Choose another \(flags.port) or \(flags.host)")
                }
            fault = Fault("cannot listen on \(host) port \(port): \(cause)", remedy)
        }
    }

    private let descriptor: Int32
    let port: Int

    /// Reserves a port.
    ///
    /// - Parameters:
    ///   - port: the port; 0 picks a free one.
    ///   - flags: the settings of both, for advice.
    /// - Throws: an error if the address is not one of this machine's, or if the port is in use or needs a privilege.
    init(
        host: String, port: Int, _ flags: (host: String, port: String) = (Settings.host.flag, Settings.port.flag)
    ) throws(Unavailable) {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        #if canImport(Glibc)
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
        hints.ai_flags = AI_PASSIVE
        var found: UnsafeMutablePointer<addrinfo>?
        let outcome = getaddrinfo(host, String(port), &hints, &found)
        guard outcome == 0, let found else {
            throw Unavailable(
                "cannot listen on the host \(host): \(String(cString: gai_strerror(outcome)))",
                remedy: "Set an address of this machine with \(flags.host), such as 127.0.0.1 or 0.0.0.0")
        }
        defer { freeaddrinfo(found) }
        let address = found.pointee
        let descriptor = socket(address.ai_family, address.ai_socktype, address.ai_protocol)
        guard descriptor >= 0 else {
            throw Unavailable(
                "no socket can be opened: \(String(cString: strerror(errno)))",
                remedy: "Check the limits of this user and this machine (`ulimit -a`), then start again")
        }
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        guard bind(descriptor, address.ai_addr, address.ai_addrlen) == 0, let taken = Self.port(of: descriptor) else {
            let code = errno
            close(descriptor)
            throw Unavailable(host: host, port: port, flags, code: code)
        }
        self.descriptor = descriptor
        self.port = taken
    }

    deinit {
        close(descriptor)
    }

    private static func port(of descriptor: Int32) -> Int? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard getsockname(descriptor, address, &length) == 0 else { return nil }
                // The port has the same offset in the addresses of both families.
                return storage.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    Int(UInt16(bigEndian: $0.pointee.sin_port))
                }
            }
        }
    }
}
