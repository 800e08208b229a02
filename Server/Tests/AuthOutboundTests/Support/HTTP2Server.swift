import Foundation
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix
import NIOSSL
import Outbound
import Synchronization
import TestSupport

/// A server of HTTP/2 over TLS on this machine, under the name `localhost`, that answers as a test says and keeps what it was asked.
final class HTTP2Server: Sendable {
    struct Request: Sendable {
        /// Which connection it came over, from 1.
        var connection: Int
        var method: String
        var path: String
        var headers: [String: String]
        var body: String
    }

    struct Answer: Sendable {
        var status: Int
        var headers: [String: String] = [:]
        var body = ""
        /// Closes the connection instead.
        var isAbsent = false
        /// Sends so many empty DATA frames before the end. A client takes several for an attack (CVE-2019-9518).
        var emptyFrames = 0

        static let absent = Answer(status: 0, isAbsent: true)
    }

    private final class Ledger: Sendable {
        private let state = Mutex<(connections: Int, requests: [Request])>((0, []))

        var requests: [Request] { state.withLock { $0.requests } }

        func open() -> Int {
            state.withLock {
                $0.connections += 1
                return $0.connections
            }
        }

        func add(_ request: Request) { state.withLock { $0.requests.append(request) } }
    }

    let port: Int
    private let channel: any Channel
    private let ledger: Ledger
    private let folder: TemporaryFolder

    var url: String { "https://localhost:\(port)" }
    /// In the order in which they were complete.
    var requests: [Request] { ledger.requests }

    /// A client that trusts this server.
    func client(policy: AddressPolicy = .loopback) -> GuardedHTTP {
        .multiplexing(policy: policy, trustRoots: .file(Self.certificateFile(in: folder)), timeout: .seconds(300))
    }

    private init(port: Int, channel: any Channel, ledger: Ledger, folder: TemporaryFolder) {
        self.port = port
        self.channel = channel
        self.ledger = ledger
        self.folder = folder
    }

    deinit { channel.close(promise: nil) }

    /// - Parameter answer: answers a request that is complete.
    static func start(_ answer: @escaping @Sendable (Request) -> Answer) async throws -> HTTP2Server {
        let folder = try TemporaryFolder()
        try certificate.write(toFile: certificateFile(in: folder), atomically: true, encoding: .utf8)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMBytes(Array(certificate.utf8)).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(key.utf8), format: .pem)))
        configuration.applicationProtocols = ["h2"]
        let tls = try NIOSSLContext(configuration: configuration)
        let ledger = Ledger()
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { connection in
                connection.eventLoop.makeCompletedFuture {
                    let number = ledger.open()
                    let operations = connection.pipeline.syncOperations
                    try operations.addHandler(NIOSSLServerHandler(context: tls))
                    _ = try operations.configureHTTP2Pipeline(
                        mode: .server, connectionConfiguration: .init(), streamConfiguration: .init()
                    ) { stream in
                        stream.eventLoop.makeCompletedFuture {
                            let operations = stream.pipeline.syncOperations
                            try operations.addHandler(HTTP2FramePayloadToHTTP1ServerCodec())
                            try operations.addHandler(Stream(on: connection, number, ledger, answer))
                        }
                    }
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return HTTP2Server(port: channel.localAddress?.port ?? 0, channel: channel, ledger: ledger, folder: folder)
    }

    private static func certificateFile(in folder: TemporaryFolder) -> String {
        folder.path("certificate.pem")
    }

    /// One request and its answer.
    private final class Stream: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let connection: any Channel
        private let ledger: Ledger
        private let answer: @Sendable (Request) -> Answer
        private var request: Request

        init(
            on connection: any Channel, _ number: Int, _ ledger: Ledger,
            _ answer: @escaping @Sendable (Request) -> Answer
        ) {
            self.connection = connection
            self.ledger = ledger
            self.answer = answer
            request = Request(connection: number, method: "", path: "", headers: [:], body: "")
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head):
                request.method = head.method.rawValue
                request.path = head.uri
                for (name, value) in head.headers { request.headers[name.lowercased()] = value }
            case .body(let bytes): request.body += String(buffer: bytes)
            case .end:
                ledger.add(request)
                respond(answer(request), context)
            }
        }

        private func respond(_ answer: Answer, _ context: ChannelHandlerContext) {
            guard !answer.isAbsent else { return connection.close(promise: nil) }
            var headers = HTTPHeaders(answer.headers.map { ($0.key, $0.value) })
            headers.add(name: "content-length", value: String(answer.body.utf8.count))
            let head = HTTPResponseHead(
                version: .http2, status: HTTPResponseStatus(statusCode: answer.status), headers: headers)
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            for _ in 0..<answer.emptyFrames {
                context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(ByteBuffer()))), promise: nil)
            }
            // Without one, no empty frame is sent.
            if !answer.body.isEmpty {
                context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: answer.body)))), promise: nil)
            }
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }

    /// Self-signed, made for these tests alone and good until the year 2126.
    private static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBlTCCATugAwIBAgIUeUW4n5bcT8W1v+f2qBkiaHzA83kwCgYIKoZIzj0EAwIw
        FDESMBAGA1UEAwwJcHVzaC50ZXN0MCAXDTI2MTEyOTE1MDkzMVoYDzIxMjYxMTA1
        MTUwOTMxWjAUMRIwEAYDVQQDDAlwdXNoLnRlc3QwWTATBgcqhkjOPQIBBggqhkjO
        PQMBBwNCAATQjGUscR6RFHFbLTxTyfDjIarplv6qpJqLMipEpls0OWGSmqSuqX4U
        1mv4M1LR1P+QLlXIgfW7ryVvXlSDHrTJo2kwZzAdBgNVHQ4EFgQUB4MZCbBRtLjO
        iAfZQvixNW1adQowHwYDVR0jBBgwFoAUB4MZCbBRtLjOiAfZQvixNW1adQowDwYD
        VR0TAQH/BAUwAwEB/zAUBgNVHREEDTALgglsb2NhbGhvc3QwCgYIKoZIzj0EAwID
        SAAwRQIhAI+ylE/vR+nwqrkF59qOz3HQgvSBNW+4RivP7ntP9sVgAiANPA5pkSn1
        HWwoNcq5AihgCab2rzXwa6lLFoUFThWHCw==
        -----END CERTIFICATE-----
        """

    private static let key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg2vHC/dSdpsIhhz9B
        rQnC0KP09Qc2mtdb4l7xIr5mcOihRANCAATQjGUscR6RFHFbLTxTyfDjIarplv6q
        pJqLMipEpls0OWGSmqSuqX4U1mv4M1LR1P+QLlXIgfW7ryVvXlSDHrTJ
        -----END PRIVATE KEY-----
        """
}
