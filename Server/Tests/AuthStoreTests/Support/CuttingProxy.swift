import Foundation
import Glibc
import Store
import TestSupport

/// A proxy before a PostgreSQL server that cuts or stalls a connection at a message of the client.
final class CuttingProxy: Sendable {
    enum Fault: Sendable {
        /// The message does not reach the server.
        case cutBefore
        /// The message reaches the server, and its answer does not reach the client.
        case cutAfter
        /// The message does not reach the server, and the connection stays open.
        case stall
        /// The message does not reach the server, and the client gets messages that answer nothing, without end.
        case flood
        /// Like ``flood``, after a message that accepts the client's login.
        case acceptAndFlood
    }

    private struct State {
        var fault: (Fault, text: String)?
    }

    let port: UInt16
    private let listener: CInt
    private let server: String
    private let state = LockedValue(State())

    /// - Parameter server: the path of its socket.
    init(_ server: String) throws {
        self.server = server
        listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        var length = size
        let listener = listener
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 64) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isListening else { throw PostgreSQLServer.Failure(description: "no port for the proxy") }
        port = UInt16(bigEndian: address.sin_port)
        let (state, server) = (state, server)
        Thread.detachNewThread { Self.accept(listener, server, state) }
    }

    deinit { shutdown(listener, CInt(SHUT_RDWR)) }

    /// Brings about a fault at the next message of a client that contains a text.
    func bring(_ fault: Fault, at text: String) {
        state.withLock { $0.fault = (fault, text) }
    }

    private static func accept(_ listener: CInt, _ server: String, _ state: LockedValue<State>) {
        while case let client = Glibc.accept(listener, nil, nil), client >= 0 {
            guard let upstream = connect(to: server) else {
                close(client)
                continue
            }
            let dropsAnswers = LockedValue(false)
            Thread.detachNewThread {
                pump(from: client, to: upstream) { bytes in
                    guard let fault = take(bytes, state) else { return .pass }
                    switch fault {
                    case .cutBefore: return .end
                    case .stall: return .drop
                    case .flood, .acceptAndFlood:
                        flood(client, afterLogin: fault == .acceptAndFlood)
                        return .end
                    case .cutAfter:
                        dropsAnswers.withLock { $0 = true }
                        return .pass
                    }
                }
                shutdown(client, CInt(SHUT_RDWR))
                shutdown(upstream, CInt(SHUT_RDWR))
            }
            Thread.detachNewThread {
                pump(from: upstream, to: client) { _ in dropsAnswers.withLock { $0 } ? .end : .pass }
                shutdown(client, CInt(SHUT_RDWR))
                shutdown(upstream, CInt(SHUT_RDWR))
            }
        }
        close(listener)
    }

    private static func take(_ bytes: ArraySlice<UInt8>, _ state: LockedValue<State>) -> Fault? {
        state.withLock { state in
            guard let (fault, text) = state.fault, bytes.firstRange(of: Array(text.utf8)) != nil else { return nil }
            state.fault = nil
            return fault
        }
    }

    private enum Passing { case pass, drop, end }

    private static func pump(from source: CInt, to sink: CInt, _ decide: (ArraySlice<UInt8>) -> Passing) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(source, &buffer, buffer.count)
            guard count > 0 else { return }
            switch decide(buffer[..<count]) {
            case .end: return
            case .drop: continue
            case .pass:
                guard write(buffer[..<count], to: sink) else { return }
            }
        }
    }

    /// Returns once the client has closed its end.
    private static func flood(_ client: CInt, afterLogin isLogin: Bool) {
        // AuthenticationOk, and ParameterStatus, which may come at any time.
        let ok: [UInt8] = [UInt8(ascii: "R"), 0, 0, 0, 8, 0, 0, 0, 0]
        let status: [UInt8] = [UInt8(ascii: "S"), 0, 0, 0, 8, UInt8(ascii: "a"), 0, UInt8(ascii: "b"), 0]
        // So many that there is always one to read.
        let many = Array(repeating: status, count: 10_000).flatMap { $0 }
        guard !isLogin || write(ok[...], to: client) else { return }
        while write(many[...], to: client) {}
    }

    /// - Returns: whether the other end takes them.
    private static func write(_ bytes: ArraySlice<UInt8>, to sink: CInt) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { send(sink, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
            guard written > 0 else { return false }
            rest = rest.dropFirst(written)
        }
        return true
    }

    private static func connect(to path: String) -> CInt? {
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        if isConnected { return descriptor }
        close(descriptor)
        return nil
    }
}
