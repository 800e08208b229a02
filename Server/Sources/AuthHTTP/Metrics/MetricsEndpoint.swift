import AuthFlows
import Hummingbird
import WalletAuthWire

/// `/metrics` in the text format of Prometheus. Numbers by route tell an outsider more than one thinks, so it is never
/// open: by default it answers this machine alone, and under its own names alone.
struct MetricsEndpoint: Sendable {
    static let path = "/metrics"

    let metrics: RequestMetrics
    let access: MetricsAccess
    let server: AuthorizationServer
    let hosts: LocalHosts

    @Sendable func get(_ request: EndpointRequest) async throws -> Response {
        switch access {
        case .off:
            throw RequestFault.unknownPath
        case .loopback:
            // Whoever asks through a proxy is not on this machine, wherever the proxy runs.
            guard request.context.client.isDirectLoopback else { throw RequestFault.unknownPath }
            try hosts.check(request.request, at: Self.path)
        case .token(let token):
            guard let header = try request.headers.single(.authorization),
                ConstantTime.equal(header, "Bearer " + token)
            else {
                return Response(status: .unauthorized, headers: [.wwwAuthenticate: "Bearer"])
            }
        }
        var buffer = ByteBuffer()
        metrics.write(to: &buffer)
        BreachMetricsWriter.write(server.breachMetrics, to: &buffer)
        ProviderMetricsWriter.write(server.providerMetrics, to: &buffer)
        if let log = server.log { DatabaseMetricsWriter.write(log, to: &buffer) }
        // Numbers of requests are worth having also while the database cannot be asked.
        if let channels = try? await server.outboxMetrics() { OutboxMetricsWriter.write(channels, to: &buffer) }
        return Response(
            status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
            body: ResponseBody(byteBuffer: buffer))
    }
}
