import AsyncHTTPClient
import Foundation
import NIOCore
import NIOSSL
import TestSupport
import Testing
import WalletAuth

@testable import wallet

@Suite("The transport of `wallet`", .timeLimit(.minutes(5)))
struct TerminalTransportTests {
    private static let close = "Connection: close\r\n"

    /// Runs a test's body with a transport whose client is shut down afterwards.
    private func use<Value>(
        trusting file: String? = nil, _ body: (TerminalTransport) async throws -> Value
    ) async throws -> Value {
        let client = try TerminalTransport.client(trusting: file)
        do {
            let value = try await body(TerminalTransport(client: client))
            try await client.shutdown()
            return value
        } catch {
            try? await client.shutdown()
            throw error
        }
    }

    /// A request that has more time than a busy machine takes for it.
    private func patientRequest(
        _ method: String, _ url: URL, headers: HTTPFields = HTTPFields(), body: Data? = nil
    ) -> HTTPRequest {
        HTTPRequest(method: method, url: url, headers: headers, body: body, timeout: .seconds(300))
    }

    private func failureKind(_ body: () async throws -> HTTPResponse) async throws -> TransportFailure.Kind? {
        do {
            let response = try await body()
            Issue.record("status \(response.status)")
            return nil
        } catch let failure as TransportFailure { return failure.kind }
    }

    @Test("A request arrives as it is, with the program's name, and the response is returned as it is")
    func exchange() async throws {
        let answer = "HTTP/1.1 201 Created\r\nContent-Length: 2\r\nDPoP-Nonce: n1\r\n\(Self.close)\r\nhi"
        try await OneAnswerPeer.use(answering: .text(answer)) { peer in
            let response = try await use {
                try await $0.send(
                    patientRequest(
                        "POST", peer.url("/token?a=%2F"), headers: ["DPoP": "proof"], body: Data("x=y".utf8)))
            }
            #expect(response.status == 201)
            #expect(response.headers["dpop-nonce"] == "n1")
            #expect(response.body == Data("hi".utf8))
            let request = try #require(peer.requests.first)
            #expect(request.hasPrefix("POST /token?a=%2F HTTP/1.1\r\n"), "\(request)")
            #expect(request.contains("DPoP: proof\r\n"), "\(request)")
            #expect(request.contains("User-Agent: wallet/"), "\(request)")
            #expect(request.hasSuffix("\r\n\r\nx=y"), "\(request)")
        }
    }

    @Test(
        "A redirect is returned and not followed: the token would go to another host", arguments: [301, 302, 307, 308])
    func redirects(status: Int) async throws {
        let answer = "HTTP/1.1 \(status) Moved\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\(Self.close)\r\n"
        try await OneAnswerPeer.use(answering: .text(answer)) { peer in
            let response = try await use { try await $0.send(patientRequest("GET", peer.url("/"))) }
            #expect(response.status == status)
            #expect(peer.requests.count == 1)
        }
    }

