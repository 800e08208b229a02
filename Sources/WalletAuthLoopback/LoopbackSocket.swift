#if os(Linux)
    import Foundation
    import WalletAuth

    /// A socket that listens on the loopback interface only.
    struct LoopbackSocket: Sendable {
        /// The loopback address to use.
        enum Address: Sendable {
            /// 127.0.0.1
            case version4
            /// [::1]
            case version6
        }

        let file: OpenFile
        /// The port in use.
        let port: Int

        /// Starts listening.
        /// - Parameter port: 0 lets the system choose a free port.
        init(_ address: Address, port: UInt16) throws(SystemCallFailure) {
            let family = address == .version4 ? AF_INET : AF_INET6
            #if canImport(Glibc)
                let kind = Int32(SOCK_STREAM.rawValue)
            #else
                let kind = SOCK_STREAM
            #endif
            let file = OpenFile(try SystemCallFailure.check("socket") { socket(family, kind, 0) })
            try file.neverBlockNorInherit()
            // Connections of an earlier sign-in that are still closing must not block a fixed port.
            var on: Int32 = 1
            try SystemCallFailure.check("setsockopt") {
                setsockopt(file.descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
            }
            switch address {
            case .version4:
                var name = sockaddr_in()
                name.sin_family = sa_family_t(AF_INET)
                name.sin_port = port.bigEndian
                name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
                try Self.name(file, &name)
                try Self.readName(of: file, into: &name)
                self.port = Int(UInt16(bigEndian: name.sin_port))
            case .version6:
                var name = sockaddr_in6()
                name.sin6_family = sa_family_t(AF_INET6)
                name.sin6_port = port.bigEndian
                name.sin6_addr = in6addr_loopback
                try Self.name(file, &name)
                try Self.readName(of: file, into: &name)
                self.port = Int(UInt16(bigEndian: name.sin6_port))
            }
            try SystemCallFailure.check("listen") { listen(file.descriptor, 16) }
            self.file = file
        }

        /// Accepts the next waiting connection, or returns nil. A broken connection is no reason to stop waiting for
        /// the next.
        func acceptConnection() -> OpenFile? {
            guard let descriptor = try? SystemCallFailure.check("accept", { accept(file.descriptor, nil, nil) }) else {
                return nil
            }
            let connection = OpenFile(descriptor)
            return (try? connection.neverBlockNorInherit()) == nil ? nil : connection
        }

        /// Frees the port at once, even if the socket is still referenced, and refuses connections that wait to be
        /// accepted.
        func stopListening() { shutdown(file.descriptor, Int32(SHUT_RDWR)) }

        private static func name<Name>(_ file: OpenFile, _ name: inout Name) throws(SystemCallFailure) {
            let failure = withUnsafePointer(to: &name) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    bind(file.descriptor, address, socklen_t(MemoryLayout<Name>.size)) == 0 ? 0 : errno
                }
            }
            if failure != 0 { throw SystemCallFailure(call: "bind", number: failure) }
        }

        private static func readName<Name>(of file: OpenFile, into name: inout Name) throws(SystemCallFailure) {
            var length = socklen_t(MemoryLayout<Name>.size)
            let failure = withUnsafeMutablePointer(to: &name) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    getsockname(file.descriptor, address, &length) == 0 ? 0 : errno
                }
            }
            if failure != 0 { throw SystemCallFailure(call: "getsockname", number: failure) }
        }
    }
#endif
