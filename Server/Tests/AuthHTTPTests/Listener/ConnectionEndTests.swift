import Foundation
import HummingbirdTesting
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import HTTP

/// Requests that leave HTTP/1.1. NIO's decoder stops behind them and would keep what follows.
@Suite(
    "The last request of a connection", .threat("Connection floods and request smuggling"),
    .covers("CONNECT and Upgrade are answered as a connection's last request"))
struct ConnectionEndTests {
    private static let upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\n"

    /// Heads behind which no further request is read, with their content.
    static let leaving: [String] =
        ["127.0.0.1:80", "/", "/health/live"].map { "CONNECT \($0) HTTP/1.1\r\nHost: h\r\n\r\n" }
        + [
            "CONNECT h:80 HTTP/1.0\r\n\r\n", "CONNECT h:80 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
            "CONNECT h:80 HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\n",
            "CONNECT h:80 HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n",
            // Refused for their Host, which comes after the decoder.
            "CONNECT h:80 HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\n\(upgrade)\r\n",
        ]
        + ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "M-SEARCH"].map {
            "\($0) / HTTP/1.1\r\nHost: h\r\n\(upgrade)\r\n"
        }
        + [
            "connection: upgrade\r\nupgrade: websocket", "CONNECTION: UPGRADE\r\nUPGRADE: WEBSOCKET",
            "Upgrade: h2c\r\nConnection: keep-alive, Upgrade, HTTP2-Settings", "Connection:Upgrade\r\nUpgrade:",
            "Connection: close, upgrade\r\nUpgrade: x", "Connection: keep-alive\r\nConnection: upgrade\r\nUpgrade: x",
            "Connection: Upgrade\r\nUpgrade: x\r\nExpect: 100-continue", "Connection:\tupgrade\t\r\nUpgrade: TLS/1.3",
        ].map { "GET / HTTP/1.1\r\nHost: h\r\n\($0)\r\n\r\n" }
        + [
            "GET / HTTP/1.0\r\n\(upgrade)\r\n",
            "POST / HTTP/1.1\r\nHost: h\r\n\(upgrade)Content-Length: 3\r\n\r\na=b",
            "POST / HTTP/1.1\r\nHost: h\r\n\(upgrade)Transfer-Encoding: chunked\r\n\r\n3\r\na=b\r\n0\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: h\r\n\(upgrade)Transfer-Encoding: chunked\r\n\r\n0\r\nX: y\r\n\r\n",
        ]

    /// The bytes that a connection keeps of a mebibyte that follows a request.
    private func kept(after request: String) throws -> Int {
        let channel = EmbeddedChannel()
        let operations = channel.pipeline.syncOperations
        let decoder = ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .fireError))
        try operations.addHandler(HTTPResponseEncoder())
        try operations.addHandler(decoder)
        try operations.endWithLastRequest()
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 4711), promise: nil)
        try channel.writeInbound(ByteBuffer(string: request))
        for _ in 0..<1024 { try channel.writeInbound(ByteBuffer(repeating: 0x41, count: 1024)) }
        // A decoder that is removed reports what it has kept.
        operations.removeHandler(decoder, promise: nil)
        channel.embeddedEventLoop.run()
        do {
            try channel.throwIfErrorCaught()
            return 0
        } catch ByteToMessageDecoderError.leftoverDataWhenDone(let rest) {
            return rest.readableBytes
        }
    }

    @Test("attack: what follows a request that leaves HTTP is not kept", arguments: leaving)
    func discarded(request: String) throws {
        let kept = try kept(after: request)
        #expect(kept == 0)
    }

    @Test("attack: a request that leaves HTTP is answered, and nothing behind it is read", arguments: leaving)
    func answered(request: String) async throws {
        try await TestServer.serve {
            $0.limits = .patient
        } _: { _, client in
            let next = "GET /health/live HTTP/1.1\r\nHost: h\r\n\r\n"
            let connection = try await RawConnection.open(
                port: try #require(client.port), sending: next + request + next)
            let answers = try await connection.textUntilClosed().components(separatedBy: "HTTP/1.1 ").dropFirst()
            #expect(answers.filter { $0.contains("\"live\"") }.count == 1)
            #expect(answers.contains { $0.lowercased().contains("connection: close") })
        }
    }

    @Test("attack: a client that goes on sending does not keep the connection", arguments: [false, true])
    func stubborn(overTLS: Bool) async throws {
        try await TestServer.use { server in
            let files = try TestCertificates.write(in: server.folder)
            try await server.serve(.ahc(overTLS ? .https : .http)) {
                $0.limits = .patient
                $0.tls = overTLS ? files : nil
            } _: { client in
                let port = try #require(client.port)
                for request in Self.leaving.prefix(3) + ["GET /health/live HTTP/1.1\r\nHost: h\r\n\(Self.upgrade)\r\n"]
                {
                    let connection =
                        overTLS
                        ? try await RawConnection.openTLS(port: port, offering: ["http/1.1"])
                        : try await RawConnection.open(port: port, isStubborn: true)
                    try await connection.send(request)
                    let drip = Task { try await connection.drip() }
                    _ = try await connection.textUntilClosed()
                    drip.cancel()
                }
            }
        }
    }

    @Test("Requests that do not leave HTTP are followed by others")
    func others() async throws {
        try await TestServer.serve { _, client in
            let fields = ["Connection: keep-alive", "X-Upgrade: websocket", "Connection: upgrade", "Accept: upgrade"]
            let requests = fields.map { "GET /health/live HTTP/1.1\r\nHost: h\r\n\($0)\r\n\r\n" }
            let last = "GET /health/live HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
            let connection = try await RawConnection.open(
                port: try #require(client.port), sending: requests.joined() + last)
            let answers = try await connection.textUntilClosed().components(separatedBy: "HTTP/1.1 200").dropFirst()
            #expect(answers.count == 5)
        }
    }
}
