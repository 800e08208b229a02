import CLibPQ
import Foundation

/// What libpq knows of a connection.
extension ServerConnection {
    /// The value in use: of the connection string, the environment, a service file, or libpq's default.
    func setting(_ name: String) -> String? { Self.setting(name, of: handle) }

    static func setting(_ name: String, of handle: OpaquePointer) -> String? {
        guard let options = PQconninfo(handle) else { return nil }
        defer { PQconninfoFree(options) }
        var option = options
        while let keyword = option.pointee.keyword {
            if String(cString: keyword) == name { return option.pointee.val.map { String(cString: $0) } }
            option += 1
        }
        return nil
    }

    /// Whether the server's certificate was checked, and names the host. Without TLS there would be no connection then,
    /// except over a Unix socket.
    var verifiesServer: Bool { setting("sslmode") == "verify-full" }

    /// Whether the other end is a Unix socket or a loopback address.
    var isLocal: Bool {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { general in
                guard getpeername(socket, general, &length) == 0 else { return false }
                switch CInt(general.pointee.sa_family) {
                case CInt(AF_UNIX): return true
                case CInt(AF_INET): return UnsafeRawPointer(general).load(fromByteOffset: 4, as: UInt8.self) == 127
                case CInt(AF_INET6):
                    return UnsafeRawPointer(general).loadUnaligned(fromByteOffset: 8, as: UInt128.self).bigEndian == 1
                default: return false
                }
            }
        }
    }
}