    @Test(
        "A request whose connection drops is sent once and may have arrived, before the response and within it",
        arguments: ["", "garbage", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart"])
    func dropped(answer: String) async throws {
        try await OneAnswerPeer.use(answering: .text(answer)) { peer in
            let kind = try await use { transport -> TransportFailure.Kind? in
                try await failureKind {
                    try await transport.send(patientRequest("POST", peer.url("/"), body: Data("a=b".utf8)))
                }
            }
            #expect(kind == .lost)
            #expect(peer.requests.count == 1)
        }
    }

    @Test("Each request has its own connection, though the server would keep it open")
    func ownConnections() async throws {
        try await OneAnswerPeer.use(
            answering: .text("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), closes: false
        ) { peer in
            try await use { transport in
                for _ in 0..<3 { _ = try await transport.send(patientRequest("GET", peer.url("/"))) }
            }
            #expect(peer.connections == 3)
        }
    }

    @Test("Where nothing listens, the request was never sent, and the reason names the port")
    func unreachable() async throws {
        let port = try FreePorts.next()
        let url = try #require(URL(string: "http://127.0.0.1:\(port)/secret"))
        try await use { transport in
            let failure = await #expect(throws: TransportFailure.self) {
                try await transport.send(patientRequest("GET", url))
            }
            #expect(failure?.kind == .unreachable)
            #expect(failure?.reason.contains(":\(port)") == true, "\(failure?.reason ?? "")")
            #expect(failure?.reason.contains("secret") == false)
        }
    }

    @Test(
        """
        A response that does not come in time, or stops after its head, is lost, and a cancelled request throws \
        CancellationError at once
        """,
        arguments: [.nothing, .text("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart")] as [OneAnswerPeer.Answer])
    func impatience(answer: OneAnswerPeer.Answer) async throws {
        try await OneAnswerPeer.use(answering: answer, closes: false) { peer in
            try await use { transport in
                let kind = try await failureKind {
                    try await transport.send(
                        HTTPRequest(method: "GET", url: peer.url("/"), timeout: .milliseconds(200)))
                }
                #expect(kind == .lost)
                // On a busy machine that one may not have arrived at all.
                let arrived = peer.requests.count
                let waiting = Task { try await transport.send(patientRequest("GET", peer.url("/"))) }
                await peer.hasRequests(arrived + 1)
                waiting.cancel()
                await #expect(throws: CancellationError.self) { try await waiting.value }
            }
        }
    }

    @Test(
        "attack: an open connection that ends with the errors of one that failed to open may have carried the request")
    func openConnections() throws {
        let url = try #require(URL(string: "https://192.0.2.1/token"))
        for code in [ENETUNREACH, ENETDOWN, ECONNREFUSED] {
            let error = IOError(errnoCode: code, reason: "connection reset (error set)")
            #expect(TransportFailure(error, wasSent: true, to: url).kind == .lost)
            #expect(TransportFailure(error, wasSent: false, to: url).kind != .lost)
        }
    }

    @Test("A certificate of an unknown authority gets no request; the file of WALLET_CA_FILE makes it known")
    func authorities() async throws {
        let folder = try TemporaryFolder()
        try await SelfSigned.write(in: folder)
        let tls = try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: NIOSSLCertificate.fromPEMFile(folder.path("certificate.pem")).map {
                    .certificate($0)
                },
                privateKey: .privateKey(NIOSSLPrivateKey(file: folder.path("key.pem"), format: .pem))))
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\(Self.close)\r\nhi"
        try await OneAnswerPeer.use(answering: .text(answer), tls: tls) { peer in
            let request = patientRequest("GET", peer.url("/", host: "localhost"))
            let refused = try await use { transport -> TransportFailure.Kind? in
                try await failureKind { try await transport.send(request) }
            }
            #expect(refused == .untrusted)
            #expect(peer.requests.isEmpty)
            let response = try await use(trusting: folder.path("certificate.pem")) { try await $0.send(request) }
            #expect(response.body == Data("hi".utf8))
            // Trusted, but for another name.
            let other = patientRequest("GET", peer.url("/", host: "127.0.0.1"))
            let misnamed = try await use(trusting: folder.path("certificate.pem")) {
                transport -> TransportFailure.Kind? in
                try await failureKind { try await transport.send(other) }
            }
            #expect(misnamed == .untrusted)
        }
    }

    @Test(
        "A file of authorities that is none is refused by its name before anything is sent", arguments: ["", "no PEM"])
    func noAuthorities(content: String) throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(content, to: "ca.pem")
        for path in [file, folder.path("missing.pem")] {
            let failure = #expect(throws: Failure.self) { try TerminalTransport.client(trusting: path) }
            #expect(failure?.message.contains(path) == true)
            #expect(failure?.advice.contains("WALLET_CA_FILE") == true)
        }
    }
}

/// Makes a certificate for `localhost` that signs itself.
enum SelfSigned {
    /// - Parameter names: the hosts, as openssl takes them.
    static func write(in folder: TemporaryFolder, names: String = "DNS:localhost") async throws {
        let openssl = Process()
        openssl.executableURL = URL(filePath: "/usr/bin/env")
        openssl.arguments = [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
            "2",
            "-subj", "/CN=localhost", "-addext", "subjectAltName=\(names)", "-keyout", folder.path("key.pem"),
            "-out", folder.path("certificate.pem"),
        ]
        openssl.standardError = FileHandle.nullDevice
        try openssl.run()
        openssl.waitUntilExit()
        try #require(openssl.terminationStatus == 0)
    }
}
