import AuthFlows
import AuthStore
import Hummingbird
import WalletAuthWire

/// `/health/live` answers while the process runs, `/health/ready` while requests can be served.
struct HealthEndpoints: Sendable {
    let server: AuthorizationServer

    @Sendable func live(_ request: EndpointRequest) async throws -> Response {
        .json { $0.member("status", "live") }
    }

    /// Asks the database, since nothing can be served without it.
    @Sendable func ready(_ request: EndpointRequest) async throws -> Response {
        do {
            _ = try await server.context.database.read { connection in try connection.query("SELECT 1", []) }
        } catch {
            return .json(.serviceUnavailable) { $0.member("status", "unavailable") }
        }
        return .json { $0.member("status", "ready") }
    }
}
