import Foundation

/// Bytes to a port of 127.0.0.1, or to a Unix socket, and back: for requests that no HTTP library would send, and for stops in the middle.
final class RawConnection: Sendable {
    /// The connection could not be made.
    struct Refused: Error { let code: Int32 }

    private let descriptor: Int32

    convenience init(port: Int) throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        try self.init(address, family: AF_INET)
    }

    /// - Parameter path: of a Unix socket, short enough for an address.
    convenience init(path: String) throws {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        try self.init(address, family: AF_UNIX)
    }

    private init<Address>(_ address: Address, family: Int32) throws {
        #if canImport(Glibc)
            let stream = Int32(SOCK_STREAM.rawValue)
        #else
            let stream = SOCK_STREAM
        #endif
        descriptor = socket(family, stream, 0)
        guard descriptor >= 0 else { throw Refused(code: errno) }
        let connected = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
            }
        }
        guard connected == 0 else {
            let code = errno
            close(descriptor)
            throw Refused(code: code)
        }
        // A server may refuse in the middle of a request: what it said is still to be read.
        signal(SIGPIPE, SIG_IGN)
    }

    deinit { close(descriptor) }

    /// Sends all of it, or as much as the server takes before it closes.
    func send(_ data: Data) {
        var sent = 0
        while sent < data.count {
            let count = data.withUnsafeBytes {
                write(descriptor, $0.baseAddress?.advanced(by: sent), data.count - sent)
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    /// Sends so many bytes that mean nothing, or as many as the server takes before it closes.
    func flood(_ count: Int) async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                var wait = timeval(tv_sec: Int(Duration.patience.components.seconds), tv_usec: 0)
                setsockopt(
                    self.descriptor, SOL_SOCKET, SO_SNDTIMEO, &wait, socklen_t(MemoryLayout<timeval>.size))
                self.send(Data(repeating: 0x41, count: count))
                continuation.resume()
            }
        }
    }

    /// Whether the server's process has taken all that was sent out of the kernel's hands (Linux; elsewhere unknown, and
    /// taken for granted).
    func isReadByPeer() throws -> Bool {
        #if os(Linux)
            var address = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getsockname(descriptor, $0, &length) }
            }
            let ours = String(UInt16(bigEndian: address.sin_port), radix: 16, uppercase: true)
            // Columns of proc(5): number, local, remote, state, send and receive queue. The peer's end has our port as remote.
            // Read to its end: the file is longer than the size it claims.
            let file = try FileHandle(forReadingFrom: URL(filePath: "/proc/net/tcp"))
            let table = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
            return table.split(separator: "\n").contains { line in
                let columns = line.split(separator: " ")
                return columns.count > 4 && columns[2].hasSuffix(":" + ours) && columns[4].hasSuffix(":00000000")
            }
        #else
            return true
        #endif
    }

    /// Reads until the answer is whole, or the server closes.
    func receive() async -> String {
        await withCheckedContinuation { continuation in
            // Blocking calls have no place on the tasks' own threads.
            DispatchQueue.global().async { continuation.resume(returning: self.blockingReceive()) }
        }
    }

    private func blockingReceive() -> String {
        var wait = timeval(tv_sec: Int(Duration.patience.components.seconds), tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &wait, socklen_t(MemoryLayout<timeval>.size))
        var received = Data()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while received.count < 4_000_000 {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            received.append(contentsOf: buffer[..<count])
            if Self.isWhole(received) { break }
        }
        return String(decoding: received, as: UTF8.self)
    }

    /// Whether an answer has all of the body that its head announces. One that announces none ends with the connection.
    private static func isWhole(_ answer: Data) -> Bool {
        guard let end = answer.range(of: Data("\r\n\r\n".utf8)) else { return false }
        let head = String(decoding: answer[..<end.lowerBound], as: UTF8.self).lowercased()
        let fields = head.split(whereSeparator: { $0.isNewline })
        if fields.contains("transfer-encoding: chunked") { return answer.suffix(5) == Data("0\r\n\r\n".utf8) }
        let name = "content-length:"
        let length = fields.first { $0.hasPrefix(name) }
            .flatMap { Int($0.dropFirst(name.count).trimmingCharacters(in: .whitespaces)) }
        return length.map { answer.count - end.upperBound >= $0 } ?? false
    }
}
