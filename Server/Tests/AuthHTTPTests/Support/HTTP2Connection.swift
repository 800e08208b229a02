/// A client of HTTP/2 that says which requests it makes, and grants answers no more content than it said at the beginning.
struct HTTP2Connection: Sendable {
    /// One frame from the server (RFC 9113 §4.1).
    struct Frame: Equatable {
        let kind: Kind
        let stream: Int
        let payload: [UInt8]
    }

    enum Kind: UInt8 {
        case data, headers, priority, resetStream, settings, pushPromise, ping, goAway, windowUpdate, continuation
    }

    private let connection: RawConnection

    /// - Parameter window: the bytes of content that it grants each stream. All together have 65,535 (RFC 9113 §6.9.2).
    /// - Throws: when the server closes the connection before the handshake is over.
    static func open(port: Int, window: UInt16 = 0) async throws -> HTTP2Connection {
        let connection = HTTP2Connection(
            connection: try await RawConnection.openTLS(port: port, offering: ["h2"]))
        let initialWindowSize: [UInt8] = [0, 4, 0, 0, UInt8(window >> 8), UInt8(window & 0xFF)]
        try await connection.connection.send(
            Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + frame(.settings, stream: 0, initialWindowSize))
        return connection
    }

    /// Begins requests without content on streams of these numbers.
    func get(_ path: String, on streams: [Int]) async throws {
        // Fields of the static table, and literals that are neither indexed nor compressed (RFC 7541 §6).
        var fields: [UInt8] = [0x82, 0x87]
        for (name, value) in [(UInt8(0x04), path), (0x01, "localhost")] {
            fields.append(name)
            fields += Self.length(value.utf8.count)
            fields += value.utf8
        }
        // END_STREAM and END_HEADERS.
        try await connection.send(streams.flatMap { Self.frame(.headers, flags: 5, stream: $0, fields) })
    }

    /// Begins a tunnel on a stream (RFC 9113 §8.5), and sends the first bytes into it.
    func connect(to authority: String, on stream: Int) async throws {
        var fields: [UInt8] = []
        for (name, value) in [(UInt8(0x02), "CONNECT"), (0x01, authority)] {
            fields.append(name)
            fields += Self.length(value.utf8.count)
            fields += value.utf8
        }
        // END_HEADERS.
        try await connection.send(
            Self.frame(.headers, flags: 4, stream: stream, fields)
                + Self.frame(.data, stream: stream, Array(repeating: 0x41, count: 16_384)))
    }

    /// The frames that came until so many of a kind were among them, or the server closed.
    func frames(until count: Int, _ kind: Kind) async throws -> [Frame] {
        Self.frames(in: try await connection.bytes { Self.frames(in: $0).count { $0.kind == kind } >= count })
    }

    /// Waits for so many bytes of content, on all streams together.
    func content(of count: Int) async throws {
        _ = try await connection.bytes { bytes in
            Self.frames(in: bytes).filter { $0.kind == .data }.reduce(0) { $0 + $1.payload.count } >= count
        }
    }

    /// The frames that came until the server closed.
    func framesUntilClosed() async throws -> [Frame] { Self.frames(in: try await connection.bytes { _ in false }) }

    func close() async { await connection.close() }

    /// A number in seven bits, or in these and further bytes (RFC 7541 §5.1).
    private static func length(_ count: Int) -> [UInt8] {
        guard count >= 127 else { return [UInt8(count)] }
        var (bytes, rest) = ([UInt8(127)], count - 127)
        while rest >= 128 {
            bytes.append(UInt8(rest & 127) | 128)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }

    private static func frame(_ kind: Kind, flags: UInt8 = 0, stream: Int, _ payload: [UInt8]) -> [UInt8] {
        var bytes = [16, 8, 0].map { UInt8(truncatingIfNeeded: payload.count >> $0) }
        bytes += [kind.rawValue, flags]
        bytes += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: stream >> $0) }
        return bytes + payload
    }

    private static func frames(in bytes: [UInt8]) -> [Frame] {
        var frames: [Frame] = []
        var rest = bytes[...]
        while rest.count >= 9 {
            let head = rest.prefix(9).map { Int($0) }
            let length = head[0] << 16 | head[1] << 8 | head[2]
            guard rest.count >= 9 + length else { break }
            if let kind = Kind(rawValue: UInt8(head[3])) {
                let stream = (head[5] & 0x7f) << 24 | head[6] << 16 | head[7] << 8 | head[8]
                frames.append(Frame(kind: kind, stream: stream, payload: Array(rest.dropFirst(9).prefix(length))))
            }
            rest = rest.dropFirst(9 + length)
        }
        return frames
    }
}
