import AuthFlows
import ServiceLifecycle

/// Delivers messages for as long as the server runs. When it stops, those under way are finished; what waits, waits for
/// the next start.
struct DeliveryService: Service {
    let delivery: MessageDelivery

    func run() async throws {
        await withGracefulShutdownHandler {
            await delivery.run()
            // Without a way out nothing is delivered, and a service that ends would end the server.
            try? await gracefulShutdown()
        } onGracefulShutdown: {
            delivery.stop()
        }
    }
}
