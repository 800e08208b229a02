import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import NIOPosix
import Testing
import WalletAuthVerifier

@testable import WalletBackend

@Suite("The backend's HTTP client", .timeLimit(.minutes(5)))
struct HTTPClientTransportTests {
    private let transport = HTTPClientTransport.payments

    /// Runs a server, and what asks it.
    private func serve(_ body: @escaping @Sendable (_ url: String) async throws -> Void) async throws {
        let router = Router()
        router.post("/echo") { request, _ in
            let received = try await request.body.collect(upTo: 1000)
            return Response(
                status: .unauthorized,
                headers: [.wwwAuthenticate: "Basic", .userAgent: request.headers[.userAgent] ?? ""],
                body: ResponseBody(byteBuffer: received))
        }
        router.get("/elsewhere") { _, _ in Response(status: .seeOther, headers: [.location: "/long"]) }
        router.get("/long") { _, _ in
            Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(repeating: 0x78, count: 100_000)))
        }
        try await Application(router: router).test(.live) { client in
            try await body("http://localhost:\(try #require(client.port))")
        }
    }

    private func failure(_ request: OutboundRequest) async -> OutboundFailure? {
        do {
            _ = try await transport.send(request)
            return nil
        } catch { return error as? OutboundFailure }
    }

    @Test("Method, headers, body and answer go through as they are; a 401 is an answer, and a redirect is not followed")
    func exchange() async throws {
        let transport = transport
        try await serve { url in
            let answer = try await transport.send(
                OutboundRequest(
                    method: "POST", url: url + "/echo", headers: [HeaderField("X-Test", "1")], body: Array("hello".utf8)
                ))
            #expect(answer.status == 401)
            #expect(answer.body == Array("hello".utf8))
            #expect(answer.headers.contains { $0.name.lowercased() == "user-agent" && $0.value == "wallet-backend" })
            let redirect = try await transport.send(OutboundRequest(method: "GET", url: url + "/elsewhere"))
            #expect(redirect.status == 303)
        }
    }

    @Test("attack: an answer that is too long or never comes counts as lost")
    func lost() async throws {
        try await serve { url in
            let long = await failure(OutboundRequest(method: "GET", url: url + "/long", maximumAnswer: 1000))
            #expect(long?.kind == .lost)
        }
        // It accepts connections, and has no handler that answers.
        let silent = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(silent.localAddress?.port)
        let late = await failure(
            OutboundRequest(method: "GET", url: "http://127.0.0.1:\(port)/", timeout: .milliseconds(300)))
        #expect(late?.kind == .lost)
        try await silent.close()
    }

    @Test("A server that is not there was not sent to")
    func unreachable() async throws {
        // Port 1 needs privileges and has no service here.
        let refused = await failure(OutboundRequest(method: "GET", url: "http://127.0.0.1:1/"))
        #expect(refused?.kind == .notSent)
    }
}
