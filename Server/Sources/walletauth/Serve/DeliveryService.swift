import AuthEvents
import ServiceLifecycle

/// Delivers messages while the server runs. On shutdown it finishes the deliveries in progress; messages that wait are
/// sent after the next start.
struct DeliveryService: Service {
    let delivery: MessageDelivery

    func run() async throws {
        await withGracefulShutdownHandler {
            await delivery.run()
            // Without transports there is nothing to deliver, but a service that returns would stop the server.
            try? await gracefulShutdown()
        } onGracefulShutdown: {
            delivery.stop()
        }
    }
}
