import HTTPTypes
import NIOCore
import Operations
import WalletAuthWire
import Web

/// `/metrics` in the Prometheus text format. Numbers per route tell an outsider a lot, so the endpoint is never public.
/// By default it answers only this machine, and only under the machine's own host names.
///
/// Everything is in memory: a database that stalls is when the metrics are needed most. This folder owns the endpoint, the request
/// metrics and the text format. The other numbers come from the flows and the engine.
struct MetricsEndpoint: Sendable {
    static let path = "/metrics"

    let metrics: RequestMetrics
    let access: MetricsAccess
    let server: AuthorizationServer
    let hosts: LocalHosts

    @Sendable func get(_ request: EndpointRequest) async throws -> EndpointResponse {
        switch access {
        case .everyone:
            break
        case .ownHosts(let address):
            do {
                try hosts.check(request, at: Self.path)
            } catch .foreignHost {
                throw RequestFault.foreignHost(address: address)
            }
        case .off:
            throw RequestFault.unknownPath
        case .loopback:
            // A request through a proxy is not from this machine, wherever the proxy runs.
            guard request.context.client.isDirectLoopback else { throw RequestFault.unknownPath }
            try hosts.check(request, at: Self.path)
        case .token(let token):
            guard let header = try request.headers.single(.authorization),
                ConstantTime.equal(header, "Bearer " + token)
            else {
                return EndpointResponse(status: .unauthorized, headers: [.wwwAuthenticate: "Bearer"])
            }
        }
        var buffer = ByteBuffer()
        metrics.write(to: &buffer)
        for metric in Metric.all(of: server) { metric.write(to: &buffer) }
        return EndpointResponse(
            status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
            body: Array(buffer.readableBytesView))
    }
}
