import Core
import HTTPTypes
import Kernel
import Store
import WalletAuthWire
import Web

/// `/health/live` answers while the process runs, `/health/ready` while it can serve requests.
struct HealthEndpoints: Sendable {
    let clocks: ClockMonitor
    let writes: WriteProbe
    let drain: Drain

    @Sendable func live(_ request: EndpointRequest) async throws -> EndpointResponse {
        .json { $0.member("status", "live") }
    }

    /// Writes to the database, because nearly every request does. Damage of the database counts too.
    @Sendable func ready(_ request: EndpointRequest) async throws -> EndpointResponse {
        // HAProxy's `disable-on-404` lets requests in flight finish. After a 503 it would end them with the server's sessions.
        if drain.hasBegun { return .json(.notFound) { $0.member("status", "stopping") } }
        // Other servers answer meanwhile, if their clocks agree.
        guard clocks.check().allowsRequests else {
            return .json(.serviceUnavailable) {
                $0.member("status", "unavailable")
                $0.member("reason", "clock")
            }
        }
        if let failure = await writes.failure() {
            return .json(.serviceUnavailable) {
                $0.member("status", "unavailable")
                if failure.code == .fileLost { $0.member("reason", "database_file") }
            }
        }
        return .json { $0.member("status", "ready") }
    }
}

extension HealthEndpoints {
    private static let shape = WireShape.object(
        WireObject(
            name: "Health", members: [.required("status", .text(nil)), .optional("reason", .text(nil))], isOpen: true))

    var routes: [Route] {
        [
            Route(.get, Endpoints.live.path, .plain, live).stating(
                .health, "checkLiveness", "Answers while the process runs"
            ) { Contract("It runs", gives: Self.shape) },
            Route(.get, Endpoints.ready.path, .plain, ready).stating(
                .health, "checkReadiness", "Says whether requests can be served"
            ) {
                Contract(
                    "They can", gives: Self.shape,
                    refuses: [.notFound, .serviceUnavailable].map { .json($0) { $0.member("status", "unavailable") } })
            },
        ]
    }
}
