import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOSSL
import Outbound

/// A `GET` that the doctor sends to a server, which may be another program.
struct DoctorRequest {
    let url: String
    let tls: TLSConfiguration
    /// The time for the whole response: a body may come slowly and without end.
    var patience = Duration.seconds(5)

    /// The status and the body. Redirects are not followed.
    /// - Throws: ``OutboundFault/timeout``, or the client's error; see ``GuardedHTTP/fault(for:)``.
    func response() async throws -> (status: HTTPResponseStatus, body: ByteBuffer) {
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls, redirectConfiguration: .disallow)
        // The client would try again until the time is over, and nothing would say why the connection failed.
        configuration.connectionPool.retryConnectionEstablishment = false
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        do {
            let response = try await within(.now + patience) { [url] in
                let response = try await client.execute(HTTPClientRequest(url: url), deadline: .distantFuture)
                return (response.status, try await response.body.collect(upTo: 1 << 16))
            }
            try? await client.shutdown()
            return response
        } catch {
            try? await client.shutdown()
            throw error
        }
    }
}
