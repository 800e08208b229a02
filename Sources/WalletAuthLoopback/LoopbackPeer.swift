#if os(Linux)
    import Foundation
    import WalletAuth

    /// Determines which user's program is at the other end of a loopback connection, according to the kernel.
    ///
    /// Any user of the machine can connect to a loopback port. If one of them sees an authorization request in the
    /// process list, they can sign in on its page with their own account and bring the answer here. `state`, PKCE and
    /// DPoP all match, because it is the same request, and the person's app would be signed in to the attacker's
    /// account.
    struct LoopbackPeer {
        /// The two ends of the peer's socket in the kernel's notation: its own, and the listener's.
        private let ends: [(own: String, listeners: String)]

        /// Identifies the peer of an IPv4 connection. Its program may have used an IPv6 socket.
        init(own: (address: UInt32, port: UInt16), listeners: (address: UInt32, port: UInt16)) {
            let mapped = String(repeating: "0", count: 16) + Self.hex(UInt32(0xFFFF).bigEndian)
            ends = ["", mapped].map { prefix in
                (
                    own: "\(prefix)\(Self.hex(own.address)):\(Self.hex(own.port))",
                    listeners: "\(prefix)\(Self.hex(listeners.address)):\(Self.hex(listeners.port))"
                )
            }
        }

        /// Identifies the peer of an IPv6 connection.
        init(own: (address: [UInt32], port: UInt16), listeners: (address: [UInt32], port: UInt16)) {
            let (from, to) = (own.address.map { Self.hex($0) }, listeners.address.map { Self.hex($0) })
            ends = [
                (
                    own: "\(from.joined()):\(Self.hex(own.port))",
                    listeners: "\(to.joined()):\(Self.hex(listeners.port))"
                )
            ]
        }

        /// Returns the owner of the socket in a line of the kernel's table, if that is the peer's socket.
        ///
        /// A socket that its program has closed has no owner: the kernel shows root instead, and no inode.
        /// - Parameter line: a line of `/proc/net/tcp` or `/proc/net/tcp6` (proc(5)).
        func owner(in line: String) -> UInt32? {
            let fields = line.split(separator: " ")
            guard fields.count > 9, ends.contains(where: { $0.own == fields[1] && $0.listeners == fields[2] }),
                fields[9] != "0"
            else { return nil }
            return UInt32(fields[7])
        }

        private static func hex(_ number: some FixedWidthInteger & UnsignedInteger) -> String {
            let digits = String(number, radix: 16, uppercase: true)
            return String(repeating: "0", count: number.bitWidth / 4 - digits.count) + digits
        }
    }

    extension LoopbackPeer {
        /// Whether the other end is a program of this user, or of root, who can do anything here. If the system has no
        /// such tables, the owner is unknown and every program is accepted.
        static func isOfThisUser(_ connection: OpenFile) -> Bool {
            guard let peer = LoopbackPeer(connection) else { return false }
            var hasTables = false
            for table in ["/proc/self/net/tcp", "/proc/self/net/tcp6"] {
                guard let file = fopen(table, "re") else { continue }
                defer { fclose(file) }
                hasTables = true
                var line = [CChar](repeating: 0, count: 1024)
                while fgets(&line, Int32(line.count), file) != nil {
                    let bytes = line.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }
                    if let owner = peer.owner(in: String(decoding: bytes, as: UTF8.self)) {
                        return owner == geteuid() || owner == 0
                    }
                }
            }
            return !hasTables
        }

        /// Reads the two ends of a connection.
        private init?(_ connection: OpenFile) {
            var (own, listeners) = (sockaddr_storage(), sockaddr_storage())
            guard Self.read(&own, { getpeername(connection.descriptor, $0, $1) }),
                Self.read(&listeners, { getsockname(connection.descriptor, $0, $1) })
            else { return nil }
            switch Int32(own.ss_family) {
            case Int32(AF_INET): self.init(own: Self.version4(own), listeners: Self.version4(listeners))
            case Int32(AF_INET6): self.init(own: Self.version6(own), listeners: Self.version6(listeners))
            default: return nil
            }
        }

        private static func read(
            _ name: inout sockaddr_storage,
            _ call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
        ) -> Bool {
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            return withUnsafeMutablePointer(to: &name) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, &length) } == 0
            }
        }

        private static func version4(_ name: sockaddr_storage) -> (address: UInt32, port: UInt16) {
            withUnsafeBytes(of: name) { bytes in
                let name = bytes.load(as: sockaddr_in.self)
                return (name.sin_addr.s_addr, UInt16(bigEndian: name.sin_port))
            }
        }

        private static func version6(_ name: sockaddr_storage) -> (address: [UInt32], port: UInt16) {
            withUnsafeBytes(of: name) { bytes in
                let name = bytes.load(as: sockaddr_in6.self)
                let words = withUnsafeBytes(of: name.sin6_addr) { Array($0.bindMemory(to: UInt32.self)) }
                return (words, UInt16(bigEndian: name.sin6_port))
            }
        }
    }
#endif
